import type { Jj } from "../process/process.ts";
import { quoted } from "./row-template.ts";

/** What a read needs. */
export interface ReadAccess {
  readonly jj: Jj;
  readonly root: string;
  /** The operation that a read without one is pinned to. */
  readonly current: () => Promise<string>;
  /** The arguments of a read at an operation; default: the current one. */
  readonly at: (operation: string | undefined) => Promise<readonly string[]>;
}

/** The fileset that means this very path and nothing that looks like a pattern. */
export const exactFile = (path: string): string => `root-file:${quoted(path)}`;

/** The expression for what a revision names, which may be nothing. */
export const present = (revision: string): string => `present(${revision})`;

/** The arguments of a read that is pinned to one operation. */
export const pinned = (folder: string, operation: string): readonly string[] => [
  "-R",
  folder,
  `--at-op=${operation}`,
  "--ignore-working-copy",
  "--quiet",
];

/** A full id needs no search for the shortest unique prefix. */
export const noPrefixes = ["--config", 'revsets.short-prefixes=""'] as const;
/** One style of conflict markers for all readers; the user's files keep theirs. */
export const markers = ["--config", "ui.conflict-marker-style=diff"] as const;

/** The style that shows every side and every base whole. */
export const allSides = ["--config", "ui.conflict-marker-style=snapshot"] as const;

/** The arguments that list the commits of a revset. */
export const revsetLog = (revset: string): readonly string[] => ["log", "--no-graph", "-r", revset];

/**
 * jj's expressions for the changes of runs. It finds the line anywhere, so rows are looked at once more.
 *
 * Of all runs.
 */
export const ofRuns = 'description(regex:"(?m)^Hox-Run: ")';

/** Of one run. */
export const ofRun = (run: string): string => `description(regex:"(?m)^Hox-Run: ${run}$")`;

/** What people label in a terminal as a decision or a message, and that belongs to no run. */
export const labelledByHand = `mutable() & description(regex:"(?m)^Hox-(Msg-To: |Kind: (mutation|message)$)") ~ ${ofRuns}`;

/** Of these kinds, of whatever run. */
export const ofKinds = (...kinds: readonly string[]): string =>
  `description(regex:"(?m)^Hox-Kind: (${kinds.join("|")})$")`;
