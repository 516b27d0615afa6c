import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import { newWorker } from "#shared/domain/worker/worker-record.ts";
import type { Scene, Script, Seen } from "../../../../model/stand-in/script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, exampleFiles, plan, threeAgents, write } from "../../../testing/three-agents-script.ts";
import { works } from "./feature.ts";

let fixture: Fixture | null = null;

const call = (tool: string, input: Record<string, unknown>) => ({ calls: [{ tool, input }] });
const agent = (run: RunView) => run.workers.find((one) => one.name === "agent-1");
const script = (agents: Script["routes"], event: string, ...answers: readonly Scene[]): Script => ({
  name: "quiet",
  routes: {
    ...threeAgents.routes,
    "O-A-1": [
      {
        name: "plan",
        prompt: /^\[EVENT plan\]/,
        steps: [call("propose_plan", { ...plan, tasks: plan.tasks.slice(0, 1) })],
      },
      ...answers.map((scene) => ({ prompt: `[EVENT ${event}]`, ...scene })),
      ...(threeAgents.routes["O-A-1"] ?? []).filter((scene) => scene.name !== "plan"),
    ],
    ...agents,
  },
});
const message = (text: string): Scene => ({ name: "a word", steps: [call("message_agent", { text })] });
const files = (lines: string) => ({
  ...exampleFiles,
  ".hox/config.toml": `[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\npreflight = "off"\n${lines}`,
});
const thinks: Scene = { name: "thinks", steps: [{ say: "I think about it." }] };
/** How often the orchestrator was woken with an event. */
const events = (one: Fixture, event: string): number =>
  one.standIn.requests().filter((request) => request.seen.prompt.startsWith(`[EVENT ${event}]`)).length;

test("an orchestrator of a part falls silent as an agent does; the root and judges are not watched", () => {
  const silent = (role: "orchestrator" | "agent" | "validator", parent: string | null) =>
    works({ record: newWorker({ name: "one", role, parent, title: "" }), state: "thinking" });
  expect([silent("agent", "O-A-1"), silent("orchestrator", "O-A-1")]).toEqual([true, true]);
  expect([silent("orchestrator", null), silent("validator", "O-A-1")]).toEqual([false, false]);
});

test("an agent without progress is reported to its parent once, whose message it reads", async () => {
  fixture = await createFixture({
    files: files("[loop_defaults]\nmax_iterations = 500\n[merge_requests]\nstalled_iterations = 3\n"),
    script: script(
      {
        "agent-1": [
          {
            name: "told",
            prompt: /## Messages[\s\S]*Write the file\./,
            steps: [write("src/store.txt", "store\n"), done("Written.")],
          },
          thinks,
        ],
      },
      "child stalled",
      message("Write the file."),
    ),
  });
  const one = fixture;
  await one.start();
  await one.until((run) => agent(run)?.quiet === "stalled");
  const run = await one.until((now) => agent(now)?.status === "done");
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run.failure).toBeNull();
  expect(events(one, "child stalled")).toBe(1);
  expect(agent(run)?.quiet).toBeNull();
}, 300_000);

test("an agent that is silent for half an hour is reported to its parent once; a message ends that", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  let ahead = 0;
  fixture = await createFixture({
    monotonic: () => performance.now() + ahead,
    files: files("[loop_defaults]\ncommand_timeout_seconds = 3000\n"),
    script: script(
      {
        "agent-1": [
          {
            name: "waits",
            steps: [
              call("run_command", { command: "while ! test -e go; do sleep 0.2; done; rm go" }),
              write("src/store.txt", "store\n"),
              done("Written."),
            ],
          },
        ],
      },
      "child silent",
      message("Are you there?"),
    ),
  });
  const one = fixture;
  await one.start();
  const waiting = await one.until((run) => agent(run)?.activity.startsWith("running") === true);
  expect(agent(waiting)?.quiet).toBeNull();
  ahead = 31 * 60_000;
  await one.until((run) => agent(run)?.quiet === "silent");
  await one.until(() => one.engine.state().messages.some((message) => message.text === "Are you there?"));
  // Silent for as long again: it was told already.
  ahead *= 2;
  await writeFile(join(agent(waiting)?.workspace ?? "", "go"), "");
  const run = await one.until(over);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(agent(run)?.quiet).toBeNull();
  expect(events(one, "child silent")).toBe(1);
});

test("a parent may ask the user, whose message the agent reads, and reassign the task the next time", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const asked = (seen: Seen) => seen.history.some(({ tool }) => tool === "ask_user");
  fixture = await createFixture({
    files: files("[loop_defaults]\nmax_iterations = 500\n[merge_requests]\nstalled_iterations = 2\n"),
    script: script(
      {
        "agent-1": [
          {
            name: "told",
            prompt: /## Messages[\s\S]*Begin with a draft\./,
            steps: [write("src/draft.txt", "draft\n"), { say: "It is begun." }],
          },
          thinks,
        ],
        "agent-2": [
          {
            name: "takes over",
            prompt:
              /## Handed over by agent-1[\s\S]*O-A-1 gave it to you[\s\S]*O-A-1 says: Go on from the draft\./,
            steps: [
              call("read_file", { path: "src/draft.txt" }),
              write("src/store.txt", "store\n"),
              done("Written."),
            ],
          },
        ],
      },
      "child stalled",
      {
        name: "gives it away",
        prompt: (seen) => seen.prompt.startsWith("[EVENT child stalled]") && asked(seen),
        steps: [call("reassign", { brief: "Go on from the draft." })],
      },
      {
        name: "asks the user",
        steps: [call("ask_user", { question: "How shall it begin?", options: ["A draft", "At once"] })],
      },
    ),
  });
  const one = fixture;
  one.answers = {
    ...agreeable,
    "align-request": (item) =>
      item.kind === "align-request" && item.question === "How shall it begin?"
        ? { kind: "answer", text: "Begin with a draft." }
        : null,
  };
  await one.start();
  const run = await one.until(over);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(one.engine.state().messages).toContainEqual(
    expect.objectContaining({ to: "O-A-1/agent-1", text: "Begin with a draft.", handled: true }),
  );
  expect(agent(run)).toMatchObject({ status: "abandoned", replacedBy: "agent-2" });
  expect(run.workers.find((each) => each.name === "agent-2")).toMatchObject({
    replaces: "agent-1",
    status: "done",
  });
  expect(events(one, "child stalled")).toBe(2);
});
