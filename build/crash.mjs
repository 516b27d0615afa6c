#!/usr/bin/env node
import { join } from "node:path";
import { handOver } from "./hand-over.mjs";
import { project, sayOnStderr, setUp } from "./setup/set-up.mjs";

const { node } = await setUp();
if (!node.path) {
  sayOnStderr(`${node.note}. ${node.remedy}`);
  process.exit(1);
}
process.exit(
  await handOver(node.path, [
    join(project, "src-main/engine/testing/kill-everywhere.ts"),
    ...process.argv.slice(2),
  ]),
);
