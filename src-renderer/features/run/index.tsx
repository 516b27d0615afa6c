import { Popover } from "@base-ui/react/popover";
import { ChevronDown, Command, Flag, Layers } from "lucide-react";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { Look, Present } from "#shared/domain/people/role.ts";
import { runAgain } from "#shared/domain/run/away-summary.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { Badge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/class-names.ts";
import { Menu } from "../../kit/menu.tsx";
import { PersonAvatar } from "../../kit/person-avatar.tsx";
import { Tooltip } from "../../kit/tooltip.tsx";
import { registeredPages } from "../../registry/registry.ts";
import { goToInbox } from "../../state/go-to.ts";
import { useHost, usePartOfHost } from "../../state/host-store.ts";
import { rootOf, runsOf, showNextRun, showRun } from "../../state/other-runs.ts";
import { useOthers } from "../../state/people.ts";
import { useReplay } from "../../state/replay-store.ts";
import { openDialog, showPage, useSelection } from "../../state/selection-store.ts";
import { RepositoryMenu } from "../repositories/repository-menu.tsx";
import { WaitingElsewhere } from "../repositories/waiting-elsewhere.tsx";
import { BudgetMeter } from "./budget-meter.tsx";
import { RunControls } from "./run-controls.tsx";
import { currentStep, runLine, type Step, stepNames, stepsOf } from "./stages.ts";
import { StartRunDialog } from "./start-run-dialog.tsx";

/**
 * The upper edge of the window: what is open, what runs, what it costs, and what waits for a user. Each part listens to
 * what it shows: a run has updates many times a second, and its buttons none.
 */
export function RunHeader() {
  return (
    <header className="flex h-11 shrink-0 items-center gap-2 border-b bg-surface px-2.5">
      <RepositoryMenu />
      <WaitingElsewhere />
      <RunSwitcher />
      <RunControls />
      <div className="flex min-w-0 flex-1 items-center gap-2.5 overflow-hidden">
        <RunProgress />
        <RehearsalBadge />
      </div>
      <PeopleHere />
      <BudgetMeter />
      <PageButtons />
      <InboxButton />
      <IconButton
        label="Command palette"
        keys="mod+k"
        icon={<Command size={15} />}
        onClick={() => openDialog("palette")}
      />
      <StartDialogs />
    </header>
  );
}

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
function RunProgress() {
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

/** Which of several runs is on screen, and the status of the others. Nothing where there is one. */
function RunSwitcher() {
  const run = useHost((state) => state.run);
  const otherRuns = useHost((state) => state.otherRuns);
  const inbox = useHost((state) => state.inbox);
  const isReplaying = useReplay((state) => state.view !== null);
  if (!run || otherRuns.length === 0 || isReplaying) return null;
  const all = runsOf({ run, otherRuns });
  const waiting = inbox.filter((item) => item.run !== run.id).length;
  return (
    <Menu
      entries={[
        ...all.map((one) => ({
          label: entryOf(one, inbox),
          checked: one.id === run.id,
          onSelect: () => showRun(one.id),
        })),
        "separator" as const,
        { label: "The next run", keys: "alt+o", onSelect: showNextRun },
      ]}
      trigger={
        <button
          type="button"
          aria-label={`Run ${rootOf(run)} of ${all.length}${waiting > 0 ? `, ${waiting} waiting in others` : ""}`}
          className="inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md border px-2 text-sm hover:bg-hover"
        >
          <Layers size={13} className="shrink-0 text-muted" aria-hidden />
          <span className="tabular-nums">
            <span className="font-medium">{rootOf(run)}</span>{" "}
            <span className="text-muted">of {all.length}</span>
          </span>
          {waiting > 0 && <span className="size-1.5 shrink-0 rounded-full bg-warning" aria-hidden />}
          <ChevronDown size={13} className="shrink-0 text-faint" aria-hidden />
        </button>
      }
    />
  );
}

function entryOf(run: RunView, inbox: readonly InboxItem[]): string {
  const waiting = inbox.filter((item) => item.run === run.id).length;
  const line = waiting > 0 ? `${waiting} waiting` : runLine(run);
  return `${rootOf(run)} · ${shownLine(startOf(run.goal, 48))} · ${line}`;
}

function RehearsalBadge() {
  const isRehearsal = useHost(({ run }) => run?.rehearsal != null);
  if (!isRehearsal) return null;
  return (
    <Tooltip text="Rehearsal: only the model responses are scripted. Files, commands, jj, conflicts and votes are real. It costs nothing.">
      {/* In little room what the run does goes before; the status bar says it as well. */}
      <span className="shrink-0 max-[1180px]:hidden">
        <Badge tone="info">Rehearsal</Badge>
      </span>
    </Tooltip>
  );
}

function StartDialogs() {
  const dialog = useSelection((state) => state.dialog);
  if (dialog === "start-run") return <StartRunDialog />;
  return dialog === "run-again" ? <RunAgainDialog /> : null;
}

function RunAgainDialog() {
  const again = usePartOfHost(({ run }) => run && runAgain(run));
  const isThere = useHost(({ run }) => run !== null);
  return isThere && <StartRunDialog again={again} />;
}

const headerPages = () => registeredPages().filter(({ isOfOneChange }) => !isOfOneChange);

/** The ways to what is no part of the graph. */
function PageButtons() {
  const shown = useSelection((state) => state.page);
  return (
    // In little room they are found in the palette and by their keys: what the run does stays.
    <nav aria-label="Pages" className="flex shrink-0 items-center max-[860px]:hidden">
      {headerPages().map(({ id, title, keys, icon }) => (
        <IconButton
          key={id}
          label={title}
          keys={keys}
          icon={icon}
          pressed={shown === id}
          onClick={() => showPage(shown === id ? null : id)}
        />
      ))}
    </nav>
  );
}

function InboxButton() {
  const waiting = useHost((state) => state.inbox.length);
  return (
    <Tooltip text={waiting === 0 ? "Nothing is waiting for you" : "Cards waiting for you"} keys="alt+i">
      <button
        type="button"
        aria-label={`Inbox, ${waiting} waiting`}
        onClick={goToInbox}
        className={`inline-flex h-7 shrink-0 items-center gap-1.5 rounded-md px-2 text-sm tabular-nums ${
          waiting > 0 ? "bg-warning-soft font-medium text-warning" : "text-muted hover:bg-hover"
        }`}
      >
        <Flag size={14} aria-hidden />
        {waiting}
      </button>
    </Tooltip>
  );
}

/** Beyond these only a number is shown. */
const maxShown = 4;

/** Who else is connected, and what they look at. */
function PeopleHere() {
  const others = useOthers();
  const repository = useHost((state) => state.repository?.path ?? null);
  const run = useHost((state) => state.run?.id ?? null);
  if (others.length === 0) return null;
  const more = others.length - maxShown;
  return (
    <ul aria-label="People here" className="flex shrink-0 items-center gap-1">
      {others.slice(0, maxShown).map((one) => (
        <li key={one.name} className="flex">
          <PersonAvatar name={one.name} detail={lookText(one, { repository, run })} />
        </li>
      ))}
      {more > 0 && <li className="text-xs text-muted">+{more}</li>}
    </ul>
  );
}

function lookText(
  { repository, run, worker, card }: Present,
  here: Pick<Look, "repository" | "run">,
): string {
  if (repository === null) return "";
  if (repository !== here.repository) return "in another repository";
  if (run !== here.run && run !== null) return "in another run";
  if (card !== null) return "answering a card";
  return worker === null ? "here" : `looking at ${worker}`;
}
