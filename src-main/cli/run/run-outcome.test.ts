import { describe, expect, test } from "vitest";
import { endOf, idleRun, type StageEvent } from "#shared/domain/run/stage-state.ts";
import { transition } from "#shared/domain/run/transition.ts";
import { type ExitCode, exitCode } from "../command-line.ts";
import { exitCodeOf } from "./run-outcome.ts";

describe("the exit code depends only on the cause", () => {
  const toValidation: readonly StageEvent[] = [
    { kind: "StartOrchestration", limits: { repairRounds: 1, autoAdvance: true } },
    { kind: "PlanningComplete", tasks: [{ task: "a", phase: 1, after: [] }] },
    { kind: "ContractsComplete" },
    { kind: "PhaseComplete", phase: 0 },
    { kind: "TaskComplete", task: "a" },
    { kind: "AllTasksComplete" },
    { kind: "IntegrationReady" },
    { kind: "IntegrationClean" },
  ];
  const rejected = {
    ...{ kind: "ValidationFailed", reasons: ["wrong sum"], asks: "after-repairs" },
  } as const satisfies StageEvent;
  const repaired: StageEvent = { kind: "IntegrationClean" };
  const spent: StageEvent = { kind: "BudgetExhausted" };
  const broken: StageEvent = { kind: "Error", reason: "The disk is full.", remedy: "Make room." };

  test.each<readonly [string, readonly StageEvent[], ExitCode]>([
    [
      "rejected for good while its budget is spent",
      [spent, rejected, repaired, rejected, { kind: "ResultRejected" }],
      exitCode.rejected,
    ],
    [
      "rejected, put before a user, and stopped by them",
      [{ ...rejected, asks: "at-once" }, { kind: "ResultRejected" }],
      exitCode.rejected,
    ],
    [
      "stopped as a whole while its verdict is before a user",
      [
        { ...rejected, asks: "at-once" },
        { kind: "Stop", by: "user" },
      ],
      exitCode.error,
    ],
    [
      "landed against its verdict",
      [
        { ...rejected, asks: "at-once" },
        { kind: "ValidationPassed" },
        { kind: "LearningComplete" },
        { kind: "LandingComplete" },
      ],
      exitCode.done,
    ],
    ["rejected once, and failed in its repair", [rejected, broken], exitCode.error],
    ["stopped by a user while its budget is spent", [spent, { kind: "Stop", by: "user" }], exitCode.error],
    [
      "not granted more after a rejection",
      [rejected, spent, { kind: "Stop", by: "budget" }],
      exitCode.budget,
    ],
    [
      "landed while its budget is spent",
      [spent, { kind: "ValidationPassed" }, { kind: "LearningComplete" }, { kind: "LandingComplete" }],
      exitCode.done,
    ],
  ])("%s", (_, events, code) => {
    const state = [...toValidation, ...events].reduce((now, event) => transition(now, event)[0], idleRun);
    expect(exitCodeOf(endOf(state))).toBe(code);
  });
});
