#!/usr/bin/env node
import { join } from "node:path";
import { handOver } from "./hand-over.mjs";
import { project, sayOnStderr, setUp } from "./setup/set-up.mjs";

async function soak() {
  const { node } = await setUp();
  if (!node.path) throw new Error(`${node.note}. ${node.remedy}`);
  return handOver(node.path, [join(project, "bench", "soak", "main.ts"), ...process.argv.slice(2)], {
    cwd: project,
  });
}

process.exit(
  await soak().catch((error) => {
    sayOnStderr(error.message);
    return 1;
  }),
);
