#!/usr/bin/env node
import { join } from "node:path";
import { handOver } from "./hand-over.mjs";
import { project, sayOnStderr, setUp } from "./setup/set-up.mjs";
import { buildIfNeeded } from "./stamped-build.mjs";

async function bench() {
  const { node } = await setUp();
  if (!node.path) throw new Error(`${node.note}. ${node.remedy}`);
  // Some benchmarks measure the whole app, as it is built.
  await buildIfNeeded(node.path, sayOnStderr);
  return handOver(node.path, [join(project, "bench", "run.ts"), ...process.argv.slice(2)], { cwd: project });
}

process.exit(
  await bench().catch((error) => {
    sayOnStderr(error.message);
    return 1;
  }),
);
