import type { PushPreview } from "#shared/contract/commands/run.ts";
import type { JjError } from "../process/errors.ts";
import type { WriteOptions, Written } from "./graph-writer.ts";

/** `remote`: its name. */
interface RemoteOptions extends WriteOptions {
  readonly remote?: string | undefined;
}

/** Git interoperability: branches, landing, pushing, and the author's identity. */
export interface GitInterop {
  /**
   * Imports Git's changes to branches, tags and remotes. Touches no file, index or HEAD. `keepsUnreachable`:
   * keeps commits that no branch contains any more, because work may build on them; default: if a run has
   * work.
   */
  importGit(
    options?: WriteOptions & { readonly keepsUnreachable?: boolean },
  ): Promise<Written & { hasChanged: boolean }>;
  /**
   * Local branches by name, with their commits. If Git manages the folder, Git's branches count: jj moves a
   * bookmark when its remote moves, while Git's branch waits for a pull.
   */
  branches(): Promise<Readonly<Record<string, readonly string[]>>>;
  /** Takes branches away, from jj and from Git. Those that are in neither are no mistake. */
  removeBranches(names: readonly string[], options?: WriteOptions): Promise<void>;
  /** Git's state in the opened folder; null if Git is not used there. */
  gitStand(): Promise<GitStand | null>;
  /** Why a branch cannot move now, for the user; null if it can. Changes nothing. */
  refusalToMove(move: BranchMove): Promise<JjError | null>;
  /**
   * Moves a branch, creates it (`from` null) or deletes it (`to` null). If the user has it checked out with
   * Git, their folder moves along as with `git merge --ff-only`: HEAD stays on the branch, edits and staged
   * changes are kept.
   * @throws JjError `in-the-way`, or `rewritten` if it is not at its expected commit
   */
  moveBranch(
    move: BranchMove,
    options?: WriteOptions & { readonly keepsUnreachable?: boolean; readonly reason?: string },
  ): Promise<Written>;
  /** Where it is fetched from and pushed to. An address may hold a password or a token: it is shown to no one. */
  remotes(): Promise<readonly { readonly name: string; readonly url: string }[]>;
  /** The remote's branch that holds a commit, as it was last fetched or pushed; null when none does. */
  pushedTo(commit: string): Promise<string | null>;
  /**
   * What a push of this bookmark would do. Asks no server: it is as the remote was last fetched.
   * @param remote default: as jj is configured
   */
  previewPush(bookmark: string, remote?: string): Promise<PushPreview>;
  /** Pushes it, if that still does exactly `moves` of the preview. */
  push(bookmark: string, moves: readonly string[], options?: RemoteOptions): Promise<Written>;
  /**
   * Fetches one branch of the remote (default: `origin`, else the first). A bookmark that follows it moves along, as with
   * `jj git fetch`. `remote` is null where there is none; a branch that the remote does not have is no mistake.
   */
  fetchBranch(branch: string, options?: RemoteOptions): Promise<{ readonly remote: string | null }>;
  /**
   * Whether Git signs the user's commits here. jj's commits are not signed, so that no passphrase is asked
   * for.
   */
  signsCommits(): Promise<boolean>;
  /** The author of commits; null if neither jj nor Git has one configured. Read with every call. */
  identity(): Promise<{ readonly name: string; readonly email: string } | null>;
  /**
   * Pushes the notes. Where others pushed theirs since, both are brought together first, and nothing is lost.
   * @throws JjError where the remote cannot be reached or refuses
   */
  pushNotes(remote: string): Promise<void>;
  /** Whether metadata can be kept in Git notes here: not where jj alone works in the folder. */
  keepsNotes(): boolean;
  /**
   * Creates what lands from a result. See `LandingOrder`. Notes are written before their commits are visible.
   */
  landingSeries(order: LandingOrder, options?: WriteOptions): Promise<LandingSeries>;
  /**
   * The commits that `landingSeries` would make of an order, the lowest first, without their notes. Changes nothing.
   * @param onto commit id of what they land on
   */
  previewLanding(order: LandingOrder, onto: string): Promise<readonly LandingCommit[]>;
}

/** A commit of a landing that is only previewed. */
interface LandingCommit {
  /** As it lands, or as it is where nothing of it changes. */
  readonly description: string;
  /**
   * What it comes from: a change id where changes land as they are, else the commit id of what is copied. Null: it is the
   * rest of the result.
   */
  readonly of: string | null;
}

/** Git's state in a folder. */
export interface GitStand {
  /** The checked-out branch; null if HEAD is detached. */
  readonly branch: string | null;
  /** HEAD's commit; null before the first one. */
  readonly commit: string | null;
  /** The branch that the remote calls its main one, by its local name. */
  readonly trunk: string | null;
  readonly underway: string | null;
  /** Files, index and HEAD are Git's to move, not jj's. */
  readonly isManagedByGit: boolean;
}

/** A branch from one commit (null: there is none yet) to another (null: away with it). */
export interface BranchMove {
  readonly branch: string;
  readonly from: string | null;
  readonly to: string | null;
}

/**
 * What lands of a result. `changes`: the very changes with other descriptions. `copies`: new commits one on another on
 * `onto`, each with what its commit changed, and at the end whatever the result holds beyond them. A copy that would hold
 * a conflict is left out: what it changed comes with the last one.
 */
export type LandingOrder = (
  | {
      readonly kind: "changes";
      readonly result: string;
      readonly descriptions: readonly { readonly changeId: string; readonly description: string }[];
      /** Change ids: one of them without files, and without several parents that it would bring together, does not land. */
      readonly dispensable: readonly string[];
    }
  | {
      readonly kind: "copies";
      readonly result: string;
      readonly onto: string;
      /** `whole`: the copy holds all that its commit holds, and not only what it changed. */
      readonly commits: readonly {
        readonly commitId: string;
        readonly description: string;
        readonly whole?: boolean;
      }[];
      /** The last one lands also where nothing is left for it: what it says has to. */
      readonly keepsRest?: boolean;
      /** Description of the last one. */
      readonly rest: (leftOut: readonly string[]) => string;
    }
) & {
  /**
   * Blocks for the notes of what lands, each with what it is about: of `changes` a change id, from the lowest up; of
   * `copies` a commit id, the result's own first. The block of a change that does not land itself goes to the commit that
   * lands in its place.
   */
  readonly notes?: readonly LandingNote[];
};

export interface LandingNote {
  readonly of: string;
  readonly block: string;
}

export interface LandingSeries {
  readonly operation: string;
  /** The commit to land, with exactly the files of the result. */
  readonly commitId: string;
  readonly changeId: string;
  /** Commits that were copied → their copies. */
  readonly copies: Readonly<Record<string, string>>;
}
