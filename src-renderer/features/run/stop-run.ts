import { client } from "../../client.ts";
import { confirm } from "../../kit/dialog.tsx";
import { useHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";

/** Ends the run on screen for good, after a yes. */
export async function stopRun(): Promise<void> {
  const isWatch = useHost.getState().run?.isWatch === true;
  const yes = await confirm({
    title: isWatch ? "Stop reviewing your agents?" : "Stop this run?",
    body: isWatch
      ? "The comments are kept. You can turn it on again in the settings, under Archangels."
      : "The work of all agents is saved in the graph first. A stopped run cannot be resumed. To continue later, pause it instead.",
    action: isWatch ? "Stop reviewing" : "Stop the run",
    danger: true,
  });
  if (yes) await attempt("The run was not stopped", () => client.run.stop());
}
