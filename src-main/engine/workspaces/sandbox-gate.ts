import { EngineRefusal } from "../engine-errors.ts";
import type { Run } from "../ports.ts";

/** Before any command runs where nothing holds it in, a person says in so many words that it may. */
export async function holdInSandbox(run: Run): Promise<void> {
  const { isolation } = await run.sandbox();
  if (isolation.kind !== "none" || isolation.allowed) return;
  const decision = await run.inbox.ask(
    `${run.id}/sandbox`,
    () => ({ kind: "sandbox", description: isolation.description }),
    run.runEnded.signal,
  );
  if (decision.kind !== "approve") {
    run.dispatch({
      kind: "Error",
      reason: "Commands of agents would run without a sandbox, and that was not allowed.",
      remedy:
        "Install bubblewrap (the program bwrap) or let this system give it user namespaces, as `hox doctor` says, and start the run again.",
    });
    return;
  }
  await run.allowUnsandboxed?.();
  if (!(await run.sandbox()).isolation.allowed)
    throw new EngineRefusal(
      "The permission to run commands without a sandbox could not be kept.",
      "Allow it in the settings, then retry.",
    );
}
