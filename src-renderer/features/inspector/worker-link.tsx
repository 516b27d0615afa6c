import { useHost } from "../../state/host-store.ts";
import { inspect } from "../../state/selection-store.ts";
import { keyOfWorker } from "../../state/worker-key.ts";

/** A worker's name that leads to its change, or to what it says. */
export function WorkerLink({ name }: { readonly name: string }) {
  const key = useHost((state) => {
    const worker = state.run?.workers.find((one) => one.name === name);
    return worker?.fork ? keyOfWorker(name) : (worker?.changeId ?? null);
  });
  return (
    <button
      type="button"
      disabled={key === null}
      onClick={() => key && inspect(key)}
      className="rounded-sm font-medium text-accent-text enabled:hover:underline"
    >
      {name}
    </button>
  );
}
