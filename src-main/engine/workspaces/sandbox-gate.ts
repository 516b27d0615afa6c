import { EngineRefusal } from "../engine-errors.ts";
import type { Run } from "../ports.ts";

/** Without a sandbox, no command runs before the user explicitly allows it. */
export async function requireSandbox(run: Run): Promise<void> {
  const { isolation } = await run.sandbox();
  if (isolation.kind !== "none" || isolation.allowed) return;
  const decision = await run.inbox.ask(`${run.id}/sandbox`, () => ({
    kind: "sandbox",
    description: isolation.description,
  }));
  if (decision.kind !== "approve") {
    run.dispatch({
      kind: "Error",
      reason: "Agents' commands would run without a sandbox, and you have not allowed that.",
      remedy:
        "Install bubblewrap (the program bwrap) or allow it user namespaces (see `hox doctor`), then start the run again.",
    });
    return;
  }
  await run.allowUnsandboxed?.();
  if (!(await run.sandbox()).isolation.allowed)
    throw new EngineRefusal(
      "The permission to run commands without a sandbox could not be saved.",
      "Allow it in the settings, then retry.",
    );
}
