import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { trustRepositoryConfig } from "../config/write-settings.ts";
import {
  acceptsMergeRequests,
  done,
  exampleFiles,
  plan,
  vote,
  write,
} from "../engine/testing/three-agents-script.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import type { Scene } from "../model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../model/stand-in/stand-in.ts";
import { eventually, tempDir } from "../testing/kit.ts";
import { exitCode } from "./command-line.ts";

const entry = fileURLToPath(new URL("../cli.ts", import.meta.url));
let folder: string;
let repo: TestRepository;
let standIn: StandIn;
let working: ChildProcess | null = null;

const planned = (file: string): Scene => ({
  name: `plans ${file}`,
  prompt: (seen) => seen.prompt.includes("[EVENT plan") && seen.prompt.includes(`Write ${file}`),
  steps: [
    {
      calls: [
        {
          tool: "propose_plan",
          input: {
            ...plan,
            contracts: { ...plan.contracts, files: [] },
            tasks: [{ ...plan.tasks[0], id: file, title: `Write ${file}`, files: [`src/${file}.txt`] }],
          },
        },
      ],
    },
  ],
});

/** Many short steps, so that a host is killed among them. */
const works = (file: string): Scene => ({
  name: `writes ${file}`,
  prompt: `Write ${file}`,
  steps: [
    ...Array.from({ length: 150 }, (_, at) => write(`src/${file}.txt`, `draft ${at}\n`)),
    write(`src/${file}.txt`, `the ${file}\n`),
    done(`The ${file} is written.`),
  ],
});

beforeEach(async () => {
  folder = tempDir();
  repo = await createTestRepository({
    files: {
      ...exampleFiles,
      ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}\n[workflow]\ncontracts = "off"\nlearning = "off"\npanel = "off"\n\n[loop_defaults]\nmax_turns = 400\n`,
    },
  });
  await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
  await trustRepositoryConfig(join(folder, "state"), repo.repository.root);
  standIn = await startStandIn({
    script: {
      name: "side by side",
      routes: {
        "O-*": [acceptsMergeRequests, planned("store"), planned("view")],
        "agent-*": [works("store"), works("view")],
        "integrator*": [{ name: "joins", steps: [done("All is together.")], optional: true }],
        "validator-*": vote("approve"),
      },
    },
    models: ["claude-sonnet-5-5"],
    pace: 60,
  });
});
afterEach(async () => {
  working?.kill("SIGKILL");
  working = null;
  await standIn.close();
  await repo.remove();
});

const environment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  HOX_STATE: join(folder, "state"),
  ANTHROPIC_API_KEY: standIn.apiKey,
  ANTHROPIC_BASE_URL: standIn.url,
  npm_lifecycle_event: "",
  NO_COLOR: "1",
});

async function hox(...args: readonly string[]) {
  const { root } = repo.repository;
  const ended = await execa(process.execPath, [entry, ...args], {
    cwd: root,
    reject: false,
    stdin: "ignore",
    env: environment(),
  });
  return { code: ended.exitCode, stdout: ended.stdout, stderr: ended.stderr };
}

interface Shown {
  readonly id: string;
  readonly root: string;
  readonly stage: string;
  readonly paused: string;
  readonly workers: readonly { readonly name: string; readonly role: string; readonly state: string }[];
}
async function shown(): Promise<readonly Shown[]> {
  const { run, otherRuns } = JSON.parse((await hox("status", "--json")).stdout) as {
    run: Shown | null;
    otherRuns: readonly Shown[];
  };
  return run ? [run, ...otherRuns] : [];
}

test("a second goal starts from another terminal, each is controlled by name, and both resume after their host was killed", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const began = spawn(process.execPath, [entry, "run", "--goal", "Write store", "--approve", "plan,land"], {
    cwd: repo.repository.root,
    env: environment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  working = began;
  let output = "";
  for (const stream of [began.stdout, began.stderr]) stream.on("data", (text) => (output += String(text)));
  const isEnded = new Promise((resolve) => began.once("exit", resolve));
  await eventually(async () => expect((await shown())[0]?.stage).toBe("executing"));
  const second = await hox("run", "--goal", "Write view");
  expect([second.code, second.stdout], second.stderr).toEqual([
    exitCode.done,
    expect.stringContaining("Started in the Hox process that has this repository open."),
  ]);
  await eventually(async () => expect((await hox("answer")).stdout).toContain("Plan"));
  const answered = await hox("answer", "1", "y");
  expect(answered.code, answered.stderr).toBe(exitCode.done);
  await eventually(async () => {
    const all = await shown();
    expect(all.map(({ root, stage }) => [root, stage])).toEqual([
      ["O-A-2", "executing"],
      ["O-A-1", "executing"],
    ]);
  });
  const which = await hox("pause");
  expect(which.stderr).toContain("2 runs are active.");
  expect(which.stderr).toContain('O-A-2 "Write view", O-A-1 "Write store"');
  expect((await hox("pause", "--run", "O-A-9")).stderr).toContain(
    'No active run "O-A-9" in this repository.',
  );
  expect((await hox("pause", "--run", "O-A-2")).code).toBe(exitCode.done);
  // The status is written every two seconds.
  await eventually(async () => {
    const { stdout } = await hox("status");
    expect(stdout).toMatch(/^O-A-1: Write store\nexecuting, running/mu);
    expect(stdout).toMatch(/^O-A-2: Write view\nexecuting, paus(?:ed|ing)/mu);
  });
  const agents = (await shown()).flatMap(({ workers }) =>
    workers.filter(({ role }) => role === "agent").map(({ name }) => name),
  );
  expect(agents.toSorted()).toEqual(["agent-1", "agent-2"]);
  expect((await hox("pause", "agent-1")).code).toBe(exitCode.done);
  expect((await hox("resume", "agent-1")).code).toBe(exitCode.done);

  // In the middle of both.
  expect(began.exitCode, output).toBeNull();
  began.kill("SIGKILL");
  await isEnded;
  expect((await shown()).map(({ stage }) => stage)).toEqual(["executing", "executing"]);
  const ended = await hox("run", "--approve", "plan,land");
  expect([ended.code, ended.stderr]).toEqual([exitCode.done, expect.any(String)]);
  for (const file of ["store", "view"])
    expect(await repo.terminal(["file", "show", "-r", "main", `src/${file}.txt`])).toBe(`the ${file}`);
  expect((await shown()).map(({ stage }) => stage)).toEqual(["complete", "complete"]);
});
