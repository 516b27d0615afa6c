/**
 * Attempts: several agents at one task in parallel, of which the user chooses one. (HYLO-3)
 *
 * The task belongs to the first of them (`leader`), whose name and merge request it uses. The others work on
 * parallel changes, and nothing of the task is merged before one was chosen.
 */

import type { AnyEvent } from "../any-event.ts";
import type { Status } from "../change-metadata/metadata.ts";

/** A turn of a conversation: the `turn`-th answer of the model in an iteration, both counted from 1. */
export interface ConversationTurn {
  readonly worker: string;
  readonly iteration: number;
  readonly turn: number;
}

/** Where the user forked it. */
export interface AttemptOrigin extends ConversationTurn {
  /** The user's message there. */
  readonly words: string;
  /** Describes the files that it began with, for its prompt. */
  readonly files: string;
  /** The commit of those files; null: the task's base. */
  readonly commit: string | null;
}

export interface Attempt {
  readonly worker: string;
  /** Null: it began at the beginning. */
  readonly origin: AttemptOrigin | null;
  /** Its change is gone: it is no attempt any more, whatever is chosen. */
  readonly isOut: boolean;
}

/** A choice that was made. */
interface Choice {
  readonly chosen: string;
  /** What the others were when it was made. */
  readonly others: Readonly<Record<string, Status>>;
  /** The one operation that abandoned their changes; null while it is still to be done. */
  readonly operation: string | null;
}

/** All attempts at one task. Plain JSON. */
export interface AttemptGroup {
  readonly orchestrator: string;
  readonly task: string;
  /** In the order in which they came; the first is who had the task alone. */
  readonly attempts: readonly Attempt[];
  readonly leader: string;
  /** Null before the choice. */
  readonly choice: Choice | null;
  /** How many choices were made. */
  readonly choices: number;
}

/** By `groupKey`. */
export type AttemptGroups = Readonly<Record<string, AttemptGroup>>;

/** Kept in the journal, so that a kind is added and never changed. */
export type AttemptEvent =
  /** `first`: who had the task alone until then. */
  | {
      readonly kind: "AttemptAdded";
      readonly orchestrator: string;
      readonly task: string;
      readonly first: string;
      readonly attempt: string;
      readonly origin: AttemptOrigin | null;
    }
  | {
      readonly kind: "AttemptChosen";
      readonly orchestrator: string;
      readonly task: string;
      readonly chosen: string;
      readonly others: Readonly<Record<string, Status>>;
    }
  | {
      readonly kind: "OthersAbandoned";
      readonly orchestrator: string;
      readonly task: string;
      readonly operation: string;
    }
  /** The changes of the others are back. */
  | {
      readonly kind: "ChoiceUndone";
      readonly orchestrator: string;
      readonly task: string;
      readonly statuses: Readonly<Record<string, Status>>;
    }
  /** Its change was abandoned; the other attempts continue. */
  | {
      readonly kind: "AttemptGivenUp";
      readonly orchestrator: string;
      readonly task: string;
      readonly attempt: string;
    };

/** Another agent has the task of one. */
interface AttemptReassigned {
  readonly kind: "TaskReassigned";
  readonly worker: string;
  readonly to: string;
}

/** @returns the key of the attempts at a task of an orchestrator's plan */
export const groupKey = (orchestrator: string, task: string): string => `${orchestrator}/${task}`;

/** Those whose changes are there. */
export const liveAttempts = ({ attempts }: AttemptGroup): readonly Attempt[] =>
  attempts.filter(({ isOut }) => !isOut);

/** Whether the task must not be merged yet: there are several attempts, and none was chosen. */
export const isUndecided = (group: AttemptGroup): boolean =>
  group.choice === null && liveAttempts(group).length > 1;

/**
 * The group in which a worker's attempt is.
 * @returns null for who works on a task alone, or on none
 */
export const groupOf = (groups: AttemptGroups, worker: string): AttemptGroup | null =>
  Object.values(groups).find(({ attempts }) => attempts.some((one) => one.worker === worker)) ?? null;

