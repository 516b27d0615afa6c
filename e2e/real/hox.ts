/** `hox` at a terminal, as a user of a project runs it. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { RunView } from "../../src-shared/contract/views/run.ts";
import { ownEnvironment, type Surroundings } from "./repository.ts";

/** A line of its output. */
export type Line = Readonly<Record<string, unknown>>;

/** How `hox` is started: the program and its first arguments. */
export type HoxCommand = readonly [string, ...string[]];

/** What Hox compiled once is not compiled again for each of its commands. */
const compiled: Readonly<Record<string, string>> =
  process.env.NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE };

/** Runs `hox … --json` in a project. @returns its lines, but for the views of the run */
export async function hox(
  command: HoxCommand,
  args: readonly string[],
  { root, environment }: Surroundings,
  say: (line: string) => void,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly lines: readonly Line[]; readonly errors: string }> {
  const [program, ...first] = command;
  const child = spawn(program, [...first, ...args, "--json"], {
    cwd: root,
    env: { ...ownEnvironment(), ...environment, ...more, ...compiled },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const end = () => void child.kill("SIGTERM");
  process.once("SIGINT", end).once("SIGTERM", end);
  const ended = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 1)));
  let errors = "";
  child.stderr.on("data", (data: Buffer) => {
    errors = (errors + data.toString()).slice(-20_000);
    for (const line of data.toString().trim().split("\n")) say(line);
  });
  const lines: Line[] = [];
  const begun = performance.now();
  let shown = "";
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    // A view of the whole run comes with every step of it, and the last one says it all.
    if (line.kind !== "run" && line.kind !== "conversation" && line.kind !== "inbox") lines.push(line);
    if (line.kind === "notice" && line.level !== "info") say(String(line.text));
    if (line.kind !== "run") continue;
    const { stage } = line.run as RunView;
    if (stage !== shown) say(`${((performance.now() - begun) / 1000).toFixed(0)} s: ${stage}`);
    shown = stage;
  }
  const code = await ended;
  process.off("SIGINT", end).off("SIGTERM", end);
  return { code, lines, errors };
}
