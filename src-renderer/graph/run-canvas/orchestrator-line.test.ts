import { expect, test } from "vitest";
import type { OrchestratorView } from "#shared/contract/views/run.ts";
import { orchestratorLine } from "./orchestrator-line.ts";

const part = (over: Partial<OrchestratorView>): OrchestratorView =>
  ({
    state: "sleeping",
    activity: "",
    stage: "executing",
    phase: 1,
    tasksDone: 1,
    plan: { phases: [{}, {}], tasks: [{}, {}, {}] },
    planApproved: true,
    ...over,
  }) as OrchestratorView;

test.each([
  [{}, "sleeping · phase 1 of 2 · 1 of 3 tasks"],
  [{ state: "active", activity: "reading src/a.ts" }, "reading src/a.ts · phase 1 of 2 · 1 of 3 tasks"],
  [{ phase: 0 }, "sleeping · contracts · 1 of 3 tasks"],
  [{ stage: "planning", planApproved: false, state: "active" }, "active · planning"],
  [{ stage: "planning", planApproved: false }, "plan ready for your review"],
  [{ stage: "planning", planApproved: false, plan: null }, "sleeping · planning"],
  [{ state: "done", stage: "complete", tasksDone: 3 }, "complete · 3 of 3 tasks"],
  [{ state: "planned", stage: "idle" }, "starts with its task"],
] as const)("%j → %s", (over, line) => expect(orchestratorLine(part(over))).toBe(line));
