#!/usr/bin/env node
/**
 * `npm run -s test:containment [-- --case <name>] [--tries n] [--short] [--json] [--mutants]`: tries to break out of a workspace in
 * every way that the suite knows, as the user that starts it and, when that is root, as an ordinary user too. Then it makes
 * one hole after the other in the host's code (in memory), and the named cases have to notice each; `--mutants` does that alone.
 */
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { cacheFolder } from "./setup/cache-folder.mjs";
import { isProgram, onPath, run } from "./setup/run-program.mjs";
import { project, sayOnStderr, setUp } from "./setup/set-up.mjs";

/** @typedef {{ family: string, case: string, source: string, tried: number, refused: number, bounded: number, failed: number, messages: readonly string[], impossible: string | null }} Tally */
/** @typedef {{ name: string, impossible: string | null, tallies: Map<string, Tally>, code: number }} Column */

/** @typedef {{ mutant: string, noticed: readonly string[], missed: readonly string[], impossible: readonly string[] }} Noticed */

const main = join(project, "e2e", "containment", "main.ts");
const mutantRunner = join(project, "e2e", "containment", "run-mutants.ts");
/** Nobody's, on every system that we know; nothing is made on the system for it. */
const ordinaryUser = 65534;
const { values } = parseArgs({
  options: {
    case: { type: "string", multiple: true, default: [] },
    tries: { type: "string" },
    short: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    mutants: { type: "boolean", default: false },
  },
});
const passed = [
  ...values.case.flatMap((name) => ["--case", name]),
  ...(values.tries === undefined ? [] : ["--tries", values.tries]),
  ...(values.short ? ["--short"] : []),
];

/**
 * A home, a cache and a folder for temporary files that are a user's own.
 * @param {import("./setup/set-up.mjs").Parts} parts
 * @param {number | null} user
 */
async function surroundings(parts, user) {
  const folder = mkdtempSync(join(tmpdir(), "hox-tries-"));
  const home = join(folder, "home");
  const cache = join(folder, "cache", "hox");
  for (const made of [home, cache, join(folder, "tmp")]) mkdirSync(made, { recursive: true });
  const jj = user === null ? (parts.jj.path ?? "") : readableJj(parts.jj.path ?? "", cache);
  if (user !== null) {
    const { code, output } = await run("chown", ["-R", `${user}:${user}`, folder]);
    if (code !== 0) throw new Error(`${folder} could not be given to the user ${user}: ${output}`);
  }
  const { PATH, LANG } = process.env;
  return {
    folder,
    environment: {
      ...{ PATH, LANG, HOME: home, TMPDIR: join(folder, "tmp"), XDG_CACHE_HOME: join(folder, "cache") },
      ...{ HOX_JJ: jj, HOX_NODE: parts.node.path, HOX_GIT: parts.git.path, HOX_SANDBOX: parts.sandbox.path },
    },
  };
}

/**
 * jj where another user can start it: what set-up fetched stands in a home folder that is closed to others.
 * @param {string} path
 * @param {string} cache
 */
function readableJj(path, cache) {
  const own = cacheFolder();
  if (!path.startsWith(own)) return path;
  cpSync(join(own, "tools"), join(cache, "tools"), { recursive: true, verbatimSymlinks: true });
  const copy = path.replace(own, cache);
  const text = readFileSync(copy, "latin1");
  // A package that was unpacked is started by a script that names its folder.
  if (text.startsWith("#!")) writeFileSync(copy, text.replaceAll(own, cache), "latin1");
  return copy;
}

/**
 * @param {string} name
 * @param {import("./setup/set-up.mjs").Parts} parts
 * @param {number | null} user
 * @returns {Promise<Column>}
 */
