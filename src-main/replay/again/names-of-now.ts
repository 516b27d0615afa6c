/**
 * What was called one way in a recorded run is called another way when it goes again: commits, changes, runs, folders.
 * Learned where the same is said in both; nothing is guessed.
 */
export interface NamesOfNow {
  /** Two texts that say the same, line for line, but for such names. */
  learn(recorded: string, now: string): void;
  add(recorded: string, now: string): void;
  /** A recorded value with the names of now, in every text of it. */
  translate<T>(value: T): T;
}

/** Ids with hyphens, hashes, change ids, and what holds letters and digits in a mix that no word has. */
const name =
  /(?<![\p{L}\p{N}_])(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{7,128}|[k-z]{7,64}|(?=[0-9a-z]*\d)(?=[0-9a-z]*[a-z])[0-9a-z]{9,64})(?![\p{L}\p{N}_])/gu;
/** An abbreviation is at least so long. */
const shortest = 7;

export const withoutNames = (text: string): string => text.replaceAll(name, "…");

export function createNamesOfNow(): NamesOfNow {
  const known = new Map<string, string>();
  const add = (recorded: string, now: string): void => {
    if (recorded !== now && !known.has(recorded)) known.set(recorded, now);
  };
  const nameNow = (recorded: string): string => {
    const exact = known.get(recorded);
    if (exact !== undefined) return exact;
    for (const [before, after] of known)
      if (recorded.length >= shortest && before.startsWith(recorded)) return after.slice(0, recorded.length);
    return recorded;
  };
  const text = (given: string): string => {
    let left = given;
    // Folders hold signs that names do not.
    for (const [before, after] of known)
      if (before.includes("/") && left.includes(before)) left = left.replaceAll(before, after);
    return left.replaceAll(name, nameNow);
  };
  return {
    add,
    learn(recorded, now) {
      const lines = now.split("\n");
      // A line that both have, wherever it stands by now.
      const places = Map.groupBy(lines, withoutNames);
      for (const line of recorded.split("\n")) {
        const same = places.get(withoutNames(line));
        const [own] = same ?? [];
        if (own === undefined || same?.length !== 1) continue;
        const [before, after] = [line.match(name) ?? [], own.match(name) ?? []];
        for (const [index, one] of before.entries()) {
          const other = after[index];
          if (other !== undefined) add(one, other);
        }
      }
    },
    translate: (value) => mapped(value, text) as typeof value,
  };
}

function mapped(value: unknown, text: (given: string) => string): unknown {
  if (typeof value === "string") return text(value);
  if (Array.isArray(value)) return value.map((one: unknown) => mapped(one, text));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), mapped(one, text)]));
}
