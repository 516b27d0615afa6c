/** What became of changes to protected files that came as far as an agent's change. */
export type ProtectedChangeEvent =
  /** Removed from the change, and shown to the user. `commit` still has them. */
  | {
      readonly kind: "TakenOut";
      readonly card: string;
      readonly paths: readonly string[];
      readonly commit: string;
    }
  /** Put back into the change as the user saw them. */
  | { readonly kind: "Allowed"; readonly card: string }
  | { readonly kind: "LeftOut"; readonly card: string }
  /** Written by the user during a takeover: approved. */
  | { readonly kind: "WrittenByUser"; readonly paths: readonly string[]; readonly commit: string };

/** By change and not by worker, in order: another agent may continue it. */
export type ProtectedChangesOfRun = Readonly<Record<string, readonly ProtectedChangeEvent[]>>;

/** Adds an event about a change. */
export const addProtectedChange = (
  before: ProtectedChangesOfRun,
  changeId: string,
  event: ProtectedChangeEvent,
): ProtectedChangesOfRun => ({ ...before, [changeId]: [...(before[changeId] ?? []), event] });

interface ProtectedChange {
  readonly path: string;
  /** The commit that holds the version in question. */
  readonly commit: string;
  /** Null if the user wrote it. */
  readonly card: string | null;
  readonly answer: "waiting" | "allowed" | "left-out";
}

/** By path: of one that came several times the last word counts. */
export type ProtectedChanges = ReadonlyMap<string, ProtectedChange>;

/** The current state of one change's events. An answer to an unknown card changes nothing. */
export function protectedChanges(events: readonly ProtectedChangeEvent[]): ProtectedChanges {
  const changes = new Map<string, ProtectedChange>();
  for (const event of events) {
    switch (event.kind) {
      case "TakenOut":
        for (const path of event.paths)
          changes.set(path, { path, commit: event.commit, card: event.card, answer: "waiting" });
        break;
      case "WrittenByUser":
        for (const path of event.paths)
          changes.set(path, { path, commit: event.commit, card: null, answer: "allowed" });
        break;
      case "Allowed":
      case "LeftOut":
        for (const change of changes.values())
          if (change.card === event.card)
            changes.set(change.path, {
              ...change,
              answer: event.kind === "Allowed" ? "allowed" : "left-out",
            });
        break;
      default:
        event satisfies never;
    }
  }
  return changes;
}

/** What is to be done with protected paths that a change has changed. */
export interface ProtectedVerdict {
  /** Back to what the parents have. */
  readonly takeOut: readonly string[];
  /** Those of them that the user has not been asked about. */
  readonly ask: readonly string[];
  /** Allowed in one version, by its commit: any other content is not. */
  readonly keep: ReadonlyMap<string, readonly string[]>;
}

/** @param paths protected ones, in which a change differs from its parents */
export function judgeProtected(paths: readonly string[], known: ProtectedChanges): ProtectedVerdict {
  const keep = new Map<string, string[]>();
  const takeOut: string[] = [];
  for (const path of paths) {
    const change = known.get(path);
    if (change?.answer !== "allowed") takeOut.push(path);
    else keep.set(change.commit, [...(keep.get(change.commit) ?? []), path]);
  }
  return { takeOut, ask: takeOut.filter((path) => !known.has(path)), keep };
}

/** Protected files that the user allowed in a change, as its agent had written them. */
export const allowedPaths = (events: readonly ProtectedChangeEvent[]): readonly string[] =>
  [...protectedChanges(events).values()].flatMap(({ path, answer, card }) =>
    answer === "allowed" && card !== null ? [path] : [],
  );
