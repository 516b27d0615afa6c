import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Plan, PlannedTask } from "../../domain/plan/plan.ts";
import { checkPlan } from "../../domain/plan/plan-check.ts";
import { problemGroups } from "../../domain/plan/problem-texts.ts";
import type { RunTimeline } from "../../domain/timeline/timeline.ts";
import { contractsPart, integrationPart, taskPart } from "../plan-layout.ts";
import { minRowHeight } from "../run-canvas/canvas-rows.ts";
import { layOutRun } from "../run-canvas/layout.ts";
import { claimButtonRoom, type PlanCanvas, partsOf, planCanvas, walkPlanCanvas } from "./plan-canvas.ts";

const priorities = ["critical", "high", "medium", "low"] as const;
const ahead = { hasContracts: true, hasIntegration: true, seats: 4, hasLanding: true };

const plans: fc.Arbitrary<Plan> = fc
  .record({
    phases: fc.integer({ min: 1, max: 5 }),
    tasks: fc.array(
      fc.record({
        phase: fc.integer({ min: 1, max: 6 }),
        priority: fc.constantFrom(...priorities),
        after: fc.array(fc.nat(45), { maxLength: 2 }),
        file: fc.integer({ min: 1, max: 4 }),
      }),
      { minLength: 1, maxLength: 45 },
    ),
  })
  .map(({ phases, tasks }) => ({
    ...{ goal: "g", summary: "", orchestrators: { count: 1, reason: "" } },
    contracts: { title: "c", description: "", files: [] },
    phases: Array.from({ length: phases }, (_, at) => ({ number: at + 1, title: `p${at + 1}` })),
    tasks: tasks.map(
      ({ phase, priority, after, file }, at): PlannedTask => ({
        ...{ id: `t${at}`, title: `task ${at}`, description: "", phase, priority },
        files: [`src/${file}.ts`],
        after: after.map((other) => `t${other}`),
      }),
    ),
    integration: { title: "i", description: "" },
    budget: { tokens: null, microDollars: null },
  }));

const rooms = fc.constantFrom(
  { width: 1040, height: 700 },
  { width: 696, height: 500 },
  { width: 420, height: 300 },
);
const laidOut = (plan: Plan, room = { width: 1040, height: 700 }): PlanCanvas =>
  planCanvas({ plan, ahead, room, problems: problemGroups(plan, checkPlan(plan)) });

const timeline: RunTimeline = {
  ...{ run: "r", startedAt: 0, endedAt: null },
  ...{ tracks: [], messages: [], decisions: [], breaks: [] },
};

