#!/usr/bin/env node
import { describeParts, setUp, shortcomings } from "./setup/set-up.mjs";

const parts = await setUp({ fetchAgain: true }).catch((error) => {
  process.stderr.write(`hox: ${error.message}\n`);
  process.exit(1);
});
for (const line of describeParts(parts)) process.stdout.write(`${line}\n`);
for (const line of shortcomings(parts)) process.stdout.write(`  ${line}\n`);
// Without these nothing at all can be done.
process.exit(parts.node.found && parts.jj.found ? 0 : 1);
