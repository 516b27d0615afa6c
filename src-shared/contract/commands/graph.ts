import { z } from "zod";
import { kinds, messageTypes, priorities, statuses } from "../../domain/change-metadata/metadata.ts";
import type { ConflictPart } from "../../domain/conflict/conflict.ts";
import type { TreeEntries } from "../../domain/files/tree-entries.ts";
import type { Change } from "../../graph/change.ts";
import type { RestoredBookmark, RestoredChange } from "../../graph/restored-graph.ts";
import { changeId, commitId, line, operationId } from "../fields.ts";
import { answers, hostCommand, repositoryCommand, type Written, windowCommand, written } from "./command.ts";

const nothingOr = <T extends z.ZodType>(schema: T) => schema.nullable().optional();

const metadataPatch = z.strictObject({
  kind: nothingOr(z.enum(kinds)),
  status: nothingOr(z.enum(statuses)),
  priority: nothingOr(z.enum(priorities)),
  rank: nothingOr(line(200)),
  run: nothingOr(line(200)),
  orchestrator: nothingOr(line(200)),
  agent: nothingOr(line(200)),
  phase: nothingOr(z.number().int().min(0).max(1000)),
  msgTo: nothingOr(line(200)),
  msgType: nothingOr(z.enum(messageTypes)),
  replyTo: nothingOr(line(200)),
  iteration: nothingOr(z.number().int().min(0)),
  metrics: nothingOr(line(20_000)),
});

/** Longest text of a file that is settled by hand, in characters. */
const maxResolutionLength = 4_000_000;
const filePath = z.string().min(1).max(4096);

export interface ChangeDetails {
  readonly change: Change;
  readonly files: readonly { readonly path: string; readonly kind: string }[];
  readonly conflicts: readonly { readonly path: string; readonly sides: number }[];
  /** Trailers that Hox does not understand, each with what is wrong. */
  readonly problems: readonly string[];
}

/** One file of a change. */
export interface FileStat {
  readonly path: string;
  /** Where it was before, or its own path. */
  readonly source: string;
  readonly kind: "added" | "modified" | "removed" | "renamed" | "copied";
  readonly added: number;
  readonly removed: number;
  /** By how much it is longer now. */
  readonly bytes: number;
}

/** A file as one commit has it. */
export interface FileSide {
  readonly bytes: number;
  /** Of an image that is not too large: its content in base64. */
  readonly image: string | null;
}

export interface ResolvedConflict extends Written {
  readonly isResolved: boolean;
}

/** Undone by an operation that can be undone as well, or left as it is for the sake of what was done since. */
export type UndoneOperation =
  | {
      readonly kind: "undone";
      readonly operation: string;
      /** It was a landing: the branch that moved back, and the commit that had landed. */
      readonly landing?: { readonly bookmark: string; readonly to: string };
    }
  | {
      readonly kind: "refused";
      readonly why: string;
      /** What prevents it. */
      readonly at: ChangeName | null;
    };

export interface RebasePreview {
  readonly operation: string;
  /** Rows of the resulting graph that differ from today's. */
  readonly changes: readonly Change[];
  readonly newConflicts: readonly string[];
  readonly resolvedConflicts: readonly string[];
}

/** A preview of undoing one agent's work: what is undone, and what stays. */
export interface UndoPreview {
  readonly worker: string;
  readonly changeId: string;
  readonly title: string;
  /** The agent's own operations in this run, newest first, and how many there are in all. */
  readonly operations: readonly {
    readonly id: string;
    readonly time: number;
    readonly description: string;
  }[];
  readonly operationCount: number;
  /** Files of its change that go back to what the change inherits. */
  readonly files: readonly { readonly path: string; readonly kind: string }[];
  /** The changes whose content that is. */
  readonly backTo: readonly ChangeName[];
  /** Others' work that would be rewritten because it depends on this one. Must be empty, or it is refused. */
  readonly affected: readonly ChangeName[];
  /** Siblings that took it in: they are rebased onto its parents, and keep their own work. */
  readonly moved: readonly ChangeName[];
  /** Other workers of the run: their changes, messages and decisions stay byte for byte. */
  readonly untouched: readonly string[];
  /** Why it cannot be undone now, and what to do; null when it can. */
  readonly refusal: { readonly reason: string; readonly remedy: string } | null;
}

export interface ChangeName {
  readonly changeId: string;
  readonly title: string;
}

/** A file in conflict. All text is untrusted. */
export type ConflictView = {
  readonly path: string;
  /** Identifies this state of the file. */
  readonly seen: string;
  readonly sides: readonly ConflictSide[];
} & (
  | { readonly kind: "text"; readonly parts: readonly ConflictPart[] }
  /** Binary, too long, or a link: one side can be taken as it is. `words`: what jj says of it. */
  | { readonly kind: "whole"; readonly why: "binary" | "long" | "no-file"; readonly words: string }
);

/** A side or a base, in the order of the terms of each place. */
export interface ConflictSide {
  readonly kind: "side" | "base";
  /** Null where its words name no commit: then it cannot be taken whole. */
  readonly commit: string | null;
  readonly changeId: string | null;
  readonly title: string;
  /** What jj did with it: `rebased revision`. */
  readonly part: string;
  /** The agent or orchestrator of its change. */
  readonly agent: string | null;
  /** What kind of change brought it, such as `mutation`. */
  readonly changeKind: string | null;
  readonly bytes: number | null;
}

