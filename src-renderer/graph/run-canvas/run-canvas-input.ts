/** What the canvas is laid out from, gathered from what the host says. */

import { startTransition, useDeferredValue, useEffect, useMemo, useState } from "react";
import { askerOf, type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { OrchestratorView, RunView, WorkerView } from "#shared/contract/views/run.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { formatCrowd } from "#shared/domain/radar/radar.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { formatWaitsForSlot, placesTaken, roles } from "#shared/domain/worker/roles.ts";
import { expectedSeats, undecidedWorkflow } from "#shared/domain/workflow/workflow.ts";
import type { Change } from "#shared/graph/change.ts";
import type { CanvasPart, CanvasTask, Room, RunCanvasInput } from "#shared/graph/run-canvas/canvas-input.ts";
import { layOutRun } from "#shared/graph/run-canvas/layout.ts";
import type { RunCanvas } from "#shared/graph/run-canvas/run-canvas.ts";
import { withPending } from "../../features/queue/queue-bands.ts";
import { useQueue } from "../../features/queue/queue-store.ts";
import { useGraph } from "../../state/graph-store.ts";
import { useHost, usePartOfHost, useTimeline } from "../../state/host-store.ts";
import { orderOf } from "../../state/radar.ts";
import { useReplay } from "../../state/replay-store.ts";
import { useGraphView, useSelection } from "../../state/selection-store.ts";
import { keepShared } from "../../state/structural-sharing.ts";
import { bubbleAnswers } from "./bubble-answers.ts";
import { useCanvasView } from "./canvas-view-store.ts";

export type RunFacts = Pick<RunCanvasInput, "root" | "ahead" | "radar" | "waiting">;

/** Null where there is no approved plan yet: then there is nothing to draw a run from. */
export function runFacts(
  run: RunView,
  inbox: readonly InboxItem[],
  changes: ReadonlyMap<string, Change>,
): RunFacts | null {
  const root = run.orchestrators.find(({ parent }) => parent === null);
  const plan = root?.plan ?? run.plan;
  if (!root || !plan || !run.planApproved) return null;
  const workflow = root.workflow ?? undecidedWorkflow;
  const isOpen = run.endedAt === null && (run.landed === null || run.landed.undoneAt != null);
  const verdict = run.validation?.verdict ?? "open";
  const isVoted = verdict === "approved" || (!isOpen && verdict !== "open");
  return {
    root: partOf(run, root.name, root.title || run.goal, plan, changes),
    ahead: {
      hasContracts: !run.isQuick && workflow.contracts.mode !== "off",
      hasIntegration: isOpen && !isIntegrated(run) && !run.isQuick && workflow.integrator.mode !== "off",
      seats:
        !isOpen || run.isQuick || isVoted ? 0 : (run.validation?.seats.length ?? expectedSeats(workflow)),
      voted: isVoted ? (run.validation?.seats.length ?? 0) : 0,
      hasLanding: isOpen,
    },
    radar: [
      ...run.radarCrowds.map((crowd) => ({ workers: crowd.workers, where: formatCrowd(crowd) })),
      ...run.radar.map(({ a, b, files }) => ({
        workers: [a, b],
        where: [files.map(shownName).join(", "), orderOf(run.collisions, a, b)].filter(Boolean).join(" · "),
      })),
    ],
    waiting: inbox
      .filter((item) => item.run === run.id && kindOfCard(item).isInert !== true && item.kind !== "plan")
      .map((item) => ({
        id: item.id,
        worker: askerOf(item),
        answers: bubbleAnswers(item).map(({ label }) => label),
      })),
  };
}

/** Whether the work of all is one change; a repair after a failed vote takes that back. */
const isIntegrated = ({ integration, stage }: RunView): boolean =>
  integration !== null && stage !== "integrating" && stage !== "executing";

function partOf(
  run: RunView,
  orchestrator: string,
  title: string,
  plan: Plan,
  changes: ReadonlyMap<string, Change>,
): CanvasPart {
  const workers = workersByTask(run, orchestrator);
  return {
    orchestrator,
    title,
    phases: plan.phases,
    tasks: plan.tasks.flatMap((task): CanvasTask[] => {
      const part = run.orchestrators.find((one) => one.parent === orchestrator && one.task === task.id);
      const attempts = attemptsAt(run, orchestrator, task.id);
      const own = attempts.length > 0 ? attempts.map(({ worker }) => worker) : (workers.get(task.id) ?? []);
      const planned = {
        title: task.title,
        phase: task.phase,
        part: part?.plan ? partOf(run, part.name, part.title || task.title, part.plan, changes) : null,
      };
      const idOf = (name: string | undefined): string =>
        own.findIndex((one) => one.name === name) > 0
          ? `${orchestrator}/${task.id}/${name}`
          : `${orchestrator}/${task.id}`;
      const metadataOf = (one: WorkerView | undefined) =>
        one?.changeId ? changes.get(one.changeId)?.metadata : undefined;
      // Attempts are drawn below each other, even if the change of one is gone: the task's position is that of the first
      // that still has one.
      const first = own.find((one) => metadataOf(one) !== undefined) ?? own[0];
      const place = {
        priority: metadataOf(first)?.priority ?? first?.priority ?? task.priority,
        rank: metadataOf(first)?.rank ?? null,
      };
      // Several attempts at one task are several lanes.
      return (own.length === 0 ? [null] : own).map((worker, nth): CanvasTask => {
        const forkedFrom = attempts[nth]?.forkedFrom ?? null;
        return {
          ...planned,
          ...place,
          ...(own.length > 1 ? { title: `${task.title} · attempt ${nth + 1}` } : {}),
          ...(forkedFrom === null ? {} : { forkedFrom: idOf(forkedFrom) }),
          id: idOf(worker?.name),
          worker: worker?.name ?? part?.name ?? null,
          isFinished: worker !== null && (worker.status === "done" || worker.status === "abandoned"),
        };
      });
    }),
  };
}

/** The agents that try a task side by side, in the order in which they began; none where one has it alone. */
function attemptsAt(
  run: RunView,
  orchestrator: string,
  task: string,
): readonly { readonly worker: WorkerView; readonly forkedFrom: string | null }[] {
  const group = run.attempts.find((one) => one.orchestrator === orchestrator && one.task === task);
  return (group?.attempts ?? []).flatMap(({ worker: name, from }) => {
    const worker = run.workers.find((one) => one.name === name);
    return worker ? [{ worker, forkedFrom: from?.worker ?? null }] : [];
  });
}

/** Track id → why its task has not started; only for tasks without a worker. */
export function waitReasons(run: RunOnCanvas): Readonly<Record<string, string>> {
  const words: Record<string, string> = {};
  for (const { name, plan } of run.orchestrators) {
    const done = new Set(
      run.workers
        .filter(({ parent, status }) => parent === name && status === "done")
        .map(({ task }) => task),
    );
    for (const { id, after, phase } of plan?.tasks ?? []) {
      const open = after.filter((other) => !done.has(other));
      const titles = open.flatMap((other) => plan?.tasks.find((task) => task.id === other)?.title ?? []);
      const isRoots = name === run.orchestrators[0]?.name;
      words[`${name}/${id}`] =
        titles[0] !== undefined
          ? `waits for ${titles[0]}${titles.length > 1 ? ` and ${titles.length - 1} more` : ""}`
          : phase > run.phase && isRoots
            ? `Phase ${phase}`
            : run.nextLabel;
    }
  }
  return words;
}

/**
 * What the canvas shows of a run beside what it is laid out from: not the words that stream in many times a second.
 */
export interface RunOnCanvas
  extends Pick<
    RunView,
    | "id"
    | "onto"
    | "base"
    | "plan"
    | "phase"
    | "stage"
    | "paused"
    | "endedAt"
    | "integration"
    | "validation"
    | "rounds"
    | "landed"
  > {
  /** Shown at a task that is ready to start. */
  readonly nextLabel: string;
  readonly orchestrators: readonly Omit<OrchestratorView, "spent">[];
  readonly workers: readonly Pick<WorkerView, "name" | "parent" | "task" | "status">[];
}

function runOnCanvas(run: RunView): RunOnCanvas {
  const { id, onto, base, plan, phase, stage, paused, endedAt } = run;
  const { integration, validation, rounds, landed } = run;
  return {
    ...{ id, onto, base, plan, phase, stage, paused, endedAt, integration, validation, rounds, landed },
    // With room it is about to begin.
    nextLabel: placesTaken(run) < run.maxParallelAgents ? "Next up" : formatWaitsForSlot(run, "window"),
    orchestrators: run.orchestrators.map(({ spent: _, ...part }) => part),
    workers: run.workers.map(({ name, parent, task, status }) => ({ name, parent, task, status })),
  };
}

/** Of the run that is on screen; the same object until something of it changes. */
export const useRunOnCanvas = (): RunOnCanvas | null => usePartOfHost(({ run }) => run && runOnCanvas(run));

const workersByTask = (
  run: RunView,
  orchestrator: string,
): ReadonlyMap<string | null | undefined, readonly WorkerView[]> =>
  Map.groupBy(
    run.workers.filter(
      ({ parent, replacedBy, fork, role }) =>
        parent === orchestrator && replacedBy === null && (fork ?? null) === null && roles[role].isListed,
    ),
    ({ task }) => task,
  );

/** Often enough for a line that grows by a few px a minute. */
const tickMs = 1_000;

/** The run that the canvas shows, in the shape that it is laid out from; null: there is none with an approved plan. */
export function useRunFacts(): RunFacts | null {
  const run = useHost((state) => state.run);
  const inbox = useHost((state) => state.inbox);
  const all = useGraph((state) => state.graph?.changes ?? null);
  const pending = useQueue((state) => state.pending);
  const changes = useMemo(
    () =>
      new Map(
        withPending(all ?? [], pending)
          .filter(({ metadata }) => metadata.kind === "task" || metadata.priority !== undefined)
          .map((change) => [change.changeId, change]),
      ),
    [all, pending],
  );
  // Words stream in many times a second, and nothing of the canvas follows from them.
  const [share] = useState(() => keepShared<RunFacts | null>());
  return useMemo(() => share(run && runFacts(run, inbox, changes)), [share, run, inbox, changes]);
}

/** Whether the graph shows a run along time. */
export const useIsRunCanvas = (): boolean => {
  const view = useGraphView();
  const isShown = useSelection(({ shownRun }) => shownRun !== null);
  const hasPlan = useHost(({ run }) => run?.planApproved === true && run.plan !== null);
  return view === "canvas" && isShown && hasPlan;
};

/** @returns null until the size of the panel is known */
export function useRunCanvas(latest: RunFacts, room: Room | null): RunCanvas | null {
  const facts = useDeferredValue(latest);
  const timeline = useDeferredValue(useTimeline());
  const replayed = useReplay((state) => (state.view === null ? null : state.at));
  const clock = useClock(timeline?.endedAt === null && replayed === null);
  const now = replayed ?? clock;
  const { window, isFollowingNow, folded } = useCanvasView();
  const [share] = useState(() => keepShared<RunCanvas>());
  return useMemo(() => {
    if (room === null) return null;
    return share(layOutRun({ ...facts, timeline, now, room, window, isFollowingNow, folded }));
  }, [share, facts, timeline, now, room, window, isFollowingNow, folded]);
}

/** The time, updated every second while the run is active. */
function useClock(isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => startTransition(() => setNow(Date.now())), tickMs);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}
