import type { AnyEvent } from "../any-event.ts";
import type { AttemptEvent } from "../attempt/attempt-events.ts";
import type { DecisionEvent } from "../decision/decision-events.ts";
import type { LandingEvent } from "../landing/landing-events.ts";
import type { PlanEvent } from "../plan/plan-events.ts";
import type { QuestionEvent } from "../question/questions.ts";
import { reduceWorker } from "./reduce-worker.ts";
import type { WorkerEvent } from "./worker-events.ts";
import { contradictedDecision, newWorker, type WorkerRecord } from "./worker-record.ts";

/** By name, in the order in which they came. */
export type Workers = Readonly<Record<string, WorkerRecord>>;

/**
 * What an event makes of the workers of a run: their own, and those of other concepts as far as something follows for
 * workers. Total: one that says nothing about them answers with the same ones.
 */
export function reduceWorkers(
  workers: Workers,
  given: WorkerEvent | PlanEvent | AttemptEvent | QuestionEvent | DecisionEvent | LandingEvent | AnyEvent,
): Workers {
  const event = given as
    | WorkerEvent
    | PlanEvent
    | AttemptEvent
    | QuestionEvent
    | DecisionEvent
    | LandingEvent;
  switch (event.kind) {
    case "WorkerJoined":
      return Object.hasOwn(workers, event.worker)
        ? workers
        : { ...workers, [event.worker]: newWorker(event.record) };
    case "PlanRevised":
    case "AmendmentFinished":
      return changeEach(workers, (worker) => {
        if (worker.task === null || worker.parent !== event.orchestrator) return worker;
        const task = event.plan.tasks.find((one) => one.id === worker.task);
        if (!task || (task.title === worker.title && task.phase === worker.phase)) return worker;
        return { ...worker, title: task.title, phase: task.phase };
      });
    case "ContractsWritten":
      return changeOne(workers, event.orchestrator, (worker) =>
        worker.summary === event.summary ? worker : { ...worker, summary: event.summary },
      );
    case "QuestionAsked":
      return event.question.blocking
        ? changeOne(workers, event.question.from, (worker) => ({
            ...worker,
            awaitedQuestion: event.question.id,
          }))
        : workers;
    case "QuestionsWithdrawn":
      return changeOne(workers, event.worker, (worker) =>
        worker.awaitedQuestion === null ? worker : { ...worker, awaitedQuestion: null },
      );
    case "AttemptChosen":
      return changeEach(workers, (worker) =>
        Object.hasOwn(event.others, worker.name) && worker.status !== "abandoned"
          ? { ...worker, status: "abandoned", blocked: null, awaitedQuestion: null, requestedStatus: null }
          : worker,
      );
    case "ChoiceUndone":
      return changeEach(workers, (worker) => {
        const status = Object.hasOwn(event.statuses, worker.name) ? event.statuses[worker.name] : undefined;
        return status === undefined || status === worker.status ? worker : { ...worker, status };
      });
    case "DecisionsWithdrawn":
      return changeEach(workers, (worker) =>
        event.decisions.includes(contradictedDecision(worker) ?? "") ? { ...worker, conflict: null } : worker,
      );
    case "ResultLanded":
      return Object.entries(event.move.workers).reduce(
        (now, [name, changeId]) =>
          changeOne(now, name, (worker) =>
            reduceWorker(worker, { kind: "ChangeAssigned", worker: name, changeId }),
          ),
        workers,
      );
    default:
      return "worker" in event
        ? changeOne(workers, event.worker, (worker) => reduceWorker(worker, event))
        : workers;
  }
}

function changeOne(workers: Workers, name: string, change: (worker: WorkerRecord) => WorkerRecord): Workers {
  const before = Object.hasOwn(workers, name) ? workers[name] : undefined;
  if (before === undefined) return workers;
  const after = change(before);
  return after === before ? workers : { ...workers, [name]: after };
}

function changeEach(workers: Workers, change: (worker: WorkerRecord) => WorkerRecord): Workers {
  let next = workers;
  for (const [name, worker] of Object.entries(workers)) {
    const after = change(worker);
    if (after !== worker) next = { ...next, [name]: after };
  }
  return next;
}
