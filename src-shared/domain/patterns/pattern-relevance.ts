/** Whether a pattern fits a piece of work, by its kind and its surroundings. Plain counting, so that it can be explained. */
import type { PatternContexts, TaskType, WorkContext } from "./pattern-context.ts";

/** A pattern at or below this confidence is stored but not used. (PLAN-9) */
export const minConfidence = 0.6;

/** From here on a pattern fits. */
const minShare = 0.5;

export interface Fitted {
  readonly taskTypes: readonly TaskType[];
  readonly contexts: PatternContexts;
}

export interface Relevance {
  readonly isRelevant: boolean;
  /** 0 to 1: the share of what both sides name that agrees; 1 where the pattern names nothing, and is for everything. */
  readonly share: number;
  /** A few words each. */
  readonly why: readonly string[];
}

/** The kind of work says most. */
const weights = { taskTypes: 3, languages: 2, folders: 1, words: 2 } as const;

/** What one side does not name does not count against the match. */
export function relevanceOf({ taskTypes, contexts }: Fitted, work: WorkContext): Relevance {
  const sides = [
    {
      weight: weights.taskTypes,
      own: taskTypes,
      theirs: work.taskType === null ? [] : [work.taskType],
      says: (found: readonly string[]) => `the same kind of work: ${found.join(", ")}`,
    },
    ...(["languages", "folders", "words"] as const).map((name) => ({
      weight: weights[name],
      own: contexts[name],
      theirs: work[name],
      says: (found: readonly string[]) =>
        name === "languages"
          ? `written in ${found.join(", ")}`
          : name === "folders"
            ? `in ${found.join(", ")}`
            : `about ${found.join(", ")}`,
    })),
  ];
  let [known, agreed] = [0, 0];
  const why: string[] = [];
  for (const { weight, own, theirs, says } of sides) {
    if (own.length === 0 || theirs.length === 0) continue;
    known += weight;
    const found = (own as readonly string[]).filter((word) => (theirs as readonly string[]).includes(word));
    if (found.length === 0) continue;
    agreed += weight;
    why.push(says(found));
  }
  const namesNothing = sides.every(({ own }) => own.length === 0);
  if (namesNothing) return { isRelevant: true, share: 1, why: ["applies to all tasks"] };
  // Where nothing can be compared, nothing speaks for it.
  const share = known === 0 ? 0 : agreed / known;
  return { isRelevant: share >= minShare, share, why };
}
