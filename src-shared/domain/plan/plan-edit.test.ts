import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aPlan, aTask, phases } from "../../testing/kit.ts";
import { priorities } from "../change-metadata/metadata.ts";
import {
  agentAt,
  agentsNote,
  attemptsAt,
  inOrder,
  type Plan,
  type PlannedTask,
  parentTasks,
  possiblePredecessors,
  tasksById,
  waitsFor,
  withAnotherAgent,
  withChosenAgents,
} from "./plan.ts";
import { checkPlan } from "./plan-check.ts";
import {
  blankTask,
  editPlan,
  editPlanBy,
  editsBetween,
  freeId,
  linkedAs,
  type PlanEdit,
} from "./plan-edit.ts";
import { remediesOf } from "./problem-texts.ts";

const task = (id: string, over: Partial<PlannedTask> = {}): PlannedTask =>
  aTask(id, { files: [`src/${id}.ts`], ...over });
const plan = (...tasks: readonly PlannedTask[]): Plan => aPlan({ tasks, phases: phases("one", "two") });
const amended = (one: Plan, ...edits: PlanEdit[]): Plan => {
  const result = editPlanBy(one, edits);
  if (result.kind === "refused") throw new Error(result.reason);
  return result.plan;
};
const waits = (one: Plan, id: string) => one.tasks.find((each) => each.id === id)?.after;

describe("one edit", () => {
  const abc = plan(task("a"), task("b", { after: ["a"] }), task("c", { phase: 2, after: ["b"] }));

  test("dependents of a removed task wait for its dependencies", () => {
    const without = amended(abc, { kind: "remove", task: "b" });
    expect(without.tasks.map((one) => one.id)).toEqual(["a", "c"]);
    expect(waits(without, "c")).toEqual(["a"]);
    expect(abc.tasks).toHaveLength(3);
  });

  test("an edit without effect returns the same plan", () => {
    const nothing: readonly PlanEdit[] = [
      { kind: "link", task: "b", after: "a" },
      { kind: "unlink", task: "a", after: "c" },
      { kind: "move", task: "a", phase: 1 },
      { kind: "change", task: "a", patch: { title: "a", files: ["src/a.ts"] } },
      { kind: "phase", number: 1, title: "one" },
    ];
    for (const edit of nothing) expect(amended(abc, edit)).toBe(abc);
  });

  test("an invalid edit is refused with the remedy", () => {
    expect(editPlan(abc, { kind: "link", task: "a", after: "a" })).toMatchObject({ kind: "refused" });
    expect(editPlan(abc, { kind: "remove", task: "z" })).toMatchObject({
      reason: 'The plan has no task "z".',
      remedy: "Its tasks are a, b, c.",
    });
    expect(editPlan(abc, { kind: "add", task: task("a") })).toMatchObject({
      remedy: 'Call the new one "a-2".',
    });
    expect(
      editPlanBy(abc, [
        { kind: "remove", task: "a" },
        { kind: "link", task: "b", after: "a" },
      ]),
    ).toMatchObject({ kind: "refused" });
  });

  test("a new task has a unique name", () => {
    const more = amended(abc, { kind: "add", task: blankTask(abc, 1) });
    expect(freeId(more)).not.toBe(more.tasks.at(-1)?.id);
    expect(
      new Set(amended(more, { kind: "add", task: blankTask(more, 2) }).tasks.map((one) => one.id)).size,
    ).toBe(5);
  });
});

test("the difference between two states of a task is returned as edits", () => {
  fc.assert(
    fc.property(anyTask, anyTask, (before, other) => {
      // Nobody waits for itself, and a name stays.
      const from = { ...before, after: before.after.filter((one) => one !== before.id) };
      const to = { ...other, id: before.id, after: other.after.filter((one) => one !== before.id) };
      const others = ids.filter((one) => one !== before.id).map((one) => task(one));
      const got = amended(plan(...others, from), ...editsBetween(from, to)).tasks.find(
        (one) => one.id === before.id,
      );
      expect({ ...got, after: got?.after.toSorted() }).toEqual({ ...to, after: to.after.toSorted() });
    }),
    { numRuns: 300 },
  );
});

describe("the order of work", () => {
  test("a task's parents are its dependencies, else the phase before, else the contracts", () => {
    const one = plan(task("a"), task("b"), task("c", { phase: 2 }), task("d", { phase: 2, after: ["a"] }));
    expect(one.tasks.map((each) => parentTasks(one, each))).toEqual([[], [], ["a", "b"], ["a"]]);
  });

  test("a task is never offered a dependency on its dependents, nor on a later phase", () => {
    const one = plan(task("a"), task("b", { after: ["a"] }), task("c", { phase: 2, after: ["b"] }));
    const offered = (id: string) => possiblePredecessors(one, id).map((each) => each.id);
    expect(["a", "b", "c"].map(offered)).toEqual([[], ["a"], ["a", "b"]]);
  });

  test("a task moved onto one of a later phase joins that phase, and so do its dependents", () => {
    const one = linkedAs(
      plan(task("a"), task("b", { after: ["a"] }), task("c", { phase: 2 }), task("d")),
      "a",
      ["c"],
    );
    expect(one.tasks.map((each) => [each.id, each.phase])).toEqual([
      ["a", 2],
      ["b", 2],
      ["c", 2],
      ["d", 1],
    ]);
    expect(checkPlan(one).filter((problem) => problem.severity === "fatal")).toEqual([]);
  });
});

