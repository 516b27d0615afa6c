#!/usr/bin/env node
/**
 * `npm run -s test:agents [-- --only <agent>]… [--keep]`: installs agents of other makes into the cache, in the versions that
 * `hox doctor` names, and lets each work on tasks through Hox, in the sandbox, against a stand-in of its provider.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { hostArguments } from "./host-arguments.mjs";
import { isProgram } from "./setup/run-program.mjs";
import { project, sayOnStderr, setUp } from "./setup/set-up.mjs";
import { buildIfNeeded } from "./stamped-build.mjs";

/** @typedef {{ capability: string, worked: boolean, reason: string }} Seen */
/** @typedef {{ kind: "agent", agent: string, label: string, version: string, seen: readonly Seen[], impossible: string | null }} Tried */
/** @typedef {{ kind: "mixed", on: "host" | "worker", results: readonly { name: string, worked: boolean, reason: string }[] }} Mixed */

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    keep: { type: "boolean", default: false },
  },
});

/**
 * @param {readonly Tried[]} tried
 * @param {readonly string[]} capabilities
 */
function table(tried, capabilities) {
  const cell = (/** @type {Tried} */ { seen }, /** @type {string} */ name) => {
    const one = seen.find(({ capability }) => capability === name);
    if (!one) return "not seen";
    return `${one.worked ? "yes" : "NO"}${one.reason === "" ? "" : "*"}`;
  };
  const rows = [
    ["", ...tried.map(({ agent, version }) => `${agent} ${version}`)],
    ...capabilities.map((name) => [name, ...tried.map((one) => cell(one, name))]),
  ];
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  for (const row of rows)
    process.stdout.write(
      `${row
        .map((text, at) => text.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    );
  for (const { agent, seen } of tried)
    for (const { capability, worked, reason } of seen)
      if (reason !== "")
        process.stdout.write(`* ${agent}, ${capability}: ${worked ? "yes, " : "NO, "}${reason}\n`);
}

async function agents() {
  const parts = await setUp();
  for (const part of [parts.node, parts.jj, parts.git, parts.sandbox])
    if (!part.path || !isProgram(part.path)) throw new Error(`${part.note}. ${part.remedy}`);
  const node = parts.node.path ?? process.execPath;
  await buildIfNeeded(node, sayOnStderr);
  const only = values.only.flatMap((name) => ["--only", name]);
  const child = spawn(
    node,
    [
      ...[join(project, "e2e", "agents", "main.ts"), ...only, ...(values.keep ? ["--keep"] : [])],
      ...["--", node, ...hostArguments, join(project, "out", "main", "cli.js")],
    ],
    { cwd: project, stdio: ["ignore", "pipe", "inherit"] },
  );
  const end = () => void child.kill("SIGTERM");
  process.once("SIGINT", end).once("SIGTERM", end);
  const ended = new Promise((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  /** @type {(Tried | Mixed)[]} */
  const lines = [];
  /** @type {readonly string[]} */
  let capabilities = [];
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text);
    if (line.kind === "capabilities") capabilities = line.names;
    else lines.push(line);
  }
  const code = await ended;
  const all = lines.flatMap((line) => (line.kind === "agent" ? [line] : []));
  const tried = all.filter(({ impossible }) => impossible === null);
  if (tried.length > 0) table(tried, capabilities);
  for (const { impossible } of all) if (impossible !== null) process.stdout.write(`${impossible}\n`);
  const mixed = lines.flatMap((line) => (line.kind === "mixed" ? [line] : []));
  for (const { on, results } of mixed) {
    process.stdout.write(`\none run with all of them, ${on === "host" ? "on the host" : "on a worker"}\n`);
    for (const { name, worked, reason } of results)
      process.stdout.write(`${worked ? "yes" : "NO "}  ${name}${worked ? "" : `: ${reason}`}\n`);
  }
  const results = [...tried.flatMap(({ seen }) => seen), ...mixed.flatMap((line) => line.results)];
  const failed = results.filter(({ worked }) => !worked).length;
  process.stdout.write(`${results.length - failed} passed, ${failed} failed\n`);
  // Nothing was shown where no agent could be tried.
  return code || (failed > 0 || results.length === 0 ? 1 : 0);
}

process.exit(
  await agents().catch((error) => {
    sayOnStderr(error.message);
    return 1;
  }),
);
