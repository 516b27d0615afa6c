import { expect, test } from "vitest";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Scene, Script } from "../../../../model/stand-in/script.ts";
import { choosesNothing, isChangeThere, reviewedByUser } from "../../../testing/attempts-script.ts";
import { call, parentsOf, scriptOf, show, worker, works } from "../../../testing/merge-request-script.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { done, plan, threeAgents, write } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const path = "src/one.txt";
/** One task, by agents that do as the test says. */
function oneTask(agents: Readonly<Record<string, readonly Scene[]>>): Script {
  const script = scriptOf(agents);
  const [first] = plan.tasks;
  const tasks = [{ ...first, id: "one", title: "The one task", files: [], after: [] }];
  return {
    ...script,
    routes: {
      ...script.routes,
      "O-A-1": [
        { name: "plan", prompt: /^\[EVENT plan\]/, steps: [call("propose_plan", { ...plan, tasks })] },
        ...(threeAgents.routes["O-A-1"] ?? []).filter((scene) => scene.name !== "plan"),
      ],
    },
  };
}
const two = oneTask({
  "agent-1": works(write(path, "first\n"), done("The first way.")),
  "agent-2": works(write(path, "second\n"), done("The second way.")),
});
const group = (run: RunView | null) => run?.attempts?.[0];

test("two attempts run in parallel, none is merged before one is chosen, and one undo restores the other", async () => {
  fixture = await createFixture({ files: reviewedByUser, script: two });
  const one = fixture;
  one.answers = choosesNothing;
  await one.start({ attempts: 2 });
  const card = await one.card("attempts");
  const run = one.engine.state().run as RunView;
  const [first, second] = [worker(run, "agent-1"), worker(run, "agent-2")];
  expect(await parentsOf(one, first.changeId)).toEqual(await parentsOf(one, second.changeId));
  expect(second.task).toBe(first.task);
  expect([first.mergeRequest, second.mergeRequest]).toEqual([null, null]);
  // They are to collide: nobody is told of it.
  expect(run.radar).toEqual([]);
  expect(card.kind === "attempts" && card.attempts.map(({ summary, files }) => [summary, files])).toEqual([
    ["The first way.", [{ path, added: 1, removed: 0 }]],
    ["The second way.", [{ path, added: 1, removed: 0 }]],
  ]);
  const compared = await one.execute("attempt.compare", { worker: "agent-1", against: null });
  expect(compared.attempts.map(({ diff }) => diff.includes("+second"))).toEqual([false, true]);
  expect(compared.attempts.every(({ microDollars, ms }) => microDollars > 0 && ms > 0)).toBe(true);

  await one.execute("attempt.choose", { worker: "agent-2" });
  const offered = await one.card("merge-request");
  expect(offered).toMatchObject({ from: "agent-2" });
  const chosen = one.engine.state().run as RunView;
  expect(group(chosen)).toMatchObject({ leader: "agent-2", chosen: "agent-2", canUndo: true });
  expect(worker(chosen, "agent-1")).toMatchObject({ status: "abandoned", workspace: null });
  expect(await isChangeThere(one, first.changeId)).toBe(false);
  expect(await one.repo.terminal(["workspace", "list"])).not.toContain("agent-1:");
  expect(one.engine.state().inbox.some(({ kind }) => kind === "attempts")).toBe(false);
  await expect(one.execute("attempt.choose", { worker: "agent-1" })).rejects.toThrow(/already chosen/);

  // Across a restart, too.
  await one.reopen();
  await one.execute("attempt.undoChoice", { worker: "agent-2" });
  const again = await one.card("attempts");
  expect(await isChangeThere(one, first.changeId)).toBe(true);
  const undone = one.engine.state().run as RunView;
  expect(group(undone)).toMatchObject({ chosen: null });
  expect(worker(undone, "agent-1")).toMatchObject({ status: "review", changeId: first.changeId });
  expect(await show(one, first.changeId ?? "", path)).toBe("first");
  await one.until((_, inbox) => !inbox.some(({ kind }) => kind === "merge-request"));

  // The other way round this time, by the card, and to the end.
  one.answers = agreeable;
  await one.execute("inbox.answer", { ...again, decision: { kind: "choose", worker: "agent-1" } });
  await one.card("merge-request");
  // A user takes the operation back with jj itself.
  const log = await one.repo.terminal([
    ...["op", "log", "--ignore-working-copy", "--no-graph", "-n", "40"],
    ...["-T", 'id ++ " " ++ description.first_line() ++ "\\n"'],
  ]);
  const abandoned = log.split("\n").find((line) => line.includes(" abandon commit "));
  await one.repo.terminal(["op", "revert", "--ignore-working-copy", abandoned?.split(" ")[0] ?? ""]);
  const third = await one.card("attempts");
  expect(group(one.engine.state().run)).toMatchObject({ chosen: null });
  await one.execute("inbox.answer", { ...third, decision: { kind: "choose", worker: "agent-1" } });
  const mergeRequest = await one.card("merge-request");
  expect(mergeRequest).toMatchObject({ from: "agent-1" });
  await one.execute("inbox.answer", { ...mergeRequest, decision: { kind: "approve" } });
  const end = await one.until(over);
  expect(end).toMatchObject({ stage: "complete", failure: null });
  expect(await show(one, "main", path)).toBe("first");
  expect(await isChangeThere(one, second.changeId)).toBe(false);
  expect(one.standIn.unmatched()).toEqual([]);
});
