/**
 * The program that a host gives to machines: `worker join` and what it needs, in one file. The same file is its worker thread,
 * which reads texts of others.
 */
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";
// Files inside sandboxes; a program in one file has no folder beside it.
import forwarder from "../resources/sandbox/loopback-forwarder.mjs?raw";
import { runRows } from "./cli/run-rows.ts";
import { startCommand } from "./cli/start-command.ts";
import { joinRows } from "./cli/workers/join-rows.ts";
import { writeFileAtomically } from "./config/atomic-file.ts";
import { defaultStateFolder } from "./config/state-folder.ts";
import runner from "./external-agents/runner/runner-main.ts?program";
import { machineProtocol } from "./places/machine-contract.ts";
import { findLines } from "./worker-thread/find-lines.ts";
import { serveJobs } from "./worker-thread/serve-jobs.ts";

if (isMainThread) {
  const resources = join(defaultStateFolder(), "worker", `resources-${machineProtocol}`);
  await writeFileAtomically(join(resources, "sandbox", "loopback-forwarder.mjs"), forwarder);
  await writeFileAtomically(join(resources, "runner", "runner.js"), runner);
  // How Node reads it.
  await writeFileAtomically(join(resources, "runner", "package.json"), '{"type":"module"}');
  process.env.HOX_RESOURCES = resources;
  await startCommand((args) => runRows(joinRows, `worker ${machineProtocol}`, args));
} else serveJobs({ findLines });
