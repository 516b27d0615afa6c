/** Results of checks in fresh checkouts, kept so that the same files are not checked twice in a run. */
import type { AnyEvent } from "../any-event.ts";
import type { CheckResult } from "../conversation/conversation.ts";
import type { PreflightEvent } from "./preflight.ts";

/** What a fresh checkout of some files has shown. Plain JSON. */
export interface CheckedFiles {
  /** Hash of the files and of all else that the results depend on. */
  readonly key: string;
  readonly results: readonly CheckResult[];
  /** ms since 1970. */
  readonly at: number;
}

export type FilesChecked = { readonly kind: "FilesChecked" } & CheckedFiles;

/** The newest serve what follows: a merge, the integration and the panel check what was just checked. */
const maxKept = 8;

/** Whether results say the same of the same files. What failed, timed out or could not run may not. */
export const isRepeatable = (results: readonly CheckResult[]): boolean =>
  results.every(({ outcome }) => outcome === "passed" || outcome === "known-failure");

/** Keeps the newest results; drops all when packages are installed or the checks are chosen again. */
export function reduceCheckedFiles(
  before: readonly CheckedFiles[],
  given: FilesChecked | AnyEvent,
): readonly CheckedFiles[] {
  const none = before.length === 0 ? before : [];
  switch (given.kind) {
    case "FilesChecked": {
      const { key, results, at } = given as FilesChecked;
      if (before.some((one) => one.key === key && one.at === at)) return before;
      return [...before.filter((one) => one.key !== key), { key, results, at }].slice(-maxKept);
    }
    case "PackagesInstalled":
      return none;
    case "PreflightChanged":
      // What passed since is part of the key.
      return (given as { readonly event?: PreflightEvent }).event?.kind === "Passed" ? before : none;
    default:
      return before;
  }
}
