import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const here = fileURLToPath(new URL(".", import.meta.url));

const row = (name: string, value: number): string =>
  `row({ name: ${JSON.stringify(name)}, value: ${value}, unit: "ms", reference: 2, hold: "≤ 9 ms", ok: true })`;

/** A benchmark of these statements. */
const bench = (...statements: readonly string[]): string => `
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { row } from "./row.ts";
export default { name: "planted", async *run() {\n${statements.join("\n")}\n} };
`;

const forever = "await new Promise((resolve) => setTimeout(resolve, 600_000));";

let folder: string;
let child: ChildProcess | undefined;
let output: { out: string; error: string };

/** The program as it is, among other benchmarks. */
function start(benches: Readonly<Record<string, string>>, ...names: readonly string[]): void {
  for (const file of ["run.ts", "row.ts", "bench-process.ts", "bench-program.ts"])
    cpSync(join(here, file), join(folder, file));
  for (const [name, text] of Object.entries(benches)) writeFileSync(join(folder, `${name}.bench.ts`), text);
  const reply = { out: "", error: "" };
  output = reply;
  child = spawn(process.execPath, [join(folder, "run.ts"), ...names], {
    env: { ...process.env, TMPDIR: join(folder, "temporary") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  child.stdout?.on("data", (text: Buffer) => (reply.out += text.toString()));
  child.stderr?.on("data", (text: Buffer) => (reply.error += text.toString()));
}

const rowsOf = (text: string): readonly unknown[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line): unknown => JSON.parse(line));

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hox-bench-test-"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  mkdirSync(join(folder, "temporary"));
});
afterEach(async () => {
  if (child?.exitCode === null && child.signalCode === null) {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  rmSync(folder, { recursive: true, force: true });
});

describe("npm run bench", () => {
  it("prints each number when it has been measured, for people and for programs", async () => {
    start({ one: bench(`yield ${row("the first", 3)};`, forever) });
    await expect.poll(() => output.out).toContain("\n{");
    expect(output.out).toMatch(
      /^what +measured +reference +ratio +to hold\nthe first +3\.00 ms +2\.00 ms +1\.50 × +≤ 9 ms +holds\n\{/u,
    );
    expect(rowsOf(output.out)).toEqual([
      { name: "the first", value: 3, unit: "ms", reference: 2, ratio: 1.5, hold: "≤ 9 ms", ok: true },
    ]);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "ends at %s with what was measured, and leaves neither program nor folder",
    async (signal, code) => {
      start({
        one: bench(`yield ${row("measured", 1)};`),
        two: bench(
          'mkdtempSync(join(tmpdir(), "hox-planted-"));',
          'const { pid } = spawn(process.execPath, ["--eval", "setTimeout(() => {}, 600000)"], { stdio: "ignore" });',
          'yield row({ name: "process", value: pid, unit: "pid", hold: "shown", ok: true });',
          forever,
        ),
        zero: bench(`yield ${row("never", 1)};`),
      });
      await expect.poll(() => rowsOf(output.out).length).toBe(2);
      const [, { value: pid }] = rowsOf(output.out) as [unknown, { value: number }];
      expect(lives(pid)).toBe(true);
      child?.kill(signal);
      expect(await once(child as ChildProcess, "close")).toEqual([code, null]);
      expect(rowsOf(output.out)).toHaveLength(2);
      expect(output.error).toContain("bench: stopped while two was measured");
      expect(lives(pid)).toBe(false);
      expect(readdirSync(join(folder, "temporary"))).toEqual([]);
    },
  );

  it("continues with the next benchmark when one fails, and exits with 1", async () => {
    start({
      broken: bench(`yield ${row("before", 1)};`, 'throw new Error("The ground is not level.");'),
      sound: bench(`yield ${row("after", 2)};`),
    });
    expect(await once(child as ChildProcess, "close")).toEqual([1, null]);
    expect(rowsOf(output.out)).toMatchObject([{ name: "before" }, { name: "after" }]);
    expect(output.error).toMatch(/bench: broken broke: Error: The ground is not level\.\n +at /u);
  });

  it("says which there are when one is asked for that there is not", async () => {
    start({ one: bench(), two: bench() }, "three");
    expect(await once(child as ChildProcess, "close")).toEqual([2, null]);
    expect(output.error).toBe('There is no benchmark "three". There are: one, two.\n');
  });
});