/** What taking the whole repository back to a moment would do. (design 12) */
export interface RestorePreview {
  /** It is afterwards as this operation left it. */
  readonly moment: {
    readonly operation: string;
    readonly at: number;
    readonly actor: string;
    readonly description: string;
  };
  /** The operation of the preview: later requests are valid for this one only. */
  readonly head: string;
  /** Number of operations that are undone. */
  readonly operationCount: number;
  /** Those among them that came from a terminal and not from Hox, the newest first. */
  readonly fromTerminals: readonly {
    readonly id: string;
    readonly time: number;
    readonly description: string;
  }[];
  readonly changes: readonly RestoredChange[];
  /** Number of further changes that are only rebased. */
  readonly rebased: number;
  readonly bookmarks: readonly RestoredBookmark[];
  /** Whose work is among it, by the changes' own lines, with how many changes. */
  readonly agents: readonly { readonly name: string; readonly changes: number }[];
  /** Files of the opened folder that become others; null where Git holds them, so that they stay. */
  readonly ownFiles: readonly string[] | null;
  readonly runs: readonly RestoredRun[];
  /** Why it cannot be done now, and what to do; null when it can. `running`: runs that have to be paused first. */
  readonly refusal: {
    readonly kind: "running" | "nothing";
    readonly reason: string;
    readonly remedy: string;
  } | null;
}

/** What becomes of a run's record. */
export interface RestoredRun {
  readonly id: string;
  readonly root: string;
  readonly goal: string;
  /** `ends`: active, and its work is undone; `stays`: active and not affected; `over`: it had ended. */
  readonly becomes: "ends" | "stays" | "over";
  /** What of its record does not hold any more, in words. */
  readonly loses: readonly string[];
}

export interface Restored {
  /** Undone, everything is as before it. */
  readonly operation: string;
  /** Ids of the runs that ended by it. */
  readonly ended: readonly string[];
}

/** Reading and editing the graph. */
export const graphCommands = {
  /** Commit ids that a revset (jj's language with Hox's functions) names. Answers REFUSED with the place of a mistake. */
  "graph.filter": hostCommand({ revset: z.string().max(10_000) }, answers<{ commits: readonly string[] }>()),

  "change.details": hostCommand({ commitId }, answers<ChangeDetails>()),
  /** Every file of a change with how much of it was changed, in the order of their paths. */
  "change.files": hostCommand({ commitId }, answers<readonly FileStat[]>()),
  /** One folder of a commit, or, with a text, the files anywhere whose path holds it. */
  "change.folder": hostCommand(
    { commitId, folder: z.string().max(4096), text: z.string().max(200) },
    answers<TreeEntries>(),
  ),
  /** A file before and after, for what is no text. */
  "change.fileSides": hostCommand(
    { commitId, path: filePath, source: filePath },
    answers<{ before: FileSide | null; after: FileSide | null }>(),
  ),
  /** Git-format diff, whole or of some files. What is too long is cut at the end of a file or a line; one file may be much longer. */
  "change.diff": hostCommand(
    { commitId, paths: z.array(z.string().max(4096)).max(500).optional() },
    answers<{ diff: string; truncated: boolean }>(),
  ),
  /** A file in conflict, with its sides and who brought each. */
  "change.conflict": hostCommand({ commitId, path: filePath }, answers<ConflictView>()),
  /**
   * Resolves a conflicted file in its change: with a text, or with one side. `seen` is that of the view:
   * refused if the file has changed since. Agents on the change are notified.
   */
  "change.resolveConflict": windowCommand(
    {
      changeId,
      path: filePath,
      seen: line(64),
      as: z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("text"), text: z.string().max(maxResolutionLength) }),
        z.strictObject({ kind: z.literal("commit"), commit: z.string().regex(/^[0-9a-f]{8,40}$/u) }),
      ]),
    },
    answers<ResolvedConflict>(),
  ),
  "change.describe": windowCommand({ changeId, description: z.string().max(200_000) }, written),
  /** `operation` is null where nothing was written: an active run carries a status out by itself. */
  "change.setMetadata": windowCommand(
    { changeIds: z.array(changeId).min(1).max(500), patch: metadataPatch },
    answers<{ operation: string | null }>(),
  ),
  "change.previewRebase": hostCommand({ changeId, onto: changeId }, answers<RebasePreview>()),
  "change.rebase": windowCommand({ changeId, onto: changeId }, written),
  "change.abandon": windowCommand({ changeId }, written),

  "queue.move": windowCommand(
    {
      changeId,
      priority: z.enum(priorities),
      /** The neighbours at the place of the drop; null at an end of the band. */
      above: changeId.nullable(),
      below: changeId.nullable(),
      /** Tasks between `above` and it that have no rank yet, in order: without one they would come after it. */
      unranked: z.array(changeId).max(1_000).default([]),
    },
    written,
  ),

  /**
   * Undoes one operation and keeps the later ones. Refused where others changed or built on what it wrote; `force` undoes it
   * all the same. The last landing is undone as `run.undoLanding` does it, with its refusals.
   */
  "operation.undo": windowCommand(
    { operation: operationId, force: z.boolean().default(false) },
    answers<UndoneOperation>(),
  ),
  /** Change and title of each commit that operations name, where jj still has it. */
  "operation.subjects": hostCommand(
    { commits: z.array(commitId).max(500) },
    answers<Readonly<Record<string, ChangeName>>>(),
  ),
  /**
   * A preview of restoring the whole repository to an operation (by its id or a prefix), or to a time (ms
   * since 1970). If every run is paused, pending edits are snapshotted first.
   */
  "operation.previewRestore": repositoryCommand(
    { to: z.union([operationId, z.number().int().min(0)]) },
    answers<RestorePreview>(),
  ),
  /**
   * Restores it. Refused while a run is active and not paused, and if the repository is no longer at the
   * preview's `head`.
   */
  "operation.restore": repositoryCommand({ operation: operationId, head: operationId }, answers<Restored>()),
};
