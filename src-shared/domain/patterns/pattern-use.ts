/** Which patterns were told to whom in a run, so that their success can be counted. */

/** One approved text. */
export interface ToldPattern {
  /** `<category>/<name>`. */
  readonly id: string;
  /** The version that was approved here. */
  readonly version: number;
}

/** A worker's prompts hold these from now on; told again only where they are others. */
export interface PatternsTold {
  readonly kind: "PatternsTold";
  readonly worker: string;
  readonly patterns: readonly ToldPattern[];
}

export type PatternUseEvent = PatternsTold;

/** By worker: all that were ever told to it, the last version of each. */
export type PatternsByWorker = Readonly<Record<string, readonly ToldPattern[]>>;

/** Pure. Answers with the same where nothing is new. */
export function reducePatternUse(state: PatternsByWorker, event: PatternUseEvent): PatternsByWorker {
  const before = state[event.worker] ?? [];
  const isNew = event.patterns.some(
    ({ id, version }) => !before.some((one) => one.id === id && one.version === version),
  );
  if (!isNew) return state;
  const kept = before.filter(({ id }) => !event.patterns.some((one) => one.id === id));
  return { ...state, [event.worker]: [...kept, ...event.patterns] };
}
