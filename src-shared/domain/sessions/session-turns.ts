/** Turns of sessions outside Hox that a run has heard of, so that each is heard of once, whatever dies in between. */
import type { AnyEvent } from "../any-event.ts";
import type { OutsideSession, SessionKind } from "./outside-session.ts";

/** A turn that ended while the run was active. Stored in the journal. */
export interface OutsideTurnEvent {
  readonly kind: "OutsideTurnEnded";
  /** `sessionKey` of its session, whose details are read on request and not stored. */
  readonly session: string;
  readonly sessionKind: SessionKind;
  /** Of `endedTurn`. */
  readonly turn: string;
  /** Files of the folder in which it works that changed since its turn before, from the root of the repository. */
  readonly files: readonly string[];
  /** The worker in whose workspace it works; null: the user's folder. */
  readonly workspaceOf: string | null;
  /** ms since 1970. */
  readonly at: number;
}

export interface SessionTurn {
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
