/** Which votes on a result are about whose work. */

/** What identifies one worker's part of a result. */
export interface OwnWork {
  readonly worker: string;
  /** Brought all of it together: every vote on the result is about its work. */
  readonly isWhole: boolean;
  readonly title: string;
  /** Change id of its task; null where it has none. */
  readonly changeId: string | null;
  /** What its change did to the result, from the root of the repository. */
  readonly files: readonly string[];
  /** Titles of the decisions that it contradicted, and names of its checks that failed. */
  readonly faults: readonly string[];
}

export interface CountedVote {
  readonly approves: boolean;
  readonly reason: string;
}

/**
 * How votes on a result count for its contributors. (HOX-6.1)
 *
 * An approval says that nothing in the result is wrong: it counts for all contributors. A rejection counts
 * against those whose work its reason cites: by the agent's name, its change, its task's title, one of its
 * files, or a failed check or decision attributed to it. One without a citation is about the whole, so it
 * counts against the integrator and no single agent.
 *
 * @param votes those that counted, for or against
 * @returns for each worker, in order
 */
export function votesOnOwnWork(
  votes: readonly CountedVote[],
  work: readonly OwnWork[],
): readonly { readonly worker: string; readonly passed: number; readonly failed: number }[] {
  return work.map((own) => ({
    worker: own.worker,
    passed: votes.filter(({ approves }) => approves).length,
    failed: votes.filter(({ approves, reason }) => !approves && (own.isWhole || cites(reason, own))).length,
  }));
}

/** Minimum length of an abbreviated change id. */
const shortId = 8;

/**
 * Whether a text mentions a worker's work. A name inside a longer one is another: `agent-1` is not in
 * `agent-12`.
 */
export function cites(reason: string, { worker, title, changeId, files, faults }: OwnWork): boolean {
  const words = [worker, title, ...files, ...faults].filter((word) => word.trim() !== "");
  return (
    words.some((word) => holdsWord(reason, word)) ||
    (changeId !== null && changeId !== "" && holdsBeginning(reason, changeId.slice(0, shortId)))
  );
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/gu, "\\$&");

/** Letters, digits and what joins them in names and paths; a dot at the end of a sentence joins nothing. */
const holdsWord = (text: string, word: string): boolean =>
  new RegExp(
    `(?<![\\p{L}\\p{N}_/-]|[\\p{L}\\p{N}_]\\.)${escaped(word)}(?![\\p{L}\\p{N}_/-]|\\.[\\p{L}\\p{N}_])`,
    "u",
  ).test(text);

const holdsBeginning = (text: string, beginning: string): boolean =>
  new RegExp(`(?<![\\p{L}\\p{N}])${escaped(beginning)}`, "u").test(text);
