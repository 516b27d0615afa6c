/**
 * `main.ts [--only <name>]… [--list] [--keep] [--hox <program> <argument>…]`: walks through the projects one after the
 * other and writes a JSON line for each; with `--runners [--record]` it tries small projects with real test runners. `build/real.mjs` starts it and makes the table.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { cacheFolder } from "../../src-main/config/state-folder.ts";
import { projects } from "./projects/projects.ts";
import { tryRunners } from "./runners.ts";
import { walk } from "./walk.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true, default: [] },
    list: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    runners: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
  },
});
if (values.runners) {
  const wrong = await tryRunners({
    record: values.record,
    only: values.only,
    say: (line) => void process.stderr.write(`  ${line}\n`),
  });
  process.exit(wrong > 0 ? 1 : 0);
}
const unknown = values.only.filter((name) => !projects.some((one) => one.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `There is no project ${unknown.join(", ")}. There are: ${projects.map(({ name }) => name).join(", ")}.\n`,
  );
  process.exit(2);
}
const [program, ...args] = positionals;
if (program === undefined) throw new Error("Say how hox is started, after --.");
let hasEnded = false;
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    hasEnded = true;
    process.exitCode = 130;
  });
for (const project of projects) {
  // Runs in progress get the same signal, and close first.
  if (hasEnded) break;
  if (values.only.length > 0 && !values.only.includes(project.name)) continue;
  if (values.list) {
    const { name, language, shows, archive, goal } = project;
    process.stdout.write(`${JSON.stringify({ name, language, shows, archive, goal })}\n`);
    continue;
  }
  process.stderr.write(`\n${project.name}\n`);
  const answer = await walk(project, {
    cache: join(cacheFolder(), "real"),
    command: [program, ...args],
    keep: values.keep,
    say: (line) => void process.stderr.write(`  ${line}\n`),
  });
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
