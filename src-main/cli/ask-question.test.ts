import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { trustRepositoryConfig } from "../config/write-settings.ts";
import { withDefaultConfig } from "../engine/testing/default-config.ts";
import { exampleFiles, threeAgents } from "../engine/testing/three-agents-script.ts";
import { createHostState } from "../host.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { type StandIn, startStandIn } from "../model/stand-in/stand-in.ts";
import { eventually, tempDir } from "../testing/kit.ts";
import { exitCode } from "./command-line.ts";

const entry = fileURLToPath(new URL("../cli.ts", import.meta.url));
let folder: string;
let repository: TestRepository;
let standIn: StandIn;
beforeEach(async () => {
  folder = tempDir();
  repository = await createTestRepository({ files: withDefaultConfig(exampleFiles) });
  await trustRepositoryConfig(join(folder, "state"), repository.repository.root);
  standIn = await startStandIn({
    script: {
      ...threeAgents,
      routes: {
        ...threeAgents.routes,
        "O-A-1": [
          { name: "answers", prompt: "How many?", steps: [{ say: "Three tasks,\nside by side." }] },
          { name: "is slow", prompt: "And why?", steps: [{ say: "That takes long." }] },
          ...(threeAgents.routes["O-A-1"] ?? []),
        ],
      },
    },
  });
  vi.stubEnv("ANTHROPIC_API_KEY", standIn.apiKey);
  vi.stubEnv("ANTHROPIC_BASE_URL", standIn.url);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await standIn.close();
  await repository.remove();
});

test("a worker of a running host is asked from a terminal: the answer, its cost, and Ctrl-C to cancel", {
  tags: ["long"],
}, async () => {
  const state = join(folder, "state");
  const host = await createHostState({
    shell: "browser",
    version: "0",
    stateFolder: state,
    rehearsalPace: 0,
  });
  const root = repository.repository.root;
  const hox = (...args: string[]) =>
    execa(process.execPath, [entry, ...args], {
      cwd: root,
      reject: false,
      stdin: "ignore",
      env: { HOX_STATE: state, ANTHROPIC_API_KEY: "", npm_lifecycle_event: "", NO_COLOR: "1" },
    });
  try {
    await host.open(root);
    await host.engine().execute("run.start", {
      goal: "Keep users",
      orchestrators: null,
      onto: null,
      rehearsal: null,
      model: null,
    });
    await eventually(() => expect(host.engine().state().inbox).toMatchObject([{ kind: "plan" }]));
    const asked = await hox("ask", "O-A-1", "How", "many?");
    expect([asked.exitCode, asked.stdout]).toEqual([exitCode.done, "Three tasks,\nside by side."]);
    expect(asked.stderr).toMatch(/^O-A-1 answered for \$0\.\d{4}\.$/u);
    const json = await hox("ask", "O-A-1", "How many?", "--json");
    expect(JSON.parse(json.stdout)).toEqual({
      kind: "answer",
      who: "O-A-1",
      text: "Three tasks,\nside by side.",
      microDollars: expect.any(Number),
    });
    const nobody = await hox("ask", "agent-77", "Who?");
    expect([nobody.exitCode, nobody.stderr]).toEqual([
      exitCode.error,
      expect.stringContaining("No agent named agent-77 in this run."),
    ]);

    standIn.fail({ kind: "stall", role: "O-A-1" });
    const slow = hox("ask", "O-A-1", "And why?");
    await eventually(() =>
      expect(standIn.requests().some(({ seen }) => seen.prompt.includes("And why?"))).toBe(true),
    );
    slow.kill("SIGINT");
    expect((await slow).exitCode).toBe(exitCode.interrupted);
    // The run waits as before.
    expect(host.engine().state().inbox).toMatchObject([{ kind: "plan" }]);

    const where = await hox("orientation", "--json");
    expect(JSON.parse(where.stdout)).toMatchObject({
      goal: "Keep users",
      plan: { source: "O-A-1", steps: [{ status: "pending" }, {}, {}] },
      todos: [{ content: "Write the store", status: "pending" }, {}, {}],
      updatedAt: expect.stringMatching(/Z$/u),
    });
    expect((await hox("orientation")).stdout).toContain(
      "goal: Keep users\nplan: O-A-1\n    [ ] Write the store",
    );
    const engine = host.engine();
    await engine.execute("run.stop", { run: engine.state().run?.id ?? "" });
  } finally {
    await host.close();
  }
});
