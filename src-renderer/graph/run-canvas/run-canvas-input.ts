/** What the canvas is laid out from, gathered from what the host says. */
import { askerOf, type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import { seatsAhead } from "#shared/domain/ceremony/ceremony-parts.ts";
import { roughTime } from "#shared/domain/forecast/forecast-words.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Change } from "#shared/graph/change.ts";
import type { CanvasPart, CanvasTask, RunCanvasInput } from "#shared/graph/run-canvas/canvas-input.ts";
import type { RunOnCanvas } from "./run-on-canvas.ts";

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
  const ceremony = root.ceremony ?? null;
  return {
    root: partOf(run, root.name, root.title || run.goal, plan, changes),
    ahead: {
      hasContracts: run.isQuick !== true && (ceremony?.contracts.value ?? "write") === "write",
      hasIntegration: run.isQuick !== true && (ceremony?.integrator.value ?? "always") !== "none",
      seats: run.isQuick === true ? 0 : (run.validation?.seats.length ?? seatsAhead(ceremony?.seats.value)),
    },
    radar: run.radar,
    waiting: inbox
      .filter((item) => kindOfCard(item).isInert !== true && item.kind !== "plan")
      .map((item) => ({ id: item.id, worker: askerOf(item) })),
  };
}

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
      const own = workers.get(task.id) ?? [];
      const planned = {
        title: task.title,
        phase: task.phase,
        part: part?.plan ? partOf(run, part.name, part.title || task.title, part.plan, changes) : null,
      };
      // Several attempts at one task are several lanes.
      return (own.length === 0 ? [null] : own).map((worker, nth): CanvasTask => {
        const metadata = worker?.changeId ? changes.get(worker.changeId)?.metadata : undefined;
        return {
          ...planned,
          id: nth === 0 ? `${orchestrator}/${task.id}` : `${orchestrator}/${task.id}/${worker?.name}`,
          priority: metadata?.priority ?? worker?.priority ?? task.priority,
          rank: metadata?.rank ?? null,
          worker: worker?.name ?? part?.name ?? null,
          isFinished: worker !== null && (worker.status === "done" || worker.status === "abandoned"),
        };
      });
    }),
  };
}

/** Track id → what keeps its task from being begun, and how long it will take; only of those that nobody has begun. */
export function notBegunWords(run: RunOnCanvas): Readonly<Record<string, string>> {
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
      const why =
        titles[0] !== undefined
          ? `waits for ${titles[0]}${titles.length > 1 ? ` and ${titles.length - 1} more` : ""}`
          : phase > run.phase && isRoots
            ? `Phase ${phase}`
            : run.nextWords;
      const left = isRoots ? run.forecast?.tasks[id] : undefined;
      words[`${name}/${id}`] = left ? `${why} · about ${roughTime(left.milliseconds)}` : why;
    }
  }
  return words;
}

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
