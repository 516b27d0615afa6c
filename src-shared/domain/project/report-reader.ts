/** Reads the report of one tool; null where it is another's, or not whole. */
export type Reader = (text: string) => readonly string[] | null;

/** Every place that fits. */
export const all = (text: string, line: RegExp): readonly RegExpMatchArray[] => [...text.matchAll(line)];
/** What tools counted, over all places and some groups of each. */
export const sum = (matches: readonly RegExpMatchArray[], ...groups: readonly number[]): number =>
  matches.reduce(
    (total, match) => total + groups.reduce((own, group) => own + Number(match[group] ?? 0), 0),
    0,
  );
/** Each name once. */
export const once = (names: readonly string[]): readonly string[] => [...new Set(names)];
/** As many names as were counted; none counted is nothing that failed. */
export const whole = (names: readonly string[], counted: number): readonly string[] | null =>
  counted > 0 && names.length === counted ? names : null;
