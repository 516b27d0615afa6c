/** How a run's result gets to its branch: judged, offered, merged with it, moved. */

import type { AnyEvent } from "../any-event.ts";
import type { CheckResult } from "../conversation/conversation.ts";
import type { MissingWork } from "../missing-work/missing-work.ts";
import type { LandingForm } from "./publication.ts";

/** What landed. Plain JSON, as all here. */
export interface Landed {
  readonly bookmark: string;
  readonly changeId: string;
  /** Between which commits the branch moved (`from` null: it was made new). */
  readonly move: { readonly from: string | null; readonly to: string };
  /** ms since 1970, when it was undone. */
  readonly undoneAt: number | null;
  /** The commit on the branch that reverts it, or a part of it. Absent where none does. */
  readonly revertedBy?: string;
  /** Why the user landed it although work of tasks was missing. Absent where none was. */
  readonly without?: string;
}

/** The bookmarks as shown to the user; an answer is valid only while they are unchanged. */
interface ShownLanding {
  readonly commitId: string;
  readonly bookmarks: Readonly<Record<string, readonly string[]>>;
  /** As what it lands unless the answer says otherwise. Absent: on a local branch. */
  readonly form?: LandingForm;
}

/** A branch that is about to move, and the landed versions of the workers' changes (worker → change id). */
export interface BranchMove {
  readonly branch: string;
  readonly from: string | null;
  readonly commitId: string;
  readonly changeId: string;
  readonly workers: Readonly<Record<string, string>>;
  /** Why the user lands it although work of tasks is missing. Absent where none is. */
  readonly without?: string;
}

/** The branch's new commits, and the result merged with them. */
export interface BroughtCommits {
  readonly branch: string;
  /** Titles of the commits that came, newest first. */
  readonly commits: readonly string[];
  readonly commitCount: number;
  /**
   * Commits of the run's base that left the branch, newest first: the result is without them. Absent: none.
   */
  readonly left?: readonly { readonly commitId: string; readonly title: string }[];
  /** Of the result with all that came. */
  readonly checks: readonly CheckResult[];
}

export interface LandingState {
  /** The commit that was judged, so that nothing else can land. */
  readonly judged: string | null;
  /** Counts the approvals that failed because the branch had moved: each gets a new question. */
  readonly question: number;
  readonly shown: ShownLanding | null;
  /** The branch's commit that the result is being brought onto, from before it is until it was looked at again. */
  readonly bringing: string | null;
  readonly brought: BroughtCommits | null;
  /** The integrator merges an approved result with new commits of its branch. */
  readonly hasTrunkMoved: boolean;
  /** The user returned the result at landing, and the integrator repairs it. */
  readonly isReturned: boolean;
  /** What of the tasks is missing from a commit, as it was compared last. */
  readonly compared: { readonly commitId: string; readonly missing: readonly MissingWork[] } | null;
  readonly move: BranchMove | null;
  readonly landed: Landed | null;
}

export const noLanding: LandingState = {
  judged: null,
  question: 0,
  shown: null,
  bringing: null,
  brought: null,
  hasTrunkMoved: false,
  isReturned: false,
  compared: null,
  move: null,
  landed: null,
};

export type LandingEvent =
  /** It is judged again, with the branch's new commits. */
  | { readonly kind: "ValidationStarted" }
  | { readonly kind: "ResultValidated"; readonly commitId: string }
  | { readonly kind: "LandingShown"; readonly shown: ShownLanding }
  | { readonly kind: "LandingAskedAnew" }
  | { readonly kind: "BringingStarted"; readonly tip: string }
  /** The result with what came holds: what is judged is this commit now. */
  | { readonly kind: "ResultBrought"; readonly commitId: string; readonly brought: BroughtCommits }
  /** What came collides with the result, or breaks it: the integrator's task. */
  | { readonly kind: "BringingFailed" }
  | { readonly kind: "ResultCompared"; readonly commitId: string; readonly missing: readonly MissingWork[] }
  | { readonly kind: "ResultReturned" }
  /** Kept before the branch moves. */
  | { readonly kind: "BranchMoveStarted"; readonly move: BranchMove }
  /** The branch was moved; the workers' changes are those that landed. */
  | { readonly kind: "ResultLanded"; readonly move: BranchMove }
  /** ms since 1970. */
  | { readonly kind: "LandingUndone"; readonly at: number }
  /** The branch holds again what had landed. */
  | { readonly kind: "LandingRedone" }
  /** A later commit on the branch reverts what landed, or a part of it. */
  | { readonly kind: "LandingReverted"; readonly by: string };

/** Adds an event. What landed stays the same one, off the branch or on it. */
export function reduceLanding(before: LandingState, given: LandingEvent | AnyEvent): LandingState {
  const event = given as LandingEvent;
  switch (event.kind) {
    case "ValidationStarted":
      return before.hasTrunkMoved || before.isReturned
        ? { ...before, hasTrunkMoved: false, isReturned: false }
        : before;
    case "ResultValidated":
      return before.judged === event.commitId ? before : { ...before, judged: event.commitId };
    case "LandingShown":
      return { ...before, shown: event.shown };
    case "LandingAskedAnew":
      return { ...before, question: before.question + 1 };
    case "BringingStarted":
      return before.bringing === event.tip ? before : { ...before, bringing: event.tip };
    case "ResultBrought":
      return { ...before, judged: event.commitId, brought: event.brought, bringing: null };
    case "BringingFailed":
      return before.bringing === null && before.hasTrunkMoved
        ? before
        : { ...before, bringing: null, hasTrunkMoved: true };
    case "ResultCompared":
      return before.compared?.commitId === event.commitId
        ? before
        : { ...before, compared: { commitId: event.commitId, missing: event.missing } };
    case "ResultReturned":
      return before.isReturned ? before : { ...before, isReturned: true };
    case "BranchMoveStarted":
      return { ...before, move: event.move };
    case "ResultLanded":
      return before.landed === null ? { ...before, landed: landedBy(event.move) } : before;
    case "LandingUndone":
      return before.landed === null || before.landed.undoneAt !== null
        ? before
        : { ...before, landed: { ...before.landed, undoneAt: event.at } };
    case "LandingRedone":
      return before.landed === null || before.landed.undoneAt === null
        ? before
        : { ...before, landed: { ...before.landed, undoneAt: null } };
    case "LandingReverted":
      return before.landed === null || before.landed.revertedBy !== undefined
        ? before
        : { ...before, landed: { ...before.landed, revertedBy: event.by } };
    default:
      return before;
  }
}

const landedBy = ({ branch, changeId, from, commitId, without }: BranchMove): Landed => ({
  bookmark: branch,
  changeId,
  move: { from, to: commitId },
  undoneAt: null,
  ...(without === undefined ? {} : { without }),
});
