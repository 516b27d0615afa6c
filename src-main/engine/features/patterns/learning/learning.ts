import { bestEffort } from "../../../kernel/best-effort.ts";
import { ownLog, type Run, type RunDriver, type RunReader, type RunScreen } from "../../../ports.ts";
import { rootOf, workflowIn } from "../../../workers/hierarchy.ts";
import { lessonsOf } from "../../../workflow/run-workflow.ts";
import { learnPatterns } from "./learn-patterns.ts";
import { scoreRun, writeMetrics } from "./write-metrics.ts";

/** After a result that was approved: its figures on the final change, and what may be worth knowing next time. */
export async function learn(run: Run): Promise<void> {
  await scoreRun(run);
  // A result that came back from landing has taught what it teaches.
  await run.step("learned", async () => {
    if (teaches(run))
      await bestEffort(run, "Patterns could not be extracted from the run", () => learnPatterns(run));
    return true;
  });
  // After all that learning cost as well.
  await writeMetrics(run);
  run.dispatch({ kind: "LearningComplete" });
}

/** Whether the run's patterns are looked for; the log says why. */
function teaches(run: RunReader & RunScreen & RunDriver): boolean {
  const { learning } = workflowIn(run, rootOf(run));
  const lessons = lessonsOf(run);
  const isAsked = learning.mode === "on" || (learning.mode === "auto" && lessons !== null);
  const why = learning.mode === "auto" && lessons !== null ? lessons : learning.reason;
  run.appendTranscript(ownLog, {
    kind: "notice",
    text: `${isAsked ? "Learning from the run" : "Nothing to learn from the run"}: ${why}`,
  });
  return isAsked;
}
