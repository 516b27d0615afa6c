#!/usr/bin/env node
// Where the time of the last `npm test` went, from the reports that its runners left.
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { longest, timedByPlaywright, timedByVitest } from "./durations.mjs";
import { project, sayOnStderr } from "./setup/set-up.mjs";
import { reportFile } from "./steps.mjs";

const runners = { vitest: timedByVitest, browser: timedByPlaywright };

for (const [name, timed] of Object.entries(runners)) {
  const file = reportFile(name);
  if (!existsSync(file)) {
    sayOnStderr(`${relative(project, file)} does not exist: run \`npm test\` first`);
    process.exitCode = 1;
    continue;
  }
  const tests = timed(JSON.parse(readFileSync(file, "utf8")));
  const table = (
    /** @type {(test: import("./durations.mjs").Timed) => string} */ by,
    /** @type {number} */ rows,
  ) => {
    for (const [what, seconds] of longest(tests, by).slice(0, rows))
      process.stdout.write(`${seconds.toFixed(1).padStart(8)} s  ${what.replace(project, "")}\n`);
  };
  process.stdout.write(`\n${name}: the longest files\n`);
  table(({ file }) => file, 15);
  process.stdout.write(`\n${name}: the longest tests\n`);
  table(({ title }) => title, 25);
}
