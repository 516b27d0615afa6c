/**
 * A session of the user's own agent, outside Hox, in this repository. Its content is untrusted: it is shown
 * with its source, and quoted in prompts. (AX-3, AX-4)
 */

import type { AnyEvent } from "../any-event.ts";
import type { Orientation } from "../orientation/run-orientation.ts";
import type { Todo } from "../orientation/todo-events.ts";
import { startOf } from "../text/format-text.ts";

export const sessionKinds = ["claude", "codex"] as const;
export type SessionKind = (typeof sessionKinds)[number];

/** How people call the program. */
export const sessionKindNames: Readonly<Record<SessionKind, string>> = {
  claude: "Claude Code",
  codex: "Codex",
};

/** A reported value with its time (ms since 1970). */
export interface Timed<Value> {
  readonly value: Value;
  readonly at: number;
}

export interface SessionPlan {
  /** The file, or the name of the reporting hook. */
  readonly source: string;
  readonly text: string;
  /** ms since 1970, when the session took it up. Another plan before that is another plan. */
  readonly since: number;
}

/** Data of a session, from its files and its program's reports. */
export interface OutsideSession {
  readonly kind: SessionKind;
  /** Its program's own: a session or a thread. */
  readonly id: string;
  readonly folder: string;
  /** ms since 1970. */
  readonly lastActivityAt: number;
  /** What it was asked last. */
  readonly asked: string;
  /** Its time, ms since 1970; null if only its program reported it. */
  readonly askedAt: number | null;
  readonly plan: SessionPlan | null;
  readonly todos: Timed<readonly Todo[]> | null;
  /** Git's branch at its last activity; null if HEAD was detached. */
  readonly branch: string | null;
  /** Its last finished turn. `id` is unique. */
  readonly turn: Timed<{ readonly id: string; readonly lastMessage: string }> | null;
  /** When its program reported its end, ms since 1970. */
  readonly endedAt: number | null;
  /** The source of all this: a file, or the notification. */
  readonly source: string;
}

/** A session as people call it: short, and still another one for each. */
export const sessionName = ({ kind, id }: Pick<OutsideSession, "kind" | "id">): string =>
  `${kind}-${id
    .replaceAll(/[^A-Za-z0-9]/gu, "")
    .slice(0, 8)
    .toLowerCase()}`;

/**
 * Identifies a finished turn. Files and notifications report the same turn at different times, so the prompt
 * that it answers identifies it, if known.
 *
 * @returns null while it works on its last prompt
 */
export const endedTurn = ({ turn, askedAt }: Pick<OutsideSession, "turn" | "askedAt">): string | null =>
  turn === null || (askedAt !== null && turn.at < askedAt)
    ? null
    : askedAt === null
      ? turn.value.id
      : `asked-${askedAt}`;

/** Why a session's work is no longer shown. (AX-8) */
export type SessionExpiry = "ended" | "old" | "other-branch";

export const expiryLabels: Readonly<Record<SessionExpiry, string>> = {
  ended: "it has ended",
  old: "it was inactive for too long",
  "other-branch": "it worked on another branch",
};

/**
 * @param now ms since 1970
 * @param branch Git's current branch of the repository; null if HEAD is detached, as usual with jj: then
 *   branches are not compared
 * @param maxQuietMs without activity for this long it counts as abandoned
 */
export function sessionExpiry(
  session: Pick<OutsideSession, "endedAt" | "lastActivityAt" | "branch">,
  now: number,
  branch: string | null,
  maxQuietMs: number,
): SessionExpiry | null {
  // Activity after its end means that it was resumed.
  if (session.endedAt !== null && session.lastActivityAt <= session.endedAt) return "ended";
  if (now - session.lastActivityAt > maxQuietMs) return "old";
  return branch !== null && session.branch !== null && session.branch !== branch ? "other-branch" : null;
}

/** What a prompt and a screen have room for. */
const longest = { goal: 500, plan: 20_000 } as const;