const ids = ["a", "b", "c", "d", "e"] as const;
const id = fc.constantFrom(...ids);
const phase = fc.integer({ min: 1, max: 3 });
const anyTask: fc.Arbitrary<PlannedTask> = fc.record({
  id,
  title: fc.constant("t"),
  description: fc.constant(""),
  phase,
  priority: fc.constantFrom(...priorities),
  files: fc.subarray(["src/a.ts", "src/b.ts", "src/"]),
  after: fc.subarray([...ids]),
});
const anyEdit: fc.Arbitrary<PlanEdit> = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), task: anyTask }),
  fc.record({ kind: fc.constant("remove" as const), task: id }),
  fc.record({ kind: fc.constantFrom("link" as const, "unlink" as const), task: id, after: id }),
  fc.record({ kind: fc.constant("move" as const), task: id, phase }),
  fc.record({ kind: fc.constant("phase" as const), number: phase, title: fc.constant("p") }),
  fc.record({
    kind: fc.constant("change" as const),
    task: id,
    patch: fc.record({ files: fc.subarray(["src/a.ts", "src/c.ts"]), title: fc.constant("u") }),
  }),
);
const inCircle = (one: Plan): boolean => {
  const byId = tasksById(one);
  return one.tasks.some((each) => waitsFor(each.id, each.id, byId));
};

test("every cycle, gap or dependency on a later phase is reported by the check", () => {
  fc.assert(
    fc.property(fc.array(anyEdit, { maxLength: 30 }), (edits) => {
      let now = plan(task("a"), task("b"), task("c", { phase: 2 }));
      for (const edit of edits) {
        const before = JSON.stringify(now);
        const result = editPlan(now, edit);
        expect(JSON.stringify(now)).toBe(before);
        if (result.kind === "refused") continue;
        now = result.plan;
        const problems = checkPlan(now);
        const hasProblem = (kind: string) => problems.some((problem) => problem.kind === kind);
        expect(hasProblem("circle")).toBe(inCircle(now));
        expect(hasProblem("same-id")).toBe(false);
        const known = new Set(now.tasks.map((each) => each.id));
        expect(hasProblem("unknown")).toBe(
          now.tasks.some((each) => each.after.some((one) => !known.has(one))),
        );
        if (problems.every((problem) => problem.severity !== "fatal"))
          for (const [at, each] of inOrder(now.tasks).entries()) {
            const earlier = new Set(
              inOrder(now.tasks)
                .slice(0, at)
                .map((one) => one.id),
            );
            expect(each.after.every((one) => earlier.has(one))).toBe(true);
          }
      }
    }),
    { numRuns: 500 },
  );
});

test("every offered remedy solves its problem, and a valid plan stays valid", () => {
  fc.assert(
    fc.property(fc.uniqueArray(anyTask, { selector: (one) => one.id, maxLength: 5 }), (tasks) => {
      const now = plan(...tasks);
      const before = checkPlan(now);
      const sound = before.every((problem) => problem.severity !== "fatal");
      for (const problem of before)
        for (const { edits } of remediesOf(now, problem)) {
          const result = editPlanBy(now, edits);
          if (result.kind === "refused") throw new Error(result.reason);
          const left = checkPlan(result.plan);
          if (problem.kind !== "circle" && problem.kind !== "unknown")
            expect(left.filter((one) => one.text === problem.text)).toEqual([]);
          if (sound) expect(left.every((one) => one.severity !== "fatal")).toBe(true);
        }
    }),
    { numRuns: 500 },
  );
});

test("linking from the graph never leaves a dependency on a later phase", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(id, fc.subarray([...ids])), { maxLength: 12 }),
      fc.array(phase, { minLength: 5, maxLength: 5 }),
      (links, phases) => {
        let now: Plan = plan(...ids.map((one, at) => task(one, { phase: phases[at] ?? 1 })));
        now = { ...now, phases: [1, 2, 3].map((number) => ({ number, title: "p" })) };
        for (const [one, on] of links) now = linkedAs(now, one, on);
        const late = checkPlan(now).filter((problem) => problem.kind === "later-phase");
        expect(late).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

describe("agents of a task", () => {
  const one = plan(task("a"));
  const changed = (edited: Plan, patch: Partial<PlannedTask>): PlannedTask => {
    const { tasks } = amended(edited, { kind: "change", task: "a", patch } as PlanEdit);
    return tasks[0] ?? task("none");
  };

  test("each attempt has its own, and one that is missing is as the first", () => {
    const { agents } = changed(one, { agents: ["codex/gpt-5.5"], attempts: 2 });
    expect([1, 2].map((nth) => agentAt({ agents }, nth))).toEqual(["codex/gpt-5.5", "codex/gpt-5.5"]);
    expect(agentAt(task("a"), 1)).toBeNull();
  });

  test("another one makes a further attempt, and fewer attempts leave the first ones", () => {
    const agents = withAnotherAgent(task("a"), "codex/gpt-5.5", 1);
    expect(agents).toEqual(["", "codex/gpt-5.5"]);
    const two = changed(one, { agents });
    expect(attemptsAt(two)).toBe(2);
    expect(agentsNote(two)).toBe("the run’s agent and codex/gpt-5.5");
    const alone = changed(plan(two), { attempts: 1 });
    expect(attemptsAt(alone)).toBe(1);
    expect(alone).not.toHaveProperty("agents");
  });

  test("a form sends them, and a plan that is proposed once more keeps them", () => {
    const two = { ...task("a"), agents: ["", "claude"] };
    expect(editsBetween(task("a"), two)).toEqual([
      { kind: "change", task: "a", patch: { agents: ["", "claude"] } },
    ]);
    expect(withChosenAgents(one, plan(two)).tasks[0]?.agents).toEqual(["", "claude"]);
    expect(withChosenAgents(one, null)).toEqual(one);
  });
});
