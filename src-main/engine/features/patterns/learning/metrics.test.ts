import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { readMetricsTrailer } from "#shared/domain/metrics/metrics-trailer.ts";
import { scoreLines } from "#shared/domain/validation/score.ts";
import type { Change } from "#shared/graph/change.ts";
import { revsetForJj } from "../../../../api/graph-filter.ts";
import { defineScript, type Scene, type Seen, type Step } from "../../../../model/stand-in/script.ts";
import { createSandbox } from "../../../../tools/sandbox/sandbox.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { vote } from "../../../testing/three-agents-script.ts";

const call = (tool: string, input: Record<string, unknown>): Step => ({ calls: [{ tool, input }] });
const plan = {
  goal: "Keep users",
  summary: "One file.",
  orchestrators: { count: 1, reason: "" },
  contracts: { title: "None", description: "", files: [] },
  phases: [{ number: 1, title: "Work" }],
  tasks: [
    {
      id: "t1",
      title: "Write it",
      description: "",
      phase: 1,
      priority: "medium",
      files: ["work.txt"],
      after: [],
    },
  ],
  integration: { title: "Together", description: "" },
  budget: { tokens: null, microDollars: null },
};

/** What everything takes, on a clock that moves by nothing else. */
const [thinking, working, checking, asking] = [1_000, 700, 300, 5_000_000] as const;

/** One agent that runs a command, asks the user, and writes. Each request moves the clock once, however often it is read. */
function script(counted: Set<string>, requested: () => void) {
  const step =
    (answer: Step | ((seen: Seen) => Step)) =>
    (seen: Seen): Step => {
      const key = `${seen.role}/${seen.prompt}/${seen.turns}`;
      if (!counted.has(key)) requested();
      counted.add(key);
      return typeof answer === "function" ? answer(seen) : answer;
    };
  const scene = (
    name: string,
    prompt: Scene["prompt"],
    ...steps: readonly (Step | ((seen: Seen) => Step))[]
  ): Scene => ({
    name,
    ...(prompt === undefined ? {} : { prompt }),
    steps: steps.map(step),
    optional: true,
  });
  return defineScript({
    name: "one-agent",
    routes: {
      "O-A-1": [
        scene("plan", "[EVENT plan", call("propose_plan", plan)),
        scene(
          "asked",
          "[EVENT align-request]",
          call("ask_user", { question: "Which?", options: ["a", "b"] }),
        ),
        scene(
          "answered",
          "[EVENT user answered]",
          call("answer_agent", { agent: "agent-1", answer: "Take b." }),
        ),
        scene("review", "[EVENT merge request ready]", call("approve_merge_request", { comment: "" })),
        scene("else", undefined, call("report_done", { summary: "Done." })),
      ],
      "agent-1": [
        scene(
          "goes on",
          "Take b.",
          (seen) =>
            call("write_file", {
              path: `work-${seen.model.length}-${seen.turns}.txt`,
              content: `${Math.random()}\n`,
            }),
          call("report_done", { summary: "Written." }),
        ),
        scene(
          "asks",
          "[TASK]",
          call("run_command", { command: "sh work.sh" }),
          call("align_request", { question: "Which?", options: ["a", "b"], blocking: true }),
        ),
      ],
      integrator: [scene("together", undefined, call("report_done", { summary: "Together." }))],
      "validator-*": vote("approve"),
    },
  });
}

const config = (store: string): string =>
  `[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\npreflight = "off"\n[metrics]\nstore = "${store}"\n[workflow]\ncontracts = "off"\npanel = "off"\nlearning = "off"\n`;

/** A run of one agent on a clock that moves with requests, commands and the user's answer. */
async function measuredRuns(
  store: string,
  collector = "",
): Promise<{ readonly one: Fixture; readonly forget: () => void }> {
  let clock = 0;
  const counted = new Set<string>();
  const inside = await createSandbox({ allowUnsandboxed: false });
  const made = await createFixture({
    script: script(counted, () => {
      clock += thinking;
    }),
    files: {
      "work.sh": "true\n",
      "check.sh": "true\n",
      ".hox/config.toml": config(store).replace("[metrics]\n", `[metrics]\n${collector}`),
    },
    monotonic: () => clock,
    sandbox: async () => ({
      ...inside,
      async run(command) {
        const result = await inside.run(command);
        clock += command.command.includes("work.sh") ? working : checking;
        return result;
      },
    }),
  });
  made.answers = {
    ...agreeable,
    "align-request": () => {
      // However long a user takes.
      clock += asking;
      return { kind: "answer", text: "b" };
    },
  };
  // What is asked again in another run takes its time again.
  return { one: made, forget: () => counted.clear() };
}

const found = async (one: Fixture, revset: string): Promise<readonly Change[]> =>
  one.repo.repository.query(await revsetForJj(one.repo.repository, revset));
const agentOf = (changes: readonly Change[]): readonly (string | undefined)[] =>
  changes.map(({ metadata }) => metadata.agent ?? metadata.kind).sort();

