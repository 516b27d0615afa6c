import { client } from "../../client.ts";
import { confirm } from "../../kit/confirm.tsx";
import { attempt } from "../../state/notice-store.ts";

/** Ends the run on screen for good, after a yes. */
export async function stopRun(): Promise<void> {
  const yes = await confirm({
    title: "Stop this run?",
    body: "The work of every agent is saved in the graph first. A stopped run does not go on; pause it instead if it should.",
    action: "Stop the run",
    danger: true,
  });
  if (yes) await attempt("The run was not stopped", () => client.run.stop());
}
