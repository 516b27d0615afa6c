/** What a run is, from its journalled events: one way in, and memory goes with the journal. */
import { noOwnFacts } from "#shared/domain/plan/plan-events.ts";
import { idleRun, isOver, type RunState } from "#shared/domain/run/run-state.ts";
import { replay, transition } from "#shared/domain/run/transition.ts";
import { reduceTimeline } from "#shared/domain/timeline/reduce-timeline.ts";
import { emptyTimeline, type TimelineState } from "#shared/domain/timeline/timeline-events.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { Journal } from "../../journal/journal.ts";
import type { JournalMoment } from "../../journal/recording-rows.ts";
import { withRollback } from "../kernel/transactional-memory.ts";
import { reduceModel, replayModel } from "../model/reduce-model.ts";
import type { ModelEvent, StageEvent } from "../model/run-events.ts";
import type { RunModel } from "../model/run-model.ts";
import type { Run } from "../ports.ts";

export interface ModelStore
  extends Pick<Run, "journal" | "stateOf" | "dispatch" | "append" | "orchestratorFacts" | "step"> {
  facts(): RunModel;
  /** The same events with their times: what a screen draws the run's past from. */
  timeline(): TimelineState;
  /** @throws what says that the name is a mistake of Hox */
  recordOf(name: string): WorkerRecord;
}

export interface StoreOptions {
  readonly id: string;
  readonly root: string;
  /** ms since 1970. */
  readonly startedAt: number;
  readonly journal: Journal;
  /** What was written is taken in: whoever waits looks again. */
  readonly moved: () => void;
  /** What was not written did not happen, and memory has gone back. */
  readonly wentBack: () => void;
  /** What a transition has to tell. */
  readonly log: (text: string) => void;
}

export const nobodyCalled = (name: string): Error =>
  new Error(`Internal error: no worker named "${name}" in this run. Please report this.`);

/** What the journal's events, read as they were written, make of a timeline. */
const timelineOfMoments = (from: TimelineState, moments: readonly JournalMoment[]): TimelineState =>
  moments.reduce(
    (state, { at, orchestrator, event }) =>
      reduceTimeline(
        state,
        at,
        // Of a course the journal keeps whose it is beside it.
        orchestrator === null ? event : ({ kind: "StageMoved", orchestrator, event } as StageEvent),
      ),
    from,
  );

export function createModelStore({ id, root, moved, log, ...options }: StoreOptions): ModelStore {
  const states = new Map<string, RunState>();
  let facts = replayModel(options.journal.modelEvents<ModelEvent>(id));
  let timeline = timelineOfMoments(emptyTimeline(id, options.startedAt, root), options.journal.moments(id));
  const journal = withRollback(options.journal, () => {
    const before = facts;
    const courses = [...states];
    const shown = timeline;
    return () => {
      facts = before;
      timeline = shown;
      states.clear();
      for (const [name, state] of courses) states.set(name, state);
      options.wentBack();
    };
  });
  for (const [orchestrator, own] of Map.groupBy(journal.events(id), (one) => one.orchestrator))
    states.set(orchestrator, replay(own.map(({ event }) => event)));

  /** @returns whether the course went on */
  const moveStage = (moved: StageEvent, told: string[]): boolean => {
    const { orchestrator, event } = moved;
    const before = store.stateOf(orchestrator);
    const [next, actions] = transition(before, event);
    if (next === before) return false;
    const at = journal.addEvent(id, orchestrator, event);
    timeline = reduceTimeline(timeline, at, moved);
    if (orchestrator === root) journal.setStage(id, next.course.stage, isOver(next));
    states.set(orchestrator, next);
    for (const action of actions) if (action.kind === "LogActivity") told.push(action.text);
    return true;
  };

  const take = (event: ModelEvent): void => {
    // What is said of nobody is a mistake of Hox.
    if ("worker" in event && event.kind !== "WorkerJoined") store.recordOf(event.worker);
    const next = reduceModel(facts, event);
    if (next === facts) return;
    timeline = reduceTimeline(timeline, journal.addModelEvent(id, event), event);
    facts = next;
  };

  const store: ModelStore = {
    journal,
    facts: () => facts,
    timeline: () => timeline,
    stateOf: (orchestrator) => states.get(orchestrator) ?? idleRun,
    orchestratorFacts: (orchestrator) => facts.orchestrators[orchestrator] ?? noOwnFacts,
    recordOf(name) {
      const record = facts.workers[name];
      if (record) return record;
      throw nobodyCalled(name);
    },
    dispatch: (event, orchestrator = root) => store.append({ kind: "StageMoved", orchestrator, event }),
    append(...events) {
      const before = facts;
      const told: string[] = [];
      let hasMoved = false;
      journal.together(() => {
        for (const event of events)
          if (event.kind === "StageMoved") hasMoved = moveStage(event, told) || hasMoved;
          else take(event);
      });
      for (const text of told) log(text);
      if (facts !== before || hasMoved) moved();
    },
    async step(name, perform) {
      const known = journal.step<Awaited<ReturnType<typeof perform>>>(id, name);
      if (known) return known.result;
      const result = await perform();
      journal.setStep(id, name, result);
      return result;
    },
  };
  return store;
}