async function column(name, parts, user) {
  const node = parts.node.path ?? process.execPath;
  const { folder, environment } = await surroundings(parts, user);
  /** @type {readonly string[]} */
  const become = user === null ? [] : [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
  const setpriv = onPath(["setpriv"]);
  try {
    if (user !== null) {
      const none = { name, tallies: new Map(), code: 0 };
      if (!setpriv) return { ...none, impossible: "setpriv, which is needed to switch users, was not found" };
      const tried = await run(setpriv, [...become, node, "--check", main], { env: environment });
      if (tried.code !== 0)
        return { ...none, impossible: `another user can't read ${project} or start ${node}` };
    }
    const args = [...(setpriv && user !== null ? [setpriv, ...become] : []), node, main, ...passed];
    const [program = node, ...rest] = args;
    const child = spawn(program, rest, {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const end = () => void child.kill("SIGTERM");
    process.once("SIGINT", end).once("SIGTERM", end);
    const ended = new Promise((resolve) => child.once("close", resolve));
    /** @type {Map<string, Tally>} */
    const tallies = new Map();
    for await (const line of createInterface({ input: child.stdout })) {
      /** @type {Tally} */
      const tally = JSON.parse(line);
      tallies.set(tally.case, tally);
      sayOnStderr(`${name}: ${tally.case}: ${cell(tally)}`);
    }
    const code = await ended;
    process.off("SIGINT", end).off("SIGTERM", end);
    return { name, impossible: null, tallies, code: typeof code === "number" ? code : 1 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {Tally | undefined} tally */
function cell(tally) {
  if (!tally) return "not tried";
  const { tried, refused, bounded, failed, messages, impossible } = tally;
  if (impossible !== null) return `not possible here: ${impossible}`;
  if (failed > 0) return `FAILED ${failed}/${tried}: ${messages.join("; ").replaceAll("\n", " ")}`;
  const held = [
    ...(refused > 0 ? [`refused ${refused}/${tried}`] : []),
    ...(bounded > 0 ? [`bounded ${bounded}/${tried}: ${messages.at(-1)}`] : []),
  ];
  return held.join(", ");
}

/** @param {readonly Column[]} columns */
function table(columns) {
  const rows = new Map(columns.flatMap(({ tallies }) => [...tallies]));
  const families = new Set([...rows.values()].map(({ family }) => family));
  const width = Math.max(4, ...[...rows.keys()].map((name) => name.length));
  const first = columns[0];
  const firstCell = (/** @type {string} */ name) =>
    first?.impossible ? `not possible here: ${first.impossible}` : cell(first?.tallies.get(name));
  const wide = Math.min(60, Math.max(...[...rows.keys()].map((name) => firstCell(name).length), 8));
  const line = (/** @type {readonly string[]} */ [name = "", source = "", ...cells]) =>
    `${name.padEnd(width)}  ${source.padEnd(10).slice(0, 10)}  ${cells.map((one, index) => (index < cells.length - 1 ? one.padEnd(wide) : one)).join("  ")}\n`;
  process.stdout.write(line(["case", "source", ...columns.map(({ name }) => name)]));
  for (const family of families) {
    process.stdout.write(`\n${family}\n`);
    for (const [name, tally] of rows)
      if (tally.family === family)
        process.stdout.write(
          line([
            name,
            tally.source,
            ...columns.map((one) =>
              one.impossible ? `not possible here: ${one.impossible}` : cell(one.tallies.get(name)),
            ),
          ]),
        );
  }
  process.stdout.write("\n");
  for (const { name, impossible, tallies } of columns) {
    const all = [...tallies.values()];
    const sum = (/** @type {(tally: Tally) => number} */ of) =>
      all.reduce((total, tally) => total + of(tally), 0);
    process.stdout.write(
      impossible
        ? `${name}: not possible here: ${impossible}\n`
        : `${name}: ${all.length} cases, ${sum(({ tried }) => tried)} tried, ${sum(({ refused }) => refused)} refused, ${sum(({ bounded }) => bounded)} bounded, ${sum(({ failed }) => failed)} failed, ${sum((tally) => (tally.impossible === null ? 0 : 1))} not possible here\n`,
    );
  }
}

/**
 * Whether every hole is noticed by the cases that have to.
 * @param {import("./setup/set-up.mjs").Parts} parts
 */
async function triesMutants(parts) {
  const { folder, environment } = await surroundings(parts, null);
  try {
    const child = spawn(parts.node.path ?? process.execPath, [mutantRunner], {
      cwd: folder,
      env: environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => child.once("close", resolve));
    let made = 0;
    let missed = 0;
    for await (const line of createInterface({ input: child.stdout })) {
      /** @type {Noticed} */
      const one = JSON.parse(line);
      made += 1;
      if (one.missed.length > 0) missed += 1;
      if (values.json) process.stdout.write(`${line}\n`);
      else process.stdout.write(mutantLine(one));
    }
    if (!values.json)
      process.stdout.write(`mutants: ${made} made, ${made - missed} noticed, ${missed} not noticed\n`);
    return (await ended) === 0 && missed === 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {Noticed} noticed */
function mutantLine({ mutant, noticed, missed, impossible }) {
  const messages = [
    ...missed.map((one) => `NOT NOTICED by ${one}`),
    ...noticed.map((one) => `noticed by ${one.split(":", 1)[0]}`),
    ...impossible.map((one) => `not possible here: ${one}`),
  ];
  return `mutant ${mutant}: ${messages.join("; ").replaceAll("\n", " ")}\n`;
}

async function containment() {
  if (process.platform !== "linux") {
    process.stdout.write(`not possible here: the suite tests Linux, and this is ${process.platform}\n`);
    return 0;
  }
  const parts = await setUp();
  for (const part of [parts.node, parts.jj, parts.sandbox])
    if (!part.path || !isProgram(part.path) || !existsSync(main))
      throw new Error(`${part.note}. ${part.remedy}`);
  if (values.mutants) return (await triesMutants(parts)) ? 0 : 1;
  const isRoot = process.getuid?.() === 0;
  const columns = await Promise.all(
    isRoot
      ? [column("as root", parts, null), column("as user", parts, ordinaryUser)]
      : [
          Promise.resolve({
            name: "as root",
            impossible: "it was not started as root",
            tallies: new Map(),
            code: 0,
          }),
          column("as user", parts, null),
        ],
  );
  if (values.json)
    for (const { name, tallies } of columns)
      for (const tally of tallies.values())
        process.stdout.write(`${JSON.stringify({ user: name.replace("as ", ""), ...tally })}\n`);
  else table(columns);
  const broke = columns.find(({ code }) => code !== 0);
  if (broke) return broke.code;
  const isNoticed = values.case.length > 0 || (await triesMutants(parts));
  return columns.some(({ tallies }) => [...tallies.values()].some(({ failed }) => failed > 0)) || !isNoticed
    ? 1
    : 0;
}

process.exit(
  await containment().catch((error) => {
    sayOnStderr(error.message);
    return 1;
  }),
);
