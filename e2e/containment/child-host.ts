/**
 * A separate host for one attack, so that it can be killed, started with an inherited descriptor, or given a secret.
 * `child-host.ts <json>` runs a command, finds a folder's checks, or writes one file over and over.
 */
import { createCheckRunner } from "../../src-main/checks/check-runner.ts";
import { createSandbox } from "../../src-main/tools/sandbox/sandbox.ts";
import { workspaceFiles } from "../../src-main/tools/workspace-files.ts";
import { readers } from "./readers.ts";
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
} else if (task.kind === "read") {
  // While it reads, the host does everything else: how long it had to wait at most shows whether it could.
  let last = performance.now();
  let longest = 0;
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 50);
  const read = await Promise.resolve()
    .then((): unknown => readers[task.reader](workspace))
    .catch((error: unknown) => `refused: ${error instanceof Error ? error.message : String(error)}`);
  look();
  clearInterval(timer);
  const text = (JSON.stringify(read) ?? "nothing").slice(0, 4_000);
  process.stdout.write(`${text}\nWAITED ${Math.round(longest)}\n`);
} else {
  const files = workspaceFiles({ workspace });
  for (let again = 0; ; again++) await files.writeText("large.txt", `${again} `.repeat(400_000));
}
