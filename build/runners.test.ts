import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { longest, timedByPlaywright, timedByVitest } from "./durations.mjs";
import { countPlaywright, countVitest, judged } from "./runners.mjs";

const project = fileURLToPath(new URL("..", import.meta.url));

describe("test runner", () => {
  it("passes when its report and its exit code both say so", () => {
    expect(judged({ passed: 3, failed: 0 }, 0)).toEqual({ passed: 3, failed: 0 });
    expect(judged({ passed: 3, failed: 2 }, 1)).toEqual({ passed: 3, failed: 2 });
  });

  it("fails when it crashed, wrote no report or ran nothing", () => {
    expect(judged({ passed: 3, failed: 0 }, 1).failed).toBe(1);
    expect(judged(undefined, 0).failed).toBe(1);
    expect(judged(undefined, 137).failed).toBe(1);
    expect(judged({ passed: 0, failed: 0 }, 0).failed).toBe(1);
  });

  it("writes a report of where its time went, also for a retried test", () => {
    const vitest = timedByVitest({
      testResults: [
        { name: "a.test.ts", assertionResults: [{ fullName: "one", duration: 500 }] },
        {
          name: "b.test.ts",
          assertionResults: [{ fullName: " two", duration: 2_000 }, { fullName: "skipped" }],
        },
      ],
    });
    expect(longest(vitest, ({ file }) => file)).toEqual([
      ["b.test.ts", 2],
      ["a.test.ts", 0.5],
    ]);
    const browser = timedByPlaywright({
      suites: [
        {
          suites: [
            {
              specs: [
                {
                  file: "c.spec.ts",
                  title: "three",
                  tests: [{ results: [{ duration: 60_000 }, { duration: 5_000 }] }],
                },
              ],
            },
          ],
        },
      ],
    });
    expect(longest(browser, ({ title }) => title)).toEqual([["three", 65]]);
  });

  it("counts files that do not load and errors outside tests as failures", () => {
    const vitest = {
      numPassedTests: 4,
      numFailedTests: 1,
      testResults: [
        {
          name: "a.test.ts",
          status: "failed",
          assertionResults: [
            { fullName: "one", status: "failed", failureMessages: ["\u001b[31mno\u001b[39m"] },
          ],
        },
        { name: "b.test.ts", status: "failed", assertionResults: [], message: "cannot be loaded" },
        { status: "passed", assertionResults: [{ status: "passed", failureMessages: [] }] },
      ],
    };
    const failures = ["a.test.ts: one\n  no", "b.test.ts\n  cannot be loaded"];
    expect(countVitest(vitest)).toEqual({ passed: 4, failed: 2, failures });
    const playwright = {
      stats: { expected: 5, flaky: 1, unexpected: 2, skipped: 0 },
      errors: [{}],
      suites: [
        {
          suites: [
            {
              specs: [
                {
                  file: "c.spec.ts",
                  title: "two",
                  tests: [{ results: [{ errors: [{ message: "not there" }] }] }],
                },
              ],
            },
          ],
        },
      ],
    };
    expect(countPlaywright(playwright)).toEqual({
      passed: 5,
      failed: 4,
      failures: ["outside a test\n  no message", "c.spec.ts: two\n  not there"],
    });
  });

  it("counts a test that passed on retry as failed, as vitest reports it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hox-flaky-"));
    try {
      const report = join(folder, "report.json");
      await writeFile(
        join(folder, "one.test.mjs"),
        `import { expect, test } from ${JSON.stringify(import.meta.resolve("vitest"))};
         let tries = 0;
         test("sound", () => expect(1).toBe(1));
         test("the second time", () => expect(tries++).toBe(1));`,
      );
      const vitest = join(project, "node_modules/vitest/vitest.mjs");
      const args = ["run", "--root", folder, "--retry=1", "--reporter=json", `--outputFile=${report}`];
      await promisify(execFile)(process.execPath, [vitest, ...args], { cwd: project });
      expect(countVitest(JSON.parse(await readFile(report, "utf8")))).toMatchObject({ passed: 1, failed: 1 });
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

// Windows has no such signal to send.
it.skipIf(process.platform === "win32")("stops all parallel programs when it is interrupted", async () => {
  const run = JSON.stringify(new URL("./setup/run-program.mjs", import.meta.url).href);
  const inner = JSON.stringify("console.log('up', process.pid); setInterval(() => {}, 1000)");
  const script = `import { run } from ${run};
    const one = () => run(process.execPath, ["-e", ${inner}], { show: true });
    await Promise.all([one(), one()]);`;
  const both = spawn(process.execPath, ["--input-type=module", "-e", script], { cwd: project });
  let output = "";
  const started = new Promise<number[]>((resolve) =>
    both.stderr.on("data", (bytes) => {
      output += bytes;
      const pids = [...output.matchAll(/up (\d+)\n/gu)].map(([, pid]) => Number(pid));
      if (pids.length === 2) resolve(pids);
    }),
  );
  const pids = await started;
  const ended = new Promise<number | null>((resolve) => both.once("close", resolve));
  both.kill("SIGINT");
  expect(await ended).toBe(130);
  for (const pid of pids) await expect.poll(() => isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("a program run in our place", () => {
  const handOver = JSON.stringify(new URL("./hand-over.mjs", import.meta.url).href);

  function start(inner: string) {
    const script = `import { handOver } from ${handOver};
      process.exit(await handOver(process.execPath, ["-e", ${JSON.stringify(inner)}]));`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
    });
    let output = "";
    child.stdout.on("data", (bytes) => {
      output += bytes;
    });
    const ended = new Promise<number | null>((resolve) => child.once("close", (code) => resolve(code)));
    const waitForOutput = (word: string) =>
      new Promise<void>((resolve) => child.stdout.on("data", () => output.includes(word) && resolve()));
    return { child, ended, waitForOutput, output: () => output };
  }

  it("writes to our output and ends us with its exit code", async () => {
    const { ended, output } = start("console.log('only this'); process.exit(7)");
    expect(await ended).toBe(7);
    expect(output()).toBe("only this\n");
  });

  it("receives our signals, and reports the signal that ended it", async () => {
    const polite = start(
      "process.on('SIGTERM', () => process.exit(5)); console.log('up'); setInterval(() => {}, 1000)",
    );
    await polite.waitForOutput("up");
    polite.child.kill("SIGTERM");
    expect(await polite.ended).toBe(5);
    const rude = start("console.log('up'); setInterval(() => {}, 1000)");
    await rude.waitForOutput("up");
    rude.child.kill("SIGTERM");
    expect(await rude.ended).toBe(143);
  });
});
