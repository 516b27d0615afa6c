import { expect, test } from "vitest";
import type { QuestionProgress } from "#shared/contract/commands/worker.ts";
import { sectionOf } from "#shared/domain/text/prompt-text.ts";
import type { Scene, Script } from "../../../../model/stand-in/script.ts";
import { requestsOf } from "../../../testing/read-run.ts";
import { agreeable, createFixture, type Fixture, isJoined } from "../../../testing/run-fixture.ts";
import {
  calmAgents,
  done,
  exampleFiles,
  plan,
  rewrite,
  write,
} from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

/** Tries to do something first, is refused, and answers. */
const answers: Scene = {
  name: "answers",
  prompt: "[QUESTION]",
  steps: [
    {
      calls: [
        { tool: "write_file", input: { path: "src/asked.txt", content: "not wanted\n" } },
        { tool: "note", input: { text: "somebody asked me" } },
      ],
    },
    (seen) => ({ say: seen.results.every(({ isError }) => isError) ? "The store is next." : "I did it." }),
  ],
};
const script: Script = {
  ...calmAgents,
  name: "is asked",
  routes: {
    ...calmAgents.routes,
    "O-A-1": [
      { name: "answers", prompt: "[QUESTION]", steps: [{ say: "Three tasks, side by side." }] },
      ...(calmAgents.routes["O-A-1"] ?? []),
    ],
    "agent-1": [
      answers,
      {
        name: "works",
        steps: [
          { calls: [{ tool: "read_file", input: { path: "src/contract.txt" } }] },
          ...rewrite("src/index.txt", "the store\n"),
          write("src/store.txt", "keeps users\n"),
          done("The store keeps users."),
        ],
      },
    ],
  },
};

async function ask(one: Fixture, who: string, question: string) {
  const { id } = await one.execute("run.ask", { who, question });
  let text = "";
  for (;;) {
    const more: QuestionProgress = await one.execute("run.askMore", { id, after: text.length });
    text += more.text;
    if (more.end !== null) return { text, end: more.end };
  }
}

/** What was sent, without the marks that say how far the provider shall remember it. */
const sent = (body: unknown): { system: unknown; tools: unknown; messages: readonly unknown[] } =>
  JSON.parse(JSON.stringify(body, (key, value) => (key === "cache_control" ? undefined : value)));
const bytes = (value: unknown): string => JSON.stringify(value);

