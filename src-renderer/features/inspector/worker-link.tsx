import { useHost } from "../../state/host-store.ts";
import { inspect } from "../../state/selection-store.ts";

/** A worker's name that leads to its change. */
export function WorkerLink({ name }: { readonly name: string }) {
  const changeId = useHost(
    (state) => state.run?.workers.find((worker) => worker.name === name)?.changeId ?? null,
  );
  return (
    <button
      type="button"
      disabled={changeId === null}
      onClick={() => changeId && inspect(changeId)}
      className="rounded-sm font-medium text-accent-text enabled:hover:underline"
    >
      {name}
    </button>
  );
}
