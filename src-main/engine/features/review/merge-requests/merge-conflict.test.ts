import { access, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Scene } from "../../../../model/stand-in/script.ts";
import { eventually } from "../../../../testing/kit.ts";
import { call, config, scriptOf, show, worker } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const path = "src/one.txt";
/** Resolves a conflict that a terminal brought; asked anything else, it does its task. */
const agent = (...begins: Scene["steps"]): readonly Scene[] => [
  {
    name: "resolves",
    prompt: /## Conflicts\s[\s\S]*a user in a terminal: "rebase [\s\S]*- src\/one\.txt/,
    steps: [call("read_file", { path }), write(path, "mine and theirs\n"), done("Both.")],
  },
  {
    name: "begins",
    prompt: (seen) => !seen.prompt.includes("## Conflicts"),
    steps: [write(path, "mine\n"), ...begins, done("Mine.")],
  },
];

/** A user moves the task in a terminal onto a change of their own that writes the same file. */
async function moveOntoTheirs(one: Fixture, run: RunView): Promise<void> {
  await one.repo.terminal(["new", run.base ?? "", "-m", "theirs"]);
  await one.repo.write(path, "theirs\n");
  await one.repo.terminal(["rebase", "-s", worker(run, "agent-1").changeId ?? "", "-o", "@"]);
}

const prompts = (one: Fixture, role: string) =>
  one.standIn.requests().flatMap(({ seen }) => (seen.role === role && seen.turn === 0 ? [seen.prompt] : []));

test("a conflict during review is resolved by the agent before the merge", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({
    files: config('[merge_requests]\nreview = "user"\n'),
    script: scriptOf({ "agent-1": agent() }),
  });
  const one = fixture;
  one.answers = { ...agreeable, land: () => null };
  await one.start();
  const card = await one.card("merge-request");
  await moveOntoTheirs(one, one.engine.state().run as RunView);
  await one.until((run) => worker(run, "agent-1").conflict === "merge");
  await one.execute("inbox.answer", { ...card, decision: { kind: "approve" } });

  await one.until((_, inbox) => inbox.some((item) => item.kind === "merge-request" && item.round === 2));
  const again = await one.card("merge-request");
  expect(again.kind === "merge-request" && again.diff).toContain("+mine and theirs");
  await one.execute("inbox.answer", { ...again, decision: { kind: "approve" } });
  await one.card("land");
  const run = one.engine.state().run as RunView;
  expect(one.standIn.unmatched()).toEqual([]);
  expect(worker(run, "agent-1")).toMatchObject({
    conflict: "none",
    mergeRequest: { round: 2, state: { stage: "merged" } },
  });
  expect(prompts(one, "agent-1")).toHaveLength(2);
  expect(prompts(one, "integrator").join("\n")).not.toContain("## Conflicts");
  expect(await show(one, run.integration ?? "", path)).toBe("mine and theirs");
  await one.execute("run.stop");
});

test("a conflict after an agent's last save is resolved before the work is offered", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  // The agent's own checks hang on a file that jj ignores, and meanwhile its change is moved.
  fixture = await createFixture({
    files: {
      ...config('[merge_requests]\nreview = "none"\n'),
      ".gitignore": "*.local\n",
      "check.sh": "touch begun.local\nwhile test -e hold.local; do sleep 0.1; done\n",
    },
    script: scriptOf({ "agent-1": agent(write("hold.local", "")) }),
  });
  const one = fixture;
  await one.start();
  const working = await one.until((run) => run.workers.some((each) => each.workspace?.endsWith("agent-1")));
  const folder = worker(working, "agent-1").workspace ?? "";
  await eventually(() => access(join(folder, "begun.local")));
  await moveOntoTheirs(one, working);
  await one.until((run) => worker(run, "agent-1").conflict === "merge");
  await rm(join(folder, "hold.local"));

  const run = await one.until(over);
  expect(one.standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  // Offered once, and that was without a conflict.
  expect(worker(run, "agent-1")).toMatchObject({
    conflict: "none",
    mergeRequest: { round: 1, summary: "Both." },
  });
  expect(prompts(one, "agent-1")).toHaveLength(2);
  expect(await show(one, "main", path)).toBe("mine and theirs");
});
