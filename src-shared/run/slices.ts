/**
 * The parts of a run's state that are made of events alone. A new one is a line here: its events are then the run's, and the
 * host, windows and replays keep it.
 */
import type { AnyEvent } from "../domain/any-event.ts";
import { type AttemptEvent, type AttemptGroups, reduceAttempts } from "../domain/attempt/attempt-events.ts";
import {
  type Downtime,
  type DowntimeEvent,
  noDowntime,
  reduceDowntime,
} from "../domain/downtime/downtime-events.ts";
import { type ForkEvent, type Forks, reduceForks } from "../domain/fork/fork-events.ts";
import { type LabelEvent, type LabelOfRun, reduceLabels } from "../domain/labels/labels.ts";
import {
  type LandingEvent,
  type LandingState,
  noLanding,
  reduceLanding,
} from "../domain/landing/landing-events.ts";
import { type Publication, type PublicationEvent, reducePublication } from "../domain/landing/publication.ts";
import { reduceTodos, type TodoEvent, type TodosOfRun } from "../domain/orientation/todo-events.ts";
import {
  type PatternsByWorker,
  type PatternsInjected,
  reducePatternUse,
} from "../domain/patterns/pattern-record.ts";
import { reduceUserActs, type UserActed, type UserActs } from "../domain/people/user-acts.ts";
import { type PlanEvent, type Plans, reducePlans } from "../domain/plan/plan-events.ts";
import { type CheckedFiles, type FilesChecked, reduceCheckedFiles } from "../domain/project/checked-files.ts";
import { type QuestionEvent, type Questions, reduceQuestions } from "../domain/question/questions.ts";
import { type CollisionEvent, type Collisions, reduceCollisions } from "../domain/radar/collisions.ts";
import { type RestoreEvent, type Restoring, reduceRestoring } from "../domain/run/stage-state.ts";
import {
  type OutsideTurnEvent,
  reduceSessionTurns,
  type TurnsOfSessions,
} from "../domain/sessions/outside-session.ts";
import { type QueuedUpdates, reduceUpdates, type UpdateEvent } from "../domain/updates/update-events.ts";
import { reduceWorkers, type Workers } from "../domain/worker/reduce-workers.ts";
import type { WorkerEvent } from "../domain/worker/worker-events.ts";

interface Slice<State, Event> {
  readonly empty: State;
  /** Returns what it was given for an event that is not about it. */
  readonly reduce: (before: State, event: AnyEvent) => State;
  /** Never there: names the type of its events. */
  readonly events?: Event;
}

const slice = <State, Event extends AnyEvent>(
  empty: State,
  reduce: (before: State, event: Event | AnyEvent) => State,
): Slice<State, Event> => ({ empty, reduce });

const slices = {
  /** By name, in the order in which they came. */
  workers: slice<Workers, WorkerEvent>({}, reduceWorkers),
  orchestrators: slice<Plans, PlanEvent>({}, reducePlans),
  attempts: slice<AttemptGroups, AttemptEvent>({}, reduceAttempts),
  questions: slice<Questions, QuestionEvent>([], reduceQuestions),
  /** Forecast conflicts that were acted on. */
  collisions: slice<Collisions, CollisionEvent>([], reduceCollisions),
  updates: slice<QueuedUpdates, UpdateEvent>({}, reduceUpdates),
  /** The user's labels on changes. */
  labels: slice<readonly LabelOfRun[], LabelEvent>([], reduceLabels),
  todos: slice<TodosOfRun, TodoEvent>({}, reduceTodos),
  /** Of sessions outside Hox, by their keys. */
  sessionTurns: slice<TurnsOfSessions, OutsideTurnEvent>({}, reduceSessionTurns),
  /** Which of them each worker received. */
  injectedPatterns: slice<PatternsByWorker, PatternsInjected>({}, reducePatternUse),
  /** The newest last. */
  checkedFiles: slice<readonly CheckedFiles[], FilesChecked>([], reduceCheckedFiles),
  landing: slice<LandingState, LandingEvent>(noLanding, reduceLanding),
  /** Its pull requests; null: it has none. */
  publication: slice<Publication | null, PublicationEvent>(null, reducePublication),
  /** By name, in the order in which they began. */
  forks: slice<Forks, ForkEvent>({}, reduceForks),
  /** Its downtime. */
  downtime: slice<Downtime, DowntimeEvent>(noDowntime, reduceDowntime),
  /**
   * The moment (ms since 1970) to which the repository is being restored, or was when the run ended by that.
   */
  restoring: slice<Restoring, RestoreEvent>(null, reduceRestoring),
  /** What named people did with it, where several share the host. */
  userActs: slice<UserActs, UserActed>([], reduceUserActs),
};

type Slices = typeof slices;
export type SliceStates = {
  readonly [Name in keyof Slices]: Slices[Name]["empty"];
};
export type SliceEvent = NonNullable<Slices[keyof Slices]["events"]>;

const named = Object.entries(slices) as [keyof Slices, Slice<unknown, never>][];

export const emptySlices = Object.fromEntries(named.map(([name, { empty }]) => [name, empty])) as SliceStates;

/** Every part reads every event. */
export const reduceSlices = (run: SliceStates, event: AnyEvent): SliceStates =>
  Object.fromEntries(named.map(([name, { reduce }]) => [name, reduce(run[name], event)])) as SliceStates;
