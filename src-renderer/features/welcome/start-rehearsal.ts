import { client } from "../../client.ts";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notice-store.ts";

/** Starts a rehearsal by its name, or the first there is; answers whether it goes on. */
export function startRehearsal(name?: string): Promise<boolean> {
  const chosen = name ?? useHost.getState().app?.rehearsals[0]?.name;
  return attempt("The rehearsal did not start", async () => {
    if (chosen === undefined) throw new Error("this copy of Hox has no rehearsal");
    await client.rehearsal.start({ name: chosen });
  });
}
