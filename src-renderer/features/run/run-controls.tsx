import { History, ListPlus, Pause, Play, Plus, RotateCcw, Square } from "lucide-react";
import type { RunView } from "#shared/contract/views/run.ts";
import { runAgain } from "#shared/domain/run/away-summary.ts";
import { client } from "../../client.ts";
import { Button, IconButton } from "../../kit/button.tsx";
import { confirm } from "../../kit/dialog.tsx";
import { useHost, usePartOfHost } from "../../state/host-store.ts";
import { attempt } from "../../state/notify.ts";
import { canRunInParallel } from "../../state/other-runs.ts";
import { amendablePlan } from "../../state/plan-amendment.ts";
import { useReplay } from "../../state/replay-store.ts";
import { useRefusal } from "../../state/role.ts";
import { openDialog } from "../../state/selection-store.ts";
import { askForTask } from "../plan/plan-actions.ts";

/** Start, pause, resume, stop: only what can be done now is offered. */
export function RunControls() {
  const run = usePartOfHost((state) => controlledRun(state.run));
  const lockedBy = useHost((state) => state.repository?.lockedBy ?? null);
  const replay = useReplay((state) => state.view);
  const refusal = useRefusal("run.start");
  if (replay !== null)
    return (
      <div
        role="note"
        className="flex shrink-0 items-center gap-1.5 rounded-md bg-accent px-2 py-0.5 text-sm font-medium text-on-accent"
        title={replay.file ?? replay.run}
      >
        <History size={14} aria-hidden />
        Replay, read-only
      </div>
    );
  if (lockedBy !== null)
    return (
      <div
        role="note"
        className="flex shrink-0 items-center gap-2 rounded-md bg-warning-soft py-0.5 pr-0.5 pl-2 text-sm text-warning"
        title={`Another Hox process has this repository open: ${lockedBy}.`}
      >
        Read-only: open in another Hox window
        <Button size="sm" onClick={() => void takeOver(lockedBy)}>
          Take over here
        </Button>
      </div>
    );
  if (refusal !== null)
    return (
      <div
        role="note"
        className="shrink-0 rounded-md bg-warning-soft px-2 py-0.5 text-sm text-warning"
        title={refusal}
      >
        Watching
        <span className="sr-only">. {refusal}</span>
      </div>
    );
  if (!run || run.isOver)
    return (
      <div className="flex shrink-0 items-center gap-1.5">
        <Button look="primary" size="sm" onClick={() => openDialog("start-run")}>
          <Plus size={14} aria-hidden />
          Start a run
        </Button>
        {run?.canBeginAgain && (
          <Button size="sm" onClick={() => openDialog("run-again")}>
            <RotateCcw size={13} aria-hidden />
            Run again
          </Button>
        )}
      </div>
    );
  return <GoingControls run={run} />;
}

/** What its buttons need of a run: a run has updates many times a second, and its buttons none. */
const controlledRun = (run: RunView | null) =>
  run && {
    isOver: run.endedAt !== null,
    paused: run.paused,
    canBeginAgain: runAgain(run) !== null,
    canAddTask: amendablePlan(run) !== null,
    canHaveAnother: canRunInParallel(run),
    triedAgain: run.providerLimit && run.providerLimit.until !== null ? run.providerLimit : null,
  };

/** For an active run. */
function GoingControls({ run }: { readonly run: NonNullable<ReturnType<typeof controlledRun>> }) {
  return (
    <fieldset className="flex shrink-0 items-center" aria-label="Run controls">
      {run.paused === "no" || run.paused === "pausing" ? (
        <IconButton
          label="Pause"
          icon={<Pause size={15} />}
          disabled={run.paused === "pausing"}
          onClick={() => void attempt("The run was not paused", () => client.run.pause())}
        />
      ) : (
        <IconButton
          label="Resume"
          icon={<Play size={15} />}
          disabled={run.paused === "budget"}
          onClick={() => void attempt("The run was not resumed", () => client.run.resume())}
        />
      )}
      {/* Its place is kept while it cannot be: nothing beside it moves from step to step. */}
      <IconButton
        label="Add a task to the run"
        icon={<ListPlus size={15} />}
        disabled={!run.canAddTask}
        onClick={() => askForTask()}
      />
      {run.canHaveAnother && startAnother}
      <IconButton label="Stop" icon={<Square size={13} />} onClick={() => void stopRun()} />
      {run.triedAgain && (
        <Button
          size="sm"
          title={run.triedAgain.remedy}
          onClick={() => void attempt("The provider was not retried", () => client.run.resume())}
        >
          Retry now
        </Button>
      )}
    </fieldset>
  );
}

/** Ends the run on screen for good, after a yes. */
export async function stopRun(): Promise<void> {
  const isWatch = useHost.getState().run?.isWatch === true;
  const yes = await confirm({
    title: isWatch ? "Stop reviewing your agents?" : "Stop this run?",
    body: isWatch
      ? "The comments are kept. You can turn it on again in the settings, under Archangels."
      : "The work of all agents is saved in the graph first. A stopped run cannot be resumed. To continue later, pause it instead.",
    action: isWatch ? "Stop reviewing" : "Stop the run",
    danger: true,
  });
  if (yes) await attempt("The run was not stopped", () => client.run.stop());
}

const startAnother = (
  <IconButton
    label="Start another run"
    keys="alt+a"
    icon={<Plus size={15} />}
    onClick={() => openDialog("start-run")}
  />
);

async function takeOver(lockedBy: string): Promise<void> {
  const yes = await confirm({
    title: "Take over here?",
    body: `The other Hox (${lockedBy}) saves the work of all agents and becomes read-only. Its active run continues here.`,
    action: "Take over",
  });
  if (yes) await attempt("This repository was not taken over", () => client.repository.takeOver());
}
