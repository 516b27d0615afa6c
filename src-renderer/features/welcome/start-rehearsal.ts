import { create } from "zustand";
import { client } from "../../client.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";

interface Preparing {
  /** The rehearsal that is being prepared; one at a time. */
  readonly name: string | null;
  /** The repository that the window showed then; null: the welcome. */
  readonly over: string | null;
  /** Whether the user cancelled it. */
  readonly isCancelled: boolean;
}

const nothing: Preparing = { name: null, over: null, isCancelled: false };

export const usePreparing = create<Preparing>(() => nothing);

/** Starts a rehearsal by its name, or the first one, until its run is active or the user cancels it. */
export async function startRehearsal(name?: string): Promise<void> {
  if (usePreparing.getState().name !== null) return;
  const { app, repository } = useHost.getState();
  const chosen = name ?? app?.rehearsals[0]?.name;
  await attempt("The rehearsal did not start", async () => {
    if (chosen === undefined) throw new Error("this copy of Hox includes no rehearsal");
    usePreparing.setState({ name: chosen, over: repository?.path ?? null });
    try {
      await client.rehearsal.start({ name: chosen });
    } finally {
      usePreparing.setState(nothing);
    }
  });
}

/** Ends the one that is being prepared; nothing of it is left. */
export async function cancelRehearsal(): Promise<void> {
  const { name, isCancelled } = usePreparing.getState();
  if (name === null || isCancelled) return;
  usePreparing.setState({ isCancelled: true });
  const isDone = await attempt("The rehearsal was not cancelled", () => client.rehearsal.cancel({ name }));
  if (!isDone) usePreparing.setState({ isCancelled: false });
}
