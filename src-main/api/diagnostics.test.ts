import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { call } from "@orpc/server";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { hoxInProcess } from "../cli/testing/in-process.ts";
import { trustRepositoryConfig } from "../config/write-settings.ts";
import { createHostState } from "../host.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { logFolder } from "../log/log.ts";
import { type StandIn, startStandIn } from "../model/stand-in/stand-in.ts";
import { eventually, tempDir } from "../testing/kit.ts";
import type { HostState } from "./host-state.ts";
import { createRouter } from "./router.ts";

const planted = {
  key: "planted-key-0123456789",
  content: "planted content of a file",
  goal: "Planted goal of a run",
  setting: "echo planted setting",
  revset: "planted revset",
};
let folder: string;
let repo: TestRepository;
let standIn: StandIn;
let state: HostState;

beforeEach(async () => {
  folder = tempDir();
  repo = await createTestRepository({
    files: {
      "notes.txt": `${planted.content}\n`,
      ".hox/config.toml": `[backpressure]\nfast_checks = ["${planted.setting}"]\n[loop_defaults]\nmax_iterations = 7\n`,
    },
  });
  await repo.terminal(["bookmark", "set", "main", "-r", "@-"]);
  standIn = await startStandIn({
    script: {
      name: "reads",
      routes: {
        "agent-1": [
          { name: "reads", steps: [{ calls: [{ tool: "read_file", input: { path: "notes.txt" } }] }] },
        ],
      },
    },
    pace: 0,
    apiKey: planted.key,
    // The provider repeats what it was sent, the file among it.
    faults: [
      {
        kind: "refused",
        role: "agent-1",
        turns: 1,
        answer: {
          status: 400,
          body: {
            type: "error",
            error: {
              type: "invalid_request_error",
              message: `messages: ${planted.goal}. ${planted.content}`,
            },
          },
        },
      },
    ],
  });
  vi.stubEnv("ANTHROPIC_API_KEY", planted.key);
  vi.stubEnv("ANTHROPIC_BASE_URL", standIn.url);
  vi.stubEnv("HOX_DEBUG", "1");
  vi.stubEnv("HOX_STATE", join(folder, "state"));
  await trustRepositoryConfig(join(folder, "state"), repo.repository.root);
  state = await createHostState({ shell: "browser", version: "1.2.3" });
});
afterEach(async () => {
  await state.close();
  await standIn.close();
  await repo.remove();
  vi.unstubAllEnvs();
});

const expectNothingPlanted = (text: string): void => {
  for (const [what, value] of Object.entries(planted)) expect(text.includes(value), what).toBe(false);
  expect(text).not.toMatch(/planted/iu);
};

it("diagnostics and log tell how a run failed, without keys, prompts and files", async () => {
  const router = createRouter(state);
  const root = await state.open(repo.repository.root);
  const start = {
    repository: root,
    goal: planted.goal,
    orchestrators: null,
    onto: null,
    rehearsal: null,
    model: null,
    quick: true,
  };
  await call(router.run.start, start);
  await eventually(() =>
    expect(
      state
        .engine()
        .state()
        .inbox.map(({ kind }) => kind),
    ).toContain("trouble"),
  );
  await expect(
    call(router.graph.filter, { repository: root, revset: `"${planted.revset}" &` }),
  ).rejects.toThrow();

  const copied = await call(router.diagnostics, { repository: root });
  expectNothingPlanted(copied);
  expect(copied).toContain("Hox 1.2.3");
  expect(copied).toMatch(/^jj: found; 0\./mu);
  expect(copied).toMatch(/^API key: found/mu);
  expect(copied).toContain("backpressure.fast_checks = (1 items) (file)\n");
  expect(copied).toContain("loop_defaults.max_iterations = 7 (file)\n");
  expect(copied).toMatch(/, executing, 1 waiting, 1 agents, 0\/1 tasks, /u);
  expect(copied).toMatch(/ command command=run\.start ms=\d+$/mu);
  expect(copied).toMatch(
    / warn .* work failed run=\S+ work=agent-1 .*error=ModelError kind=invalid-request/u,
  );
  expect(copied).toMatch(/ warn .* command failed command=graph\.filter .*error=/u);
  expect(copied).not.toContain(root);

  const file = join(folder, "report.txt");
  const args = ["doctor", "--bundle", file] as const;
  const { code, stdout } = await hoxInProcess(args, {
    folder: root,
    env: { ANTHROPIC_API_KEY: planted.key },
  });
  expect([code, stdout.split("\n").at(-1)]).toEqual([
    0,
    `Wrote ${file}. Read it before you attach it to a report.`,
  ]);
  const bundle = await readFile(file, "utf8");
  expectNothingPlanted(bundle);
  expect(bundle).toMatch(/work failed run=\S+ work=agent-1/u);
  expect(await hoxInProcess(args, { folder: root })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("already exists"),
  });

  expectNothingPlanted(await readFile(join(logFolder(join(folder, "state")), "hox.log"), "utf8"));
});
