/** The forecast of one run as it stands now. */

import type { ForecastView } from "#shared/contract/views/forecast.ts";
import {
  type ComingPart,
  forecastLeft,
  forecastRun,
  isTask,
  type PastPart,
  type PastRun,
  partLeft,
} from "#shared/domain/forecast/forecast.ts";
import { cameTo, forecastError } from "#shared/domain/forecast/forecast-error.ts";
import type { ForecastEvent } from "#shared/domain/forecast/forecast-events.ts";
import { kindOfTask, kindOfWorker } from "#shared/domain/forecast/work-kind.ts";
import { workedMs } from "#shared/domain/metrics/worked-time.ts";
import { attemptsAt } from "#shared/domain/plan/attempts-of-plan.ts";
import type { PlannedTask } from "#shared/domain/plan/plan.ts";
import { isOver } from "#shared/domain/run/run-state.ts";
import type { ValidatorChoice } from "#shared/domain/validation/panel-choice.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { hasValidators } from "#shared/domain/workflow/workflow.ts";
import type { Config } from "../../../config/config-interface.ts";
import { modelOf, roleModel } from "../../conversations/conversation-factory.ts";
import { ownLog, type Run, type Worker } from "../../ports.ts";
import { roleSettings } from "../../role-settings.ts";
import { partOf, pastRuns } from "../../run/past-work.ts";
import type { Services } from "../../services.ts";

import {
  integratorOf,
  isWatch,
  orchestratorsOf,
  rootOf,
  workersOnTask,
  workflowIn,
} from "../../workers/hierarchy.ts";

/** Earlier runs are read when somebody first asks, a little at a time. */
export function createForecast(run: Run): Services["forecast"] {
  let past: readonly PastRun[] | null = null;
  let isReading = false;
  const earlier = (): readonly PastRun[] => {
    if (past === null && !isReading) {
      isReading = true;
      pastRuns(run.journal, { isRehearsal: run.row.input.rehearsal !== null, without: run.id }).then(
        (read) => {
          past = read;
          if (run.runEnded.signal.aborted) return;
          run.changed();
          run.schedule();
        },
        (error: unknown) => {
          run.emit({
            kind: "notice",
            level: "warning",
            text: `What the run will take cannot be forecast: ${error instanceof Error ? error.message : error}`,
            remedy: "The run goes on without it.",
          });
        },
      );
    }
    return past ?? [];
  };
  return {
    view: () => viewOf(run, earlier(), past === null),
    toKeep: () => (isOver(run.state) || isWatch(run) ? [] : toKeep(run, earlier())),
  };
}

/** Models of the validators of one choice, as the result's panel gives them. */
export function seatModels(
  choice: ValidatorChoice,
  config: Config,
  { chosen, usual }: { readonly chosen: string | undefined; readonly usual: string },
): readonly string[] {
  const { models, validatorCount } = config.validation;
  const other = roleSettings.validator.model(config, "") ?? usual;
  return Array.from(
    { length: choice === "panel" ? validatorCount : 1 },
    (_, at) => chosen ?? models[at % models.length] ?? other,
  );
}

function toKeep(run: Run, past: readonly PastRun[]): readonly ForecastEvent[] {
  const { start, plan } = run.facts.forecasts;
  const { isQuick = false, attempts = 1, validators, models } = run.row.input;
  const atOnce = run.slots.limit();
  const seats =
    validators === undefined
      ? {}
      : { seats: seatModels(validators, run.config, { chosen: models?.validator, usual: run.model }) };
  const whole =
    start === null ? forecastRun({ isQuick, model: run.model, attempts, atOnce, ...seats }, past) : null;
  const isPlanned = plan === null && run.orchestratorFacts(rootOf(run)).planApproved;
  const left = isPlanned ? forecastLeft(comingParts(run), past, atOnce) : null;
  return [
    ...(whole === null ? [] : [{ kind: "RunForecast", estimate: whole } as const]),
    ...(left === null || left.unknown > 0
      ? []
      : [{ kind: "PlanForecast", estimate: left.left, spent: cameTo(partsSoFar(run), atOnce) } as const]),
  ];
}

function viewOf(run: Run, past: readonly PastRun[], isReading: boolean): ForecastView {
  const { start, plan } = run.facts.forecasts;
  const atOnce = run.slots.limit();
  const isEnded = isOver(run.state);
  const parts = isEnded || isWatch(run) || past.length === 0 ? [] : comingParts(run);
  const found = parts.length === 0 ? null : forecastLeft(parts, past, atOnce);
  return {
    start,
    plan,
    left: found?.left ?? (isEnded || isPlanned(run) ? null : start),
    unknown: found?.unknown ?? 0,
    tasks: tasksLeft(rootOf(run), parts, past),
    earlierRuns: isReading ? null : past.length,
    error: isEnded && start !== null ? forecastError(start, cameTo(partsSoFar(run), atOnce)) : null,
  };
}

