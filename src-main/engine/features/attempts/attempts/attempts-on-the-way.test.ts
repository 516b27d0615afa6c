import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import { choosesNothing, isChangeThere, reviewedByUser } from "../../../testing/attempts-script.ts";
import { scriptOf, show, worker, works } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const path = "src/one.txt";
/** Two tasks, and an agent that comes later to the first. */
function script() {
  const two = scriptOf({
    "agent-1": works(write(path, "first\n"), done("The first way.")),
    "agent-2": works(write("src/other.txt", "other\n"), done("Something else.")),
  });
  const later = works(write(path, "later\n"), done("The later way."));
  return { ...two, routes: { ...two.routes, "agent-3": later } };
}

test("a task of an active run gets another attempt by an edit of the plan; abandoning its change leaves the other", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({ files: reviewedByUser, script: script() });
  const one = fixture;
  one.answers = choosesNothing;
  await one.start();
  await one.until((_, inbox) => inbox.filter(({ kind }) => kind === "merge-request").length === 2);
  const before = one.engine.state().run as RunView;
  const task = worker(before, "agent-1").task ?? "";
  await one.execute("plan.amend", {
    orchestrator: "O-A-1",
    edits: [{ kind: "change", task, patch: { attempts: 2 } }],
  });
  // Its offer waits again; nobody else's does.
  await one.until(
    (run, inbox) =>
      Boolean(run.attempts.length) && inbox.filter(({ kind }) => kind === "merge-request").length === 1,
    60_000,
  );
  const added = one.engine.state().run?.attempts?.[0]?.attempts[1]?.worker ?? "";
  expect(added).toBe("agent-3");
  const startedRun = await one.until((run) => worker(run, added).changeId !== null);
  const { changeId } = worker(startedRun, added);
  const description = (change: string | null) =>
    one.repo.terminal([
      "log",
      "--ignore-working-copy",
      "--no-graph",
      "-r",
      change ?? "",
      "-T",
      "description.first_line()",
    ]);

  // New words of the task stand in both.
  await one.execute("plan.amend", {
    orchestrator: "O-A-1",
    edits: [{ kind: "change", task, patch: { title: "Told anew" } }],
  });
  expect(await description(changeId)).toBe("Told anew");
  expect(await description(worker(startedRun, "agent-1").changeId)).toBe("Told anew");

  // A user abandons the first one's change: the task goes on with the other, and is not lost.
  await one.execute("change.abandon", { changeId: worker(startedRun, "agent-1").changeId ?? "" });
  const left = await one.until((run) => run.attempts[0]?.leader === added);
  expect(worker(left, "agent-1").status).toBe("abandoned");
  expect(worker(left, added).status).not.toBe("abandoned");
  expect(left.plan?.tasks.some(({ id }) => id === task)).toBe(true);
  await one.execute("run.stop");
});

test("a choice that a kill interrupted before the others were abandoned is completed at the next start", {
  tags: ["long"],
}, async () => {
  let breaks = false;
  fixture = await createFixture({
    files: reviewedByUser,
    script: script(),
    around: (repository) => ({
      ...repository,
      // What a kill leaves: the journal has the choice, and jj has nothing of it.
      abandon: (...given: Parameters<typeof repository.abandon>) =>
        breaks ? Promise.reject(new Error("cut off")) : repository.abandon(...given),
    }),
  });
  const one = fixture;
  one.answers = choosesNothing;
  await one.start();
  await one.until((_, inbox) => inbox.filter(({ kind }) => kind === "merge-request").length === 2);
  const run = one.engine.state().run as RunView;
  const { worker: name } = await one.execute("attempt.fork", {
    worker: "agent-1",
    iteration: 1,
    turn: 2,
    words: "Once more.",
    model: null,
  });
  await one.card("attempts");
  breaks = true;
  await expect(one.execute("attempt.choose", { worker: name })).rejects.toThrow(/cut off/);
  const first = worker(run, "agent-1").changeId;
  expect(await isChangeThere(one, first)).toBe(true);
  // Nothing of it is folded meanwhile under another name.
  expect(one.engine.state().run?.attempts?.[0]).toMatchObject({ leader: name, chosen: name, canUndo: false });
  await one.reopen(async () => {
    breaks = false;
  });
  const settled = await one.until((now) => now.attempts[0]?.canUndo === true);
  expect(await isChangeThere(one, first)).toBe(false);
  expect(worker(settled, "agent-1").status).toBe("abandoned");
  one.answers = { ...agreeable, "merge-request": () => ({ kind: "approve" }) };
  for (const card of one.engine.state().inbox.filter(({ kind }) => kind === "merge-request"))
    await one.execute("inbox.answer", { ...card, decision: { kind: "approve" } });
  expect(await one.until(over)).toMatchObject({ stage: "complete", failure: null });
  expect(await show(one, "main", path)).toBe("first");
});

test("a paused run pauses its attempts too, and they resume with it", {
  tags: ["long"],
}, async () => {
  fixture = await createFixture({
    files: reviewedByUser,
    script: scriptOf({ "agent-1": works(write(path, "first\n"), done("The first way.")) }),
    pace: 10,
  });
  const one = fixture;
  one.answers = choosesNothing;
  await one.start();
  await one.card("merge-request");
  await one.execute("attempt.fork", {
    worker: "agent-1",
    iteration: 1,
    turn: 1,
    words: "",
    model: null,
  });
  await one.execute("run.pause");
  await one.until((run) => run.paused === "paused");
  const asked = one.standIn.requests().length;
  const isWorking = (run: RunView) =>
    ["thinking", "tools", "checking"].includes(worker(run, "agent-2").state);
  await one.until((run) => !isWorking(run));
  expect(one.standIn.requests().length - asked).toBeLessThanOrEqual(1);
  await one.reopen();
  expect(one.engine.state().run?.paused).toBe("paused");
  await one.execute("run.resume");
  await one.card("attempts");
  await one.execute("run.stop");
  const run = one.engine.state().run as RunView;
  expect(run.stage).toBe("stopped");
  // The work of every attempt is saved in its change.
  expect(await show(one, worker(run, "agent-2").changeId ?? "", path)).toBe("first");
});
