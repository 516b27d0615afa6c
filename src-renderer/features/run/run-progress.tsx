import type { RunView } from "#shared/contract/views/run.ts";
import { cx } from "../../kit/class-names.ts";
import { useHost } from "../../state/host-store.ts";
import { currentStep, runLine, type Step, stepNames, stepsOf } from "./stages.ts";

/** A step that this run does not show counts as the one before it. */
function reachedIn(shown: readonly Step[], now: Step): number {
  const at = shown.indexOf(now);
  return at >= 0 ? at : ["integrate", "validate", "learn"].includes(now) ? shown.length - 1 : 0;
}

/** Goal, current step and the way there, on one line that never changes its height. */
export function RunProgress({ run }: { readonly run: RunView }) {
  const inbox = useHost((state) => state.inbox);
  const now = currentStep(run);
  const steps = stepsOf(run);
  const reached = now === "end" ? steps.length : reachedIn(steps, now);
  const ended = run.endedAt !== null;
  return (
    <div className="flex min-w-0 items-center gap-3">
      <ol aria-label="Steps of the run" className="hidden shrink-0 items-center gap-1 min-[1180px]:flex">
        {steps.map((step, index) => (
          <li
            key={step}
            aria-current={index === reached && !ended ? "step" : undefined}
            title={stepNames[step]}
            className={cx(
              "h-1.5 w-5 rounded-full",
              index < reached && "bg-success",
              index === reached &&
                (run.stage === "failed" ? "bg-danger" : ended ? "bg-line-strong" : "bg-accent"),
              index === reached && !ended && run.paused === "no" && run.awaiting.length === 0 && "breathe",
              index > reached && "bg-line-strong",
            )}
          >
            <span className="sr-only">
              {stepNames[step]}
              {index < reached ? ", done" : index === reached && !ended ? ", now" : ""}
            </span>
          </li>
        ))}
      </ol>
      <p className="min-w-0 truncate text-sm" title={run.goal}>
        <span className={cx("font-medium", run.stage === "failed" && "text-danger")} role="status">
          {runLine(run, inbox)}
        </span>
        <span className="text-faint"> · {run.goal}</span>
      </p>
    </div>
  );
}