/** Where a session is. A list that was written for another plan than its present one is not its list any more. (AX-8) */
export function sessionOrientation(session: OutsideSession): Orientation {
  const { plan, todos, asked, branch, lastActivityAt } = session;
  const heading = plan === null ? null : (/^#+ +(\S.*)$/mu.exec(plan.text)?.[1]?.trimEnd() ?? null);
  return {
    goal: startOf(heading ?? asked, longest.goal),
    plan:
      plan === null
        ? null
        : {
            source: plan.source,
            summary: "",
            steps: [],
            step: null,
            text: startOf(plan.text, longest.plan),
          },
    todos: todos !== null && (plan === null || todos.at >= plan.since) ? todos.value : [],
    decisions: [],
    branch,
    updatedAt: lastActivityAt,
  };
}

/**
 * Merges a session's files and reports: the newer value of each field counts.
 *
 * @param one either of the two; their kind and id are the same
 * @param other the other one
 */
export function joinSessions(one: OutsideSession, other: OutsideSession): OutsideSession {
  const [older, newer] = one.lastActivityAt <= other.lastActivityAt ? [one, other] : [other, one];
  const later = <Part extends { readonly at: number }>(a: Part | null, b: Part | null): Part | null =>
    a === null || b === null ? (a ?? b) : a.at >= b.at ? a : b;
  return {
    ...newer,
    asked: newer.asked || older.asked,
    askedAt: newer.askedAt ?? older.askedAt,
    plan:
      newer.plan === null || older.plan === null
        ? (newer.plan ?? older.plan)
        : older.plan.since > newer.plan.since
          ? older.plan
          : newer.plan,
    todos: later(newer.todos, older.todos),
    turn: later(newer.turn, older.turn),
    branch: newer.branch ?? older.branch,
    endedAt:
      newer.endedAt === null || older.endedAt === null
        ? (newer.endedAt ?? older.endedAt)
        : Math.max(newer.endedAt, older.endedAt),
  };
}

/** A turn that ended while the run was active. Stored in the journal. */
export interface OutsideTurnEvent {
  readonly kind: "OutsideTurnEnded";
  /** `sessionKey` of its session, whose details are read on request and not stored. */
  readonly session: string;
  /** Of `endedTurn`. */
  readonly turn: string;
  /** Files of the folder in which it works that changed since its turn before, from the root of the repository. */
  readonly files: readonly string[];
  /** The worker in whose workspace it works; null: the user's folder. */
  readonly workspaceOf: string | null;
  /** ms since 1970. */
  readonly at: number;
}

interface SessionTurn {
  readonly turn: string;
  readonly at: number;
  /** How many there were in this run. */
  readonly nth: number;
  readonly files: readonly string[];
  /** Earlier turns, oldest first, for archangels that were busy meanwhile. */
  readonly earlier: readonly Pick<SessionTurn, "nth" | "files">[];
}

/** Maximum of earlier turns that are kept. */
const maxEarlierTurns = 20;

/** Files of all turns after one, each once. @param nth of the turn that is known; 0: none is */
export const filesSince = (turn: SessionTurn, nth: number): readonly string[] => [
  ...new Set([...turn.earlier, turn].flatMap((one) => (one.nth > nth ? one.files : []))),
];

/** By the key of the session. */
export type TurnsOfSessions = Readonly<Record<string, SessionTurn>>;

/** A unique key of a session. */
export const sessionKey = ({ kind, id }: Pick<OutsideSession, "kind" | "id">): string => `${kind}/${id}`;

/** Adds an event. A repeated or late one changes nothing. */
export function reduceSessionTurns(
  before: TurnsOfSessions,
  given: OutsideTurnEvent | AnyEvent,
): TurnsOfSessions {
  const event = given as OutsideTurnEvent;
  if (event.kind !== "OutsideTurnEnded") return before;
  const { session, turn, at, files } = event;
  const known = Object.hasOwn(before, session) ? before[session] : undefined;
  if (known !== undefined && (known.turn === turn || known.at > at)) return before;
  const earlier = known ? [...known.earlier, { nth: known.nth, files: known.files }] : [];
  return {
    ...before,
    [session]: { turn, at, files, nth: (known?.nth ?? 0) + 1, earlier: earlier.slice(-maxEarlierTurns) },
  };
}

/** A session of the user's own agent in the repository, shortened for the screen. Untrusted text. */
export interface SessionView {
  /** As people call it: `claude-1a2b3c4d`. */
  readonly name: string;
  readonly kind: SessionKind;
  /** Cut; empty where nothing is known. */
  readonly goal: string;
  /** The file of its plan; null where it has none. */
  readonly plan: string | null;
  readonly todos: readonly Todo[];
  /** ms since 1970. */
  readonly lastActivityAt: number;
  /** Whether it works on what it was asked last. */
  readonly isWorking: boolean;
  /** Files that its last turn in this run changed. */
  readonly files: readonly string[];
  readonly folder: string;
  /** The source of all this. */
  readonly source: string;
}
