import { type ChildProcess, spawn } from "node:child_process";
import { access, chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { toolPath } from "../config/tools.ts";
import { eventually } from "../testing/kit.ts";
import { exitCode } from "./command-line.ts";

const entry = fileURLToPath(new URL("../cli.ts", import.meta.url));
let folder: string;
let children: ChildProcess[] = [];

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hox-interrupt-")));
});
afterEach(() => {
  for (const child of children) child.kill("SIGKILL");
  children = [];
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/** `hox`; from when `hang` is called on its jj does nothing any more. */
const hox = (...args: string[]) => start(args, false);

/** @param hangs whether its jj does nothing from the start */
async function start(args: readonly string[], hangs: boolean) {
  const name = join(folder, `jj-${Math.random().toString(36).slice(2)}`);
  if (hangs) await writeFile(`${name}.hangs`, "");
  await writeFile(
    name,
    `#!/bin/sh\n[ -e "$0.hangs" ] && { touch "$0.hung"; exec sleep 60; }\nexec "${toolPath("jj")}" "$@"\n`,
  );
  await chmod(name, 0o755);
  const child = spawn(process.execPath, [entry, ...args], {
    cwd: folder,
    env: {
      ...process.env,
      HOX_STATE: join(folder, "state"),
      HOX_RENDERER: folder,
      HOX_JJ: name,
      ANTHROPIC_API_KEY: "",
      npm_lifecycle_event: "",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (data: Buffer) => {
      output += data.toString();
    });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const waitForOutput = (words: RegExp) =>
    eventually(() => {
      const found = words.exec(output);
      if (!found) throw new Error(`It has not said ${words}:\n${output}`);
      return found;
    });
  return {
    child,
    ended,
    waitForOutput,
    output: () => output,
    hang: () => writeFile(`${name}.hangs`, ""),
    /** Resolves when a jj hangs. */
    hangs: () => eventually(() => access(`${name}.hung`)),
  };
}

test("the first Ctrl-C says what is waited for, a second one ends at once, and an interrupted run resumes", async () => {
  const run = await hox("run", "--rehearsal", "profiles", "--pace", "500");
  const [, root = ""] = await run.waitForOutput(/^Repository: (.+)$/mu);
  await run.waitForOutput(/O-A-1 +thinking/u);
  await run.hang();
  run.child.kill("SIGINT");
  // Twice at once, as npm and the terminal do it: that is no impatience.
  run.child.kill("SIGINT");
  const [line] = await run.waitForOutput(/^Saving .*$/mu);
  expect(line).toMatch(/work of O-A-1.*Ctrl-C again/u);
  await pause(700);
  expect(run.child.exitCode).toBeNull();
  const asked = performance.now();
  run.child.kill("SIGINT");
  expect(await run.ended, run.output()).toBe(130);
  // Long before its jj would end.
  expect(performance.now() - asked).toBeLessThan(50_000);
  expect(run.output()).toContain("Quit immediately");

  const again = await hox("run", "--repo", root, "--json", "--pace", "500");
  const [, text = ""] = await again.waitForOutput(/^(\{"kind":"run".*\})$/mu);
  expect(JSON.parse(text)).toMatchObject({ run: { stage: "planning", rehearsal: "profiles" } });
  again.child.kill("SIGINT");
  expect(await again.ended, again.output()).toBe(exitCode.interrupted);
  expect(again.output()).toMatch(/^\{"kind":"ending","saving":\["O-A-1"\]/mu);
});

test("Ctrl-C works while a repository does not finish opening, and in hox serve", async () => {
  await mkdir(join(folder, "with-jj", ".jj"), { recursive: true });
  const begin = (...args: string[]) => start([...args, "--repo", join(folder, "with-jj")], true);
  const [run, serving] = await Promise.all([begin("run", "--goal", "x"), begin("serve")]);
  await Promise.all([run.hangs(), serving.hangs()]);
  for (const one of [run, serving]) one.child.kill("SIGINT");
  await Promise.all([run, serving].map((one) => one.waitForOutput(/^Saving.*Ctrl-C again.*$/mu)));
  await pause(700);
  for (const one of [run, serving]) one.child.kill("SIGINT");
  for (const one of [run, serving]) {
    expect(await one.ended, one.output()).toBe(130);
    expect(one.output()).toContain("Quit immediately");
  }
});
