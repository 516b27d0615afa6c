#!/usr/bin/env node
import { join } from "node:path";
import { handOver, invocationFolder } from "./hand-over.mjs";
import { hostArguments } from "./host-arguments.mjs";
import { project, sayOnStderr, setUp } from "./setup/set-up.mjs";
import { buildIfNeeded } from "./stamped-build.mjs";

async function hox() {
  const { node } = await setUp();
  if (!node.path) throw new Error(`${node.note}. ${node.remedy}`);
  await buildIfNeeded(node.path, sayOnStderr);
  const command = join(project, "out", "main", "cli.js");
  return handOver(node.path, [...hostArguments, command, ...process.argv.slice(2)], {
    cwd: invocationFolder(),
  });
}

process.exit(
  await hox().catch((error) => {
    sayOnStderr(error.message);
    return 1;
  }),
);