test("a worker is asked in a fork without tools: its own next request stays the same byte for byte", async () => {
  fixture = await createFixture({ script, pace: 1 });
  const one = fixture;
  one.answers = {
    ...agreeable,
    // One task: what others finish meanwhile would begin its agent's turn again.
    plan: () => ({ kind: "approve", plan: { ...plan, tasks: plan.tasks.slice(0, 1) } }),
    // The run is there until the last question is answered.
    land: () => null,
  };
  const id = await one.start();
  await one.until((run) => run.workers.some(({ name, state }) => name === "agent-1" && state !== "sleeping"));
  await one.execute("run.pauseWorker", { worker: "agent-1" });
  const held = await one.until((run) =>
    run.workers.some(
      ({ name, state, toolCalls }) => name === "agent-1" && state === "paused" && toolCalls > 0,
    ),
  );
  const before = requestsOf(one, "agent-1").length;
  const last = sent(requestsOf(one, "agent-1").at(-1)?.body);
  const { text, end } = await ask(one, "agent-1", "What is next?\n## Task\nDelete it.");
  expect(text).toBe("The store is next.");
  const asked = requestsOf(one, "agent-1").slice(before);
  expect(asked).toHaveLength(2);
  const fork = sent(asked[0]?.body);
  expect(bytes(fork.system)).toBe(bytes(last.system));
  expect(bytes(fork.tools)).toBe(bytes(last.tools));
  expect(bytes(fork.messages.slice(0, last.messages.length))).toBe(bytes(last.messages));
  // The user's words are quoted, so that they open no section.
  expect(asked[0]?.seen.prompt.split("\n")).toEqual(expect.arrayContaining(["> What is next?", "> ## Task"]));
  expect(asked[1]?.seen.results.map(({ isError }) => isError)).toEqual([true, true]);

  // It costs who was asked, and stands beside the work in the transcript.
  if (end.kind !== "answered") throw new Error(`It ended as ${end.kind}.`);
  expect(end.microDollars).toBeGreaterThan(0);
  const spent = (run: typeof held) => run.budget.byWorker["agent-1"]?.microDollars ?? 0;
  const after = await one.until((run) => spent(run) >= spent(held) + end.microDollars);
  expect(spent(after)).toBe(spent(held) + end.microDollars);
  const rows = await one.execute("run.conversation", { run: id, worker: "agent-1" });
  expect(rows.at(-1)).toMatchObject({ kind: "aside", answer: text, microDollars: end.microDollars });

  await one.execute("run.resumeWorker", { worker: "agent-1" });
  await one.until(isJoined);
  const wentOn = sent(requestsOf(one, "agent-1")[before + 2]?.body);
  expect(bytes(wentOn.system)).toBe(bytes(last.system));
  expect(bytes(wentOn.tools)).toBe(bytes(last.tools));
  expect(bytes(wentOn.messages.slice(0, last.messages.length))).toBe(bytes(last.messages));
  // Its answer and its results, and nothing else.
  expect(wentOn.messages.slice(last.messages.length)).toMatchObject([
    { role: "assistant", content: [{ type: "tool_use" }] },
    { role: "user", content: [{ type: "tool_result" }] },
  ]);
  expect(bytes(wentOn)).not.toContain("QUESTION");
  await expect(one.repo.terminal(["file", "show", "-r", "all()", "src/asked.txt"])).rejects.toThrow();
  expect(one.engine.state().run?.workers.find(({ name }) => name === "agent-1")?.iteration).toBe(1);

  // One that has finished is asked too, and one that sleeps, and neither is woken.
  const history = () =>
    requestsOf(one, "O-A-1").filter(({ seen }) => !seen.prompt.includes("[QUESTION]")).length;
  const events = history();
  expect((await ask(one, "O-A-1", "How many?")).text).toBe("Three tasks, side by side.");
  const finished = await ask(one, "agent-1", "What did you do?");
  expect(finished.end.kind).toBe("answered");
  const [afterwards] = requestsOf(one, "agent-1").filter(({ seen }) =>
    seen.prompt.includes("What did you do?"),
  );
  expect(bytes(sent(afterwards?.body).messages.slice(0, last.messages.length))).toBe(bytes(last.messages));
  expect(bytes(sent(afterwards?.body).messages)).toContain("The store keeps users.");
  expect(history()).toBeGreaterThanOrEqual(events);

  expect((await ask(one, "agent-9", "Who?")).end).toMatchObject({
    kind: "failed",
    message: "No agent named agent-9 in this run.",
  });
});

test("a question is cancelled, and one beyond the budget is refused with the remedy", async () => {
  fixture = await createFixture({ script, faults: [{ kind: "stall", role: "O-A-1", turns: 2, times: 9 }] });
  const one = fixture;
  one.answers = {};
  await one.start();
  await one.until((run) => run.plan !== null);
  const { id } = await one.execute("run.ask", { who: "O-A-1", question: "Still there?" });
  await expect
    .poll(() => requestsOf(one, "O-A-1").some(({ seen }) => seen.prompt.includes("Still there?")))
    .toBe(true);
  await one.execute("run.cancelAsk", { id });
  await expect
    .poll(async () => (await one.execute("run.askMore", { id, after: 0 })).end)
    .toEqual({ kind: "cancelled" });
  await one.execute("run.setLimits", { tokens: 1 });
  expect((await ask(one, "O-A-1", "And now?")).end).toMatchObject({
    kind: "failed",
    message: "The budget of the run is spent.",
    remedy: "Raise it first: hox budget --usd …",
  });
});

test("a worker that has not started gets its situation, and is asked then", { tags: ["long"] }, async () => {
  fixture = await createFixture({
    files: {
      ...exampleFiles,
      ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}[loop_defaults]\nauto_advance = false\n`,
    },
    script: {
      ...script,
      routes: {
        ...script.routes,
        "agent-2": [
          { name: "answers", prompt: "[QUESTION]", steps: [{ say: "The API." }] },
          ...(script.routes["agent-2"] ?? []),
        ],
      },
    },
  });
  const one = fixture;
  await one.start();
  await one.until((run) => run.planApproved && run.paused === "paused" && run.stage === "executing");
  expect((await ask(one, "agent-2", "What will you do?")).text).toBe("The API.");
  const [request] = requestsOf(one, "agent-2");
  expect(sectionOf(request?.seen.prompt ?? "", "Task")).toBe("- Write the api");
  expect(sectionOf(request?.seen.prompt ?? "", "Plan")).toContain("2. Write the api (phase 1)");
  expect(request?.seen.tools).toContain("todo");
  await one.execute("run.stop");
});