test("an agent's time is split into parts, written to its own change, and found by a revset", {
  timeout: 300_000,
}, async () => {
  const sent: string[] = [];
  const server = createServer((request, response) => {
    request.on("data", (part) => sent.push(String(part)));
    request.on("end", () => response.end("{}"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { one } = await measuredRuns("both", `otlp_endpoint = "http://127.0.0.1:${port}"\n`);
  const id = await one.start();
  const run = await one.until(over);
  expect(run).toMatchObject({ id, stage: "complete" });
  const agent = run.metrics.find(({ worker }) => worker === "agent-1");
  // The user thought for more than an hour, and the agent for four requests.
  expect(agent?.msByPhase).toEqual({ thinking: 4 * thinking, tools: working, checking, saving: 0, hooks: 0 });
  expect(agent).toMatchObject({
    votes: { passed: 1, failed: 0 },
    toolCalls: { run_command: 1, write_file: 1 },
    checks: { fast: { runs: 1, failed: 0 }, slow: { runs: 0 } },
  });
  const orchestrator = run.metrics.find(({ worker }) => worker === "O-A-1");
  expect(orchestrator?.msByEvent).toMatchObject({ plan: thinking, "align-request": thinking });
  expect(scoreLines(run.score ?? expect.fail()).find(({ part }) => part === "time")?.words).toContain(
    "not counted: no earlier complete run",
  );
  expect(run.workerScores["agent-1"]).toMatchObject({ quality: 1, completeness: 1, time: null });

  // One commit landed, with a clean message. Its note answers for the changes without files that did not, too.
  await expect
    .poll(async () => agentOf(await found(one, `run("${id}") & metrics()`)), { timeout: 60_000 })
    .toEqual(["agent-1"]);
  expect(await one.repo.terminal(["log", "--no-graph", "-r", "main", "-T", "description"])).not.toContain(
    "Hox-",
  );
  for (const revset of [
    "metrics(iterations>1) & kind(task)",
    "score(>0.9)",
    "agent(integrator)",
    "status(done)",
  ])
    expect(agentOf(await found(one, `main & ${revset}`)), revset).toEqual(["agent-1"]);
  expect(await found(one, "score(<0.9) | metrics(failures>0)")).toEqual([]);
  const [task] = await found(one, "agent(agent-1)");
  expect(readMetricsTrailer(task?.metadata.metrics ?? "")).toMatchObject({
    numbers: { time_ms: 4 * thinking + working + checking, tool_calls: 4, iterations: 2, votes_passed: 1 },
    score: 1,
  });
  const { blocks = [] } = [...(await one.repo.repository.notes()).byCommit.values()][0] ?? {};
  const result = blocks.find(({ metadata }) => metadata.agent === "integrator");
  expect(readMetricsTrailer(result?.metadata.metrics ?? "")?.numbers).toMatchObject({
    votes_passed: 1,
    tool_calls: 8,
  });
  expect(await one.execute("report.compareStores", { runs: 10 })).toMatchObject({
    changes: 3,
    same: 3,
    differences: [],
  });
  expect(await one.execute("report.runs", { by: "phase", runs: 10 })).toMatchObject({
    rows: expect.arrayContaining([expect.objectContaining({ key: "phase 1", iterations: 2, questions: 1 })]),
    total: { runs: 1, complete: 1, score: 1 },
  });
  // What a collector hears of it: who worked, what was asked and called, and nothing that was said.
  await expect.poll(() => sent.join("")).toContain(`invoke_workflow ${id}`);
  for (const name of [
    "invoke_agent agent-1",
    "chat claude-sonnet-5-5",
    "execute_tool run_command",
    "gen_ai.client.token.usage",
  ])
    expect(sent.join("")).toContain(name);
  expect(sent.join("")).not.toContain("sh work.sh");
  server.closeAllConnections();
  server.close();
});

test("an edited figure is reported by name; the trailer store leaves nothing in the database, and the database store nothing on a change", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const { one, forget } = await measuredRuns("trailer");
  const configured = (store: string) => {
    forget();
    return one.configure(config(store));
  };
  const compared = () => one.execute("report.compareStores", { runs: 10 });
  const first = await one.start();
  expect((await one.until(over)).stage).toBe("complete");
  await expect.poll(async () => agentOf(await found(one, "metrics()"))).toEqual(["agent-1"]);
  // Forgotten when the run is wound down.
  await expect.poll(compared).toMatchObject({ changes: 3, same: 0, asConfigured: 3, differences: [] });

  await configured("database");
  const second = await one.start();
  const next = await one.until((run) => run.id === second && over(run));
  expect(next.stage).toBe("complete");
  expect(agentOf(await found(one, `run("${second}") & metrics()`))).toEqual([]);
  expect(next.metrics.length).toBeGreaterThan(0);
  expect(await compared()).toMatchObject({ changes: 6, same: 0, asConfigured: 6, differences: [] });

  await configured("both");
  const third = await one.start();
  const last = await one.until((run) => run.id === third && over(run));
  // What earlier runs took is what this one is held against; of the first the database knows what it cost.
  expect(last.score?.facts).toMatchObject({ earlierRuns: 2, expectedMilliseconds: 8_000 });
  expect(last.score?.facts?.expectedMicroDollars).toBeGreaterThan(0);
  expect(last.score?.time).toBe(1);
  const [task] = await found(one, `run("${third}") & agent(agent-1)`);
  // It wrote a file that a run before had written, without reading it: one call failed.
  const written = (task?.metadata.metrics ?? "").replace('"failures":1', '"failures":9');
  await one.repo.repository.setMetadata([{ change: task?.changeId ?? "", patch: { metrics: written } }], {
    actor: "user",
  });
  expect(await compared()).toMatchObject({
    same: 2,
    // The same file again is no change: the result landed for its task as well, and bears the figure now.
    differences: [
      { run: third, worker: null, kind: "differs", figure: "failures", onChange: 9, inDatabase: 1 },
    ],
  });
  expect(first).not.toBe(third);
});
