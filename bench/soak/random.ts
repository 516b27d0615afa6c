/** Chance that comes again: the same seed draws the same numbers. */
export interface Chance {
  /** 0 ≤ number < 1. */
  next(): number;
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  pick<T>(from: readonly T[]): T;
}

/** Mulberry32: 32 bits of state, good enough to choose by. */
export function chance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    next,
    below,
    pick(from) {
      const found = from[below(from.length)];
      if (found === undefined) throw new RangeError("There is nothing to pick from.");
      return found;
    },
  };
}

/** A number from words, to draw the same for the same task in every iteration and after every restart. */
export function seedOf(...words: readonly (string | number)[]): number {
  let hash = 2166136261;
  for (const character of words.join("\0"))
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16777619);
  return hash >>> 0;
}
