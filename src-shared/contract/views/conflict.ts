import type { ConflictPart } from "../../domain/conflict/conflict-text.ts";

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
