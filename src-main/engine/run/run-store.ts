/** What a run is, from its journalled events: one way in, and memory goes with the journal. */
import { noOwnFacts } from "#shared/domain/plan/plan-events.ts";
import { isOver, stageOf } from "#shared/domain/run/stage-state.ts";
import { transition } from "#shared/domain/run/transition.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { RecordedEvent, RunEvent } from "#shared/run/events.ts";
import { reduceRun, replayRun } from "#shared/run/reduce.ts";
import { newRun, type RunState } from "#shared/run/state.ts";
import type { Journal } from "../../journal/journal.ts";
import type { Run } from "../ports.ts";

export interface RunStore
  extends Pick<
    Run,
    "journal" | "stateOf" | "dispatch" | "append" | "takeEvents" | "orchestratorFacts" | "step"
  > {
  facts(): RunState;
  /** @throws what says that the name is a mistake of Hox */
  recordOf(name: string): WorkerRecord;
}

export interface StoreOptions {
  readonly id: string;
  readonly root: string;
  /** ms since 1970. */
  readonly startedAt: number;
  /** ms since 1970. */
  readonly now: () => number;
  readonly journal: Journal;
  /** The state has changed: wake the waiters. */
  readonly moved: () => void;
  /** What was not written did not happen, and memory has gone back. */
  readonly wentBack: () => void;
  /** Receives the log lines of a transition. */
  readonly log: (text: string) => void;
  /** Hides secrets: what is journalled is sent to windows and written to recordings. */
  readonly redact: (text: string) => string;
}

export const nobodyCalled = (name: string): Error =>
  new Error(`Internal error: no worker named "${name}" in this run. Please report this.`);

export function createRunStore({ id, root, now, moved, log, ...options }: StoreOptions): RunStore {
  const recorded = [...options.journal.events(id)];
  let facts = replayRun(newRun(id, options.startedAt, root), recorded);
  let from = recorded.length;
  let taken: RecordedEvent[] = [];
  const journal = withRollback(options.journal, () => {
    const [before, { length }] = [facts, taken];
    return () => {
      facts = before;
      taken.length = length;
      options.wentBack();
    };
  });

  const take = (given: RunEvent): void => {
    const event = redacted(given, options.redact);
    // An event for an unknown worker is an internal error.
    if ("worker" in event && event.kind !== "WorkerJoined") store.recordOf(event.worker);
    const at = now();
    const next = reduceRun(facts, event, at);
    if (next === facts) return;
    journal.addEvent(id, event, at);
    if (event.kind === "StageMoved" && event.orchestrator === root) {
      const stage = stageOf(next.stages, root);
      journal.setStage(id, stage.current.stage, isOver(stage));
    }
    facts = next;
    taken.push({ at, event });
  };

  const store: RunStore = {
    journal,
    facts: () => facts,
    stateOf: (orchestrator) => stageOf(facts.stages, orchestrator),
    orchestratorFacts: (orchestrator) => facts.orchestrators[orchestrator] ?? noOwnFacts,
    recordOf(name) {
      const record = facts.workers[name];
      if (record) return record;
      throw nobodyCalled(name);
    },
    dispatch: (event, orchestrator = root) => store.append({ kind: "StageMoved", orchestrator, event }),
    append(...events) {
      const before = facts;
      const lines: string[] = [];
      journal.together(() => {
        for (const event of events) {
          const last = facts;
          take(event);
          if (facts !== last) lines.push(...logOf(last, event));
        }
      });
      for (const text of lines) log(text);
      if (facts !== before) moved();
    },
    takeEvents() {
      const updates = { from, events: taken };
      from += taken.length;
      taken = [];
      return updates;
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

/** The same event where it holds no secret. */
function redacted(event: RunEvent, redact: (text: string) => string): RunEvent {
  const text = JSON.stringify(event);
  const clean = redact(text);
  return clean === text ? event : (JSON.parse(clean) as RunEvent);
}

/** A transition's lines for the log. */
function logOf({ stages }: RunState, event: RunEvent): readonly string[] {
  if (event.kind !== "StageMoved") return [];
  const [, actions] = transition(stageOf(stages, event.orchestrator), event.event);
  return actions.flatMap((action) => (action.kind === "LogActivity" ? [action.text] : []));
}

/**
 * A journal that takes memory along: where it does not keep all of what is written together it keeps nothing, and then
 * memory goes back as well. Whoever tries again must not find half of it done.
 *
 * @param remember takes down what memory holds now, and returns the way back to that
 */
function withRollback(journal: Journal, remember: () => () => void): Journal {
  let inside = false;
  return {
    ...journal,
    together(write) {
      if (inside) {
        write();
        return;
      }
      const goBack = remember();
      inside = true;
      try {
        journal.together(write);
      } catch (error) {
        goBack();
        throw error;
      } finally {
        inside = false;
      }
    },
  };
}
