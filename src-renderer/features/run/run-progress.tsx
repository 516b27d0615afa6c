import { Popover } from "@base-ui/react/popover";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { cx } from "../../kit/class-names.ts";
import { usePartOfHost } from "../../state/host-store.ts";
import { currentStep, runLine, type Step, stepNames, stepsOf } from "./stages.ts";

/** A step that this run does not show counts as the one before it. */
function reachedIn(shown: readonly Step[], now: Step): number {
  const at = shown.indexOf(now);
  return at >= 0 ? at : ["integrate", "validate", "learn"].includes(now) ? shown.length - 1 : 0;
}

type StepStatus = "done" | "now" | "failed" | "not reached" | "ahead";

interface ShownStep {
  readonly name: string;
  readonly status: StepStatus;
}

function shownSteps(run: RunView): readonly ShownStep[] {
  const steps = stepsOf(run);
  const now = currentStep(run);
  const reached = now === "end" ? steps.length : reachedIn(steps, now);
  const here: StepStatus = run.stage === "failed" ? "failed" : run.endedAt !== null ? "not reached" : "now";
  const ahead: StepStatus = run.endedAt !== null ? "not reached" : "ahead";
  return steps.map((step, index) => ({
    name: stepNames[step],
    status: index < reached ? "done" : index === reached ? here : ahead,
  }));
}

const looks: Readonly<Record<StepStatus, string>> = {
  done: "bg-success",
  now: "bg-accent",
  failed: "bg-danger",
  "not reached": "bg-line-strong",
  ahead: "bg-line-strong",
};

/** Goal, current step and the way there, on one line that never changes its height. */
export function RunProgress() {
  const shown = usePartOfHost(({ run, inbox }) => run && progressOf(run, inbox));
  if (shown === null) return null;
  const { goal, line, isFailed, steps, isMoving } = shown;
  return (
    <div className="flex min-w-0 items-center gap-3">
      {steps.length > 0 && (
        <span className="shrink-0 max-[860px]:hidden">
          <Steps steps={steps} isMoving={isMoving} />
        </span>
      )}
      <p className="min-w-0 truncate text-sm" title={goal}>
        <span className={cx("font-medium", isFailed && "text-danger")} role="status">
          {line}
        </span>
        <span className="text-faint"> · {goal}</span>
      </p>
    </div>
  );
}

const progressOf = (run: RunView, inbox: readonly InboxItem[]) => ({
  goal: run.goal,
  line: runLine(run, inbox),
  isFailed: run.stage === "failed",
  steps: shownSteps(run),
  isMoving: run.paused === "no" && run.awaiting.length === 0,
});

interface StepsProps {
  readonly steps: readonly ShownStep[];
  readonly isMoving: boolean;
}

/** The way of the run as a row of strokes, as wide in every step; pointed at or opened, it names them. */
function Steps({ steps, isMoving }: StepsProps) {
  const at = steps.findIndex(({ status }) => status === "now");
  const here = at < 0 ? "over" : `${steps[at]?.name}, ${at + 1} of ${steps.length}`;
  return (
    <Popover.Root>
      <Popover.Trigger
        openOnHover
        delay={200}
        aria-label={`Steps of the run: ${here}`}
        className="inline-flex h-7 shrink-0 items-center gap-1 rounded-md px-1 hover:bg-hover"
      >
        {steps.map(({ name, status }) => (
          <span
            key={name}
            aria-hidden
            className={cx(
              "h-1.5 w-2 rounded-full min-[1180px]:w-5",
              looks[status],
              status === "now" && isMoving && "breathe",
            )}
          />
        ))}
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} align="start" className="z-40">
          <Popover.Popup className="appear min-w-44 rounded-lg border bg-raised px-3 py-2 text-sm shadow-pop outline-none">
            <ol aria-label="Steps of the run">
              {steps.map(({ name, status }) => (
                <li
                  key={name}
                  aria-current={status === "now" ? "step" : undefined}
                  className="flex h-6 items-center gap-2"
                >
                  <span aria-hidden className={cx("size-2 shrink-0 rounded-full", looks[status])} />
                  <span className={cx("flex-1", status === "now" ? "font-medium" : "text-muted")}>
                    {name}
                  </span>
                  <span className={status === "failed" ? "text-danger" : "text-muted"}>{status}</span>
                </li>
              ))}
            </ol>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