describe("a proposed plan on the canvas", () => {
  test("has the same lanes and columns as its run right after approval", () => {
    fc.assert(
      fc.property(plans, rooms, (plan, room) => {
        const proposed = laidOut(plan, room);
        const approved = layOutRun({
          root: {
            ...{ orchestrator: "O-A-1", title: "g", phases: plan.phases },
            tasks: plan.tasks.map((task) => ({
              ...task,
              ...{ id: `O-A-1/${task.id}`, rank: null, worker: null, isFinished: false, part: null },
            })),
          },
          ...{
            timeline,
            ahead,
            radar: [],
            waiting: [],
            now: 50,
            room,
            window: null,
            isFollowingNow: true,
            folded: {},
          },
        });
        expect(proposed.rows.map(({ part, y, height }) => [part, y, height])).toEqual(
          approved.rows.map(({ id, y, height }) => [taskPart(id.slice("O-A-1/".length)), y, height]),
        );
        for (const place of ["margin", "contracts", "integrate", "seats", "land"] as const)
          expect(proposed.columns[place]).toEqual(approved.columns[place]);
      }),
    );
  });

  test("shows each task once, inside the column of its phase, right of its dependencies there", () => {
    fc.assert(
      fc.property(plans, rooms, (plan, room) => {
        const { rows, phases, rowsBottom } = laidOut(plan, room);
        expect(rows.map(({ index }) => index).sort((a, b) => a - b)).toEqual(plan.tasks.map((_, at) => at));
        let y = 0;
        const isSound = !checkPlan(plan).some(({ severity }) => severity === "fatal");
        for (const row of rows) {
          expect(row.y).toBeGreaterThanOrEqual(y);
          expect(row.height).toBeGreaterThanOrEqual(minRowHeight);
          y = row.y + row.height;
          const task = plan.tasks[row.index];
          const phase = phases.find(({ number }) => number === task?.phase);
          if (!phase || phase.width < 60) continue;
          expect(row.box.x).toBeGreaterThanOrEqual(phase.x);
          for (const before of isSound ? rows : []) {
            const other = plan.tasks[before.index];
            if (other && task?.after.includes(other.id) && other.phase === task.phase)
              expect(row.box.x).toBeGreaterThan(before.box.x);
          }
        }
        expect(rowsBottom).toBe(y);
        // Phases are bands: no lane of another one is inside.
        for (const { number, band } of phases)
          expect(rows.filter((row) => band && row.y >= band.top && row.y < band.bottom).length).toBe(
            plan.tasks.filter(({ phase }) => phase === number).length,
          );
      }),
    );
  });

  test("draws no two buttons of overlapping claims on each other, and a line for each of the first ones", () => {
    fc.assert(
      fc.property(plans, rooms, (plan, room) => {
        const { claims, rows } = laidOut(plan, room);
        for (const [at, { problem, lanes, button }] of claims.entries()) {
          expect(lanes).toHaveLength(
            rows.filter(({ part }) => problem.tasks.some((id) => taskPart(id) === part)).length,
          );
          for (const other of claims.slice(at + 1))
            expect(Math.abs(other.button.y - button.y)).toBeGreaterThanOrEqual(claimButtonRoom);
        }
        const meetings = problemGroups(plan, checkPlan(plan)).filter(({ kind }) => kind === "overlap");
        expect(claims).toHaveLength(Math.min(12, meetings.length));
      }),
    );
  });

  test("leads the keys to every part, and back", () => {
    fc.assert(
      fc.property(plans, (plan) => {
        const canvas = laidOut(plan);
        const parts = partsOf(canvas);
        const met = [parts[0]];
        for (let part = parts[0]; part !== undefined; ) {
          const next = walkPlanCanvas(canvas, part, "ArrowDown");
          if (next !== null) {
            expect(walkPlanCanvas(canvas, next, "ArrowUp")).toBe(part);
            met.push(next);
          }
          part = next ?? undefined;
        }
        expect(met).toEqual(parts);
        // Along time every way ends: at the contracts on one side, at the integration on the other.
        for (const from of parts) {
          let part = from;
          for (
            let next = walkPlanCanvas(canvas, part, "ArrowRight");
            next;
            next = walkPlanCanvas(canvas, part, "ArrowRight")
          )
            part = next;
          expect(part).toBe(integrationPart);
          for (
            let next = walkPlanCanvas(canvas, part, "ArrowLeft");
            next;
            next = walkPlanCanvas(canvas, part, "ArrowLeft")
          )
            part = next;
          expect(part).toBe(contractsPart);
        }
      }),
    );
  });

  test("says once that a phase waits for all of the one before it", () => {
    const task = (id: string, phase: number, after: readonly string[] = []): PlannedTask => ({
      ...{ id, title: id, description: "", phase, priority: "medium", files: [], after },
    });
    const plan: Plan = {
      ...{ goal: "g", summary: "", orchestrators: { count: 1, reason: "" } },
      contracts: { title: "c", description: "", files: [] },
      phases: [1, 2, 3].map((number) => ({ number, title: `p${number}` })),
      tasks: [task("a", 1), task("b", 2, ["a"]), task("c", 3), task("d", 3, ["c"])],
      integration: { title: "i", description: "" },
      budget: { tokens: null, microDollars: null },
    };
    const { phases, waits } = laidOut(plan);
    expect(phases.map(({ waitsForPhase }) => waitsForPhase)).toEqual([false, false, true]);
    expect(waits.map(({ upper, lower }) => `${upper} ${lower}`)).toEqual(["task:b task:a", "task:d task:c"]);
    for (const { from, to } of waits) expect(to.x).toBeGreaterThan(from.x);
  });
});
