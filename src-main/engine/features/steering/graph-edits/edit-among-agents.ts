/** Writes of a user to the graph while agents work on it. */
import type { CommandScope } from "../../../kernel/commands.ts";
import type { Run } from "../../../ports.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";

/** Pauses agents at a turn boundary while their ancestors are rewritten, and updates their files. */
export const amongAgents = <T>({ allGoing }: CommandScope<Run>, write: () => Promise<T>): Promise<T> =>
  allGoing().reduce<() => Promise<T>>(
    (inner, run) => () =>
      run.lock.withAllExclusive(() => rewriteBeneath(run, { what: "The graph was changed." }, inner)),
    write,
  )();

/** What runs know of the graph is out of date. */
export async function graphEdited({ allGoing, landings }: CommandScope<Run>): Promise<void> {
  await landings.follow();
  for (const run of allGoing()) {
    await run.refreshChanges();
    run.slots.look();
    run.changed();
  }
}
