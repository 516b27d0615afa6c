import { client } from "../../client.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notice-store.ts";

/** Starts a rehearsal by its name, or the first there is, until its run goes on or somebody cancels it. */
export async function startRehearsal(name?: string): Promise<void> {
  const chosen = name ?? useHost.getState().app?.rehearsals[0]?.name;
  await attempt("The rehearsal did not start", async () => {
    if (chosen === undefined) throw new Error("this copy of Hox has no rehearsal");
    await client.rehearsal.start({ name: chosen });
  });
}

/** Ends one that is being prepared; nothing of it is left. */
export const cancelRehearsal = (name: string): Promise<boolean> =>
  attempt("The rehearsal was not cancelled", () => client.rehearsal.cancel({ name }));
