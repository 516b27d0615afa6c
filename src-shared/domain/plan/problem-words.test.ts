import { expect, test } from "vitest";
import { aPlan, aTask, phases } from "../../testing/kit.ts";
import type { Plan, PlannedTask } from "./plan.ts";
import { checkPlan } from "./plan-check.ts";
import { editPlanBy } from "./plan-edit.ts";
import { formatPlanProblem, problemGroups } from "./problem-texts.ts";

const task = (
  id: string,
  title: string,
  files: readonly string[],
  over: Partial<PlannedTask> = {},
): PlannedTask => aTask(id, { title, files, ...over });
const plan = (tasks: readonly PlannedTask[]): Plan => aPlan({ tasks, phases: phases("one", "two") });

test("sixteen tasks that claim one file are one problem, and its remedy settles all 120 pairs", () => {
  const many = plan(
    Array.from({ length: 16 }, (_, n) => task(`t${n}`, `Part ${n}`, ["CHANGELOG.md", `src/${n}.ts`])),
  );
  const problems = checkPlan(many);
  expect(problems).toHaveLength(120);
  const groups = problemGroups(many, problems);
  expect(groups.map(({ text }) => text)).toEqual([
    "16 tasks that run at the same time claim CHANGELOG.md: “Part 0”, “Part 1”, “Part 2” and 13 more.",
  ]);
  const [remedy] = groups[0]?.remedies ?? [];
  expect(remedy?.label).toBe("Run the 16 one after another");
  const settled = editPlanBy(many, remedy?.edits ?? []);
  if (settled.kind === "refused") throw new Error(settled.reason);
  expect(checkPlan(settled.plan)).toEqual([]);
});

test("files with the same overlapping tasks are one problem; tasks of another phase are separate", () => {
  const both = plan([
    task("a", "Shop", ["a.md", "b.md"]),
    task("b", "Till", ["b.md", "a.md"]),
    task("c", "Stock", ["a.md"], { phase: 2 }),
    task("d", "Orders", ["a.md"], { phase: 2 }),
  ]);
  expect(problemGroups(both, checkPlan(both)).map(({ text }) => text)).toEqual([
    "“Shop” and “Till” run at the same time and both claim a.md and b.md.",
    "“Stock” and “Orders” run at the same time and both claim a.md.",
  ]);
});

test("no problem names a task by its id if it has a title", () => {
  const wrong = plan([
    task("t1", "Shop", ["a.md"], { after: ["t2"] }),
    task("t2", "Till", ["b.md"], { after: ["t1"] }),
    task("t3", "Stock", ["c.md"], { after: ["t4"] }),
    task("t4", "", ["d.md"], { phase: 2 }),
  ]);
  const problems = checkPlan(wrong);
  expect(problems.map(({ text }) => text).join(" ")).toContain("t1");
  const words = problems.map((problem) => formatPlanProblem(wrong, problem));
  expect(words).toContain("These tasks wait for each other: “Shop” → “Till” → “Shop”.");
  expect(words.join(" ")).not.toMatch(/t[123]/u);
  expect(words.join(" ")).toContain("“Stock”");
  expect(problemGroups(wrong, problems)[0]?.severity).toBe("fatal");
});