/** What an event makes of the attempts of a run. Total: one that says nothing new answers with the same ones. */
export function reduceAttempts(
  groups: AttemptGroups,
  given: AttemptEvent | AttemptReassigned | AnyEvent,
): AttemptGroups {
  const event = given as AttemptEvent | AttemptReassigned;
  switch (event.kind) {
    case "TaskReassigned":
      return reassigned(groups, event);
    case "AttemptAdded":
    case "AttemptChosen":
    case "OthersAbandoned":
    case "ChoiceUndone":
    case "AttemptGivenUp": {
      const key = groupKey(event.orchestrator, event.task);
      const before = Object.hasOwn(groups, key) ? groups[key] : undefined;
      const after = event.kind === "AttemptAdded" ? added(before, event) : before && changed(before, event);
      return after === undefined || after === before ? groups : { ...groups, [key]: after };
    }
    default:
      return groups;
  }
}

type EventOf<Kind extends AttemptEvent["kind"]> = Extract<AttemptEvent, { kind: Kind }>;

function added(
  before: AttemptGroup | undefined,
  { orchestrator, task, first, attempt, origin }: EventOf<"AttemptAdded">,
): AttemptGroup | undefined {
  const group = before ?? {
    orchestrator,
    task,
    attempts: [{ worker: first, origin: null, isOut: false }],
    leader: first,
    choice: null,
    choices: 0,
  };
  const isDuplicate = group.attempts.some(({ worker }) => worker === attempt);
  // What was chosen is chosen: a new attempt would be one at a task that is being folded.
  if (isDuplicate || (group.choice !== null && group.choice.operation === null)) return before;
  const attempts = [...group.attempts, { worker: attempt, origin, isOut: false }];
  if (group.choice === null) return { ...group, attempts };
  // The rejected ones are dropped as soon as there is a new attempt next to the chosen one.
  const { chosen } = group.choice;
  return {
    ...group,
    attempts: attempts.map((one) =>
      one.worker === chosen || one.worker === attempt ? one : { ...one, isOut: true },
    ),
    choice: null,
  };
}

function changed(group: AttemptGroup, event: Exclude<AttemptEvent, { kind: "AttemptAdded" }>): AttemptGroup {
  const { choice } = group;
  switch (event.kind) {
    case "AttemptChosen": {
      const isThere = liveAttempts(group).some(({ worker }) => worker === event.chosen);
      if (choice !== null || !isThere) return group;
      const { chosen, others } = event;
      return {
        ...group,
        leader: chosen,
        choice: { chosen, others, operation: null },
        choices: group.choices + 1,
      };
    }
    case "OthersAbandoned":
      return choice === null || choice.operation !== null
        ? group
        : { ...group, choice: { ...choice, operation: event.operation } };
    case "ChoiceUndone":
      return choice === null ? group : { ...group, choice: null };
    case "AttemptGivenUp": {
      // Those that were not chosen are gone, and come back together.
      if (choice !== null) return group;
      if (!liveAttempts(group).some(({ worker }) => worker === event.attempt)) return group;
      const attempts = group.attempts.map((one) =>
        one.worker === event.attempt ? { ...one, isOut: true } : one,
      );
      const next = attempts.find(({ isOut }) => !isOut);
      return {
        ...group,
        attempts,
        leader: group.leader === event.attempt && next ? next.worker : group.leader,
      };
    }
  }
}

function reassigned(groups: AttemptGroups, { worker, to }: AttemptReassigned): AttemptGroups {
  const group = groupOf(groups, worker);
  if (group === null || group.attempts.some((one) => one.worker === to)) return groups;
  const named = (name: string): string => (name === worker ? to : name);
  return {
    ...groups,
    [groupKey(group.orchestrator, group.task)]: {
      ...group,
      attempts: group.attempts.map((one) => (one.worker === worker ? { ...one, worker: to } : one)),
      leader: named(group.leader),
      choice: group.choice && { ...group.choice, chosen: named(group.choice.chosen) },
    },
  };
}
