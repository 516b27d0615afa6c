import type { Feature } from "../../../kernel/feature.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { requireSandbox } from "../../../workspaces/sandbox-gate.ts";
import { askAboutVerdict, checkVerdictAnswer, withdrawVoidVerdict } from "./ask-about-verdict.ts";
import { judgePhase } from "./judge-phase.ts";
import { validateResult } from "./validate-result.ts";

/** Seats judge the result; what they do not approve, a person decides in the end. */
export const validation: Feature<Run> = {
  name: "validation",
  services: (run) => ({
    validation: { judgePhase: (phase, signal) => judgePhase(run, phase, signal) },
  }),
  course: {
    SpawnValidators: {
      title: "Validation failed",
      async perform(run, { action }, signal) {
        await requireSandbox(run);
        await validateResult(run, action.attempt, signal);
      },
    },
    AskAboutVerdict: {
      title: "You could not be asked about the verdict",
      perform: (run, { action }, signal) => askAboutVerdict(run, action.id, signal),
    },
  },
  cardChecks: { votes: checkVerdictAnswer },
  recover: withdrawVoidVerdict,
  onGraph(run) {
    const before = resultIn(run);
    return () => {
      // Whoever judges it looks whether it still is what is judged.
      if (resultIn(run) !== before) run.waiters.wake();
    };
  },
};

const resultIn = (run: RunReader): string | undefined =>
  run.changes.get(run.orchestratorFacts(rootOf(run)).integration ?? "")?.commitId;
