/** What a run is, from its journalled events: one way in, and memory goes with the journal. */
import { noOwnFacts } from "#shared/domain/plan/plan-events.ts";
import { isOver, stageOf } from "#shared/domain/run/stage-state.ts";
import { transition } from "#shared/domain/run/transition.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { RunEvent } from "#shared/run/events.ts";
import { reduceRun, replayRun } from "#shared/run/reduce.ts";
import { newRun, type RunState } from "#shared/run/state.ts";
import type { Journal } from "../../journal/journal.ts";
import { withRollback } from "../kernel/transactional-memory.ts";
import type { Run } from "../ports.ts";

export interface RunStore
  extends Pick<Run, "journal" | "stateOf" | "dispatch" | "append" | "orchestratorFacts" | "step"> {
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
}

export const nobodyCalled = (name: string): Error =>
  new Error(`Internal error: no worker named "${name}" in this run. Please report this.`);

export function createRunStore({ id, root, now, moved, log, ...options }: StoreOptions): RunStore {
  let facts = replayRun(newRun(id, options.startedAt, root), options.journal.events(id));
  const journal = withRollback(options.journal, () => {
    const before = facts;
    return () => {
      facts = before;
      options.wentBack();
    };
  });

  const take = (event: RunEvent): void => {
    // An event for an unknown worker is an internal error.
    if ("worker" in event && event.kind !== "WorkerJoined") store.recordOf(event.worker);
    const at = now();
    const next = reduceRun(facts, event, at);
    if (next === facts) return;
    journal.addEvent(id, event, at);
    if (event.kind === "StageMoved" && event.orchestrator === root) {
      const stage = stageOf(next.stages, root);
      journal.setStage(id, stage.course.stage, isOver(stage));
    }
    facts = next;
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

/** A transition's lines for the log. */
function logOf({ stages }: RunState, event: RunEvent): readonly string[] {
  if (event.kind !== "StageMoved") return [];
  const [, actions] = transition(stageOf(stages, event.orchestrator), event.event);
  return actions.flatMap((action) => (action.kind === "LogActivity" ? [action.text] : []));
}
