/** Changes outside a task's claim, for the judge of the work. (HYLO-16) */
import { asGlob, fitsGlob } from "../files/glob.ts";
import { shownName } from "../text/shown-text.ts";

/** What a task was given, and what belongs to others. Claims are paths, folders ending in `/`, or globs. */
export interface Given {
  /** Of the task; an empty list says nothing, so that no file is outside. */
  readonly claims: readonly string[];
  /** Of all that the task inherits. */
  readonly contracts: readonly string[];
  /** The other tasks of its plan. */
  readonly others: readonly { readonly title: string; readonly claims: readonly string[] }[];
}

export interface BeyondTask {
  readonly path: string;
  /** `contract`: all tasks inherit it; `task`: another task claims it; `nobody`: no task claims it. */
  readonly of: "contract" | "task" | "nobody";
  /** Title of the other task, where `of` is `task`; empty otherwise. */
  readonly task: string;
}

/**
 * Files that a judge should know of: contracts, even if the task's claim includes them, because all tasks
 * rely on them; and files outside the claim. (HYLO-16)
 *
 * @param paths files that the work changes
 * @returns in the order of `paths`; empty if all are within the task
 */
export function beyondTask(
  paths: readonly string[],
  { claims, contracts, others }: Given,
): readonly BeyondTask[] {
  const meets = (some: readonly string[]) => {
    const globs = some.map((claim) => fitsGlob(asGlob(claim)));
    return (path: string): boolean => globs.some((fits) => fits(path));
  };
  const isContract = meets(contracts);
  const isOwn = meets(claims);
  const theirs = others.map((other) => ({ title: other.title, has: meets(other.claims) }));
  return paths.flatMap((path): readonly BeyondTask[] => {
    if (isContract(path)) return [{ path, of: "contract", task: "" }];
    if (isOwn(path)) return [];
    const other = theirs.find(({ has }) => has(path));
    if (other) return [{ path, of: "task", task: other.title }];
    return claims.length === 0 ? [] : [{ path, of: "nobody", task: "" }];
  });
}

/** One of them in words, for a prompt, a card and a terminal. */
export function formatOutOfScopeFile({ path, of, task }: BeyondTask): string {
  switch (of) {
    case "contract":
      return `${shownName(path)}: a contract that others rely on`;
    case "task":
      return `${shownName(path)}: belongs to the task “${task}”`;
    case "nobody":
      return `${shownName(path)}: not a file of its task`;
    default: {
      const never: never = of;
      return never;
    }
  }
}