const isPlanned = (run: Run): boolean => run.orchestratorFacts(rootOf(run)).plan !== null;

const taskId = (orchestrator: string, task: string, nth: number): string => `${orchestrator}/${task}/${nth}`;

function tasksLeft(
  root: string,
  parts: readonly ComingPart[],
  past: readonly PastRun[],
): ForecastView["tasks"] {
  const left: Record<string, { microDollars: number; milliseconds: number }> = {};
  for (const part of parts) {
    const [orchestrator = "", task = ""] = part.id.split("/");
    if (!isTask(part.kind) || orchestrator !== root || part.isDone) continue;
    const estimate = partLeft(part, past);
    if (estimate === null) continue;
    const before = left[task] ?? { microDollars: 0, milliseconds: 0 };
    left[task] = {
      microDollars: before.microDollars + estimate.microDollars.middle,
      milliseconds: Math.max(before.milliseconds, estimate.milliseconds.middle),
    };
  }
  return left;
}

const soFar = (run: Run, name: string): Pick<ComingPart, "microDollars" | "milliseconds"> => ({
  microDollars: run.spending.byWorker.get(name)?.microDollars ?? 0,
  milliseconds: workedMs(run.metrics.of(name).msByPhase),
});

const partsSoFar = (run: Run): readonly PastPart[] =>
  [...run.workers.values()].flatMap(({ record }) =>
    record.name === ownLog
      ? []
      : partOf(run.facts, record, {
          model: modelOf(run, record.name),
          microDollars: run.spending.byWorker.get(record.name)?.microDollars ?? 0,
          measured: run.metrics.of(record.name),
        }),
  );

/** All that a run does from its plan on, what is done among it; empty while nothing is planned. */
function comingParts(run: Run): readonly ComingPart[] {
  const { stage } = run.state.course;
  if (!isPlanned(run)) return [];
  const isPast = (...stages: readonly (typeof stage)[]): boolean => stages.includes(stage);
  const leads = orchestratorsOf(run);
  return [
    ...leads.flatMap((lead) => tasksOf(run, lead)),
    ...(run.row.input.isQuick === true
      ? []
      : leads.map((lead) => workerPart(run, lead, "orchestration", isPast("landing")))),
    ...(workflowIn(run, rootOf(run)).integrator.mode === "on"
      ? [
          workerPart(
            run,
            integratorOf(rootOf(run)),
            "integration",
            isPast("validating", "learning", "landing"),
          ),
        ]
      : []),
    ...seats(run, isPast("learning", "landing")),
  ];
}

function tasksOf(run: Run, lead: string): readonly ComingPart[] {
  const { plan } = run.orchestratorFacts(lead);
  return (plan?.tasks ?? []).flatMap((task) => {
    const workers = workersOnTask(run, lead, task.id).filter(({ replacedBy }) => replacedBy === null);
    // Whoever leads a part has its tasks in a plan of its own.
    if (workers.some(({ role }) => roles[role].isLead)) return [];
    return Array.from({ length: Math.max(attemptsAt(task), workers.length) }, (_, nth) =>
      taskPart(run, { lead, task, nth, record: workers[nth] }),
    );
  });
}

function taskPart(
  run: Run,
  of: {
    readonly lead: string;
    readonly task: PlannedTask;
    readonly nth: number;
    readonly record: Worker["record"] | undefined;
  },
): ComingPart {
  const { lead, task, nth, record } = of;
  const isOpen = record === undefined || (record.status !== "done" && record.status !== "abandoned");
  return {
    id: taskId(lead, task.id, nth),
    kind: kindOfTask(task.files),
    model: record === undefined ? run.model : modelOf(run, record.name),
    phase: task.phase,
    isDone: !isOpen || record?.fold?.state.stage === "merged",
    ...(record === undefined ? { microDollars: 0, milliseconds: 0 } : soFar(run, record.name)),
  };
}

const workerPart = (
  run: Run,
  name: string,
  kind: "orchestration" | "integration",
  isDone: boolean,
): ComingPart => ({
  id: name,
  kind,
  model: run.workers.has(name)
    ? modelOf(run, name)
    : roleModel(run, kind === "integration" ? "integrator" : "orchestrator", name),
  phase: 0,
  isDone,
  ...soFar(run, name),
});

/** As many as are sure to judge; a large or risky result brings more. */
function seats(run: Run, isDone: boolean): readonly ComingPart[] {
  const workflow = workflowIn(run, rootOf(run));
  const panel = workflow.panel.mode === "on" ? run.config.validation.validatorCount : 1;
  const count = hasValidators(workflow) ? panel : 0;
  return Array.from({ length: count }, (_, at) => {
    const name = `validator-${at + 1}`;
    return {
      id: name,
      kind: kindOfWorker("validator", []),
      model: run.workers.has(name) ? modelOf(run, name) : roleModel(run, "validator", name),
      phase: 0,
      isDone,
      ...soFar(run, name),
    };
  });
}
