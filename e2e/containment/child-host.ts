/**
 * A host of its own for one attack, so that it can be killed, started with an inherited descriptor, or given a secret.
 * `child-host.ts <json>` runs a command, finds a folder's checks, or writes one file over and over.
 */
import { createCheckRunner } from "../../src-main/checks/check-runner.ts";
import { createSandbox } from "../../src-main/tools/sandbox/sandbox.ts";
import { workspaceFiles } from "../../src-main/tools/workspace-files.ts";
import type { ChildTask } from "./start-child-host.ts";

const task = JSON.parse(process.argv[2] ?? "") as ChildTask;
const { workspace } = task;
const signal = new AbortController().signal;

if (task.kind === "command") {
  const sandbox = await createSandbox({ allowUnsandboxed: false });
  const { command, timeoutMs = 30_000 } = task;
  const result = await sandbox.run({ command, workspace, environment: {}, timeoutMs, signal });
  process.stdout.write(`${JSON.stringify(result)}\n`);
} else if (task.kind === "checks") {
  const runner = createCheckRunner({
    sandbox: await createSandbox({ allowUnsandboxed: false }),
    fastChecks: null,
    slowChecks: null,
    timeoutSeconds: 3,
  });
  const results = await runner.run({ workspace, iteration: 1, all: true, signal, environment: {} });
  process.stdout.write(`${JSON.stringify(results.map(({ command, outcome }) => ({ command, outcome })))}\n`);
} else {
  const files = workspaceFiles({ workspace });
  for (let again = 0; ; again++) await files.writeText("large.txt", `${again} `.repeat(400_000));
}
