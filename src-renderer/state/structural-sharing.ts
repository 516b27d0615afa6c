/**
 * The host sends whole views. What did not change in one is made the same object again, down to the leaves, so that a
 * worker, a fold or a plan can be compared by `===` and only what changed is drawn anew.
 */

type Fields = Readonly<Record<string, unknown>>;

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Plain data only; what has a class is compared as a whole. */
function isFields(value: unknown): value is Fields {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** `next`, with every part that equals its counterpart in `before` replaced by that; all of `before` when all is equal. */
export function shareStructure<T>(before: unknown, next: T): T {
  if (Object.is(before, next)) return next;
  const shared = isArray(next)
    ? isArray(before) && sharedArray(before, next)
    : isFields(next) && isFields(before) && sharedFields(before, next);
  // Equal in every part to `next`, so of its type.
  return shared === false ? next : (shared as T);
}

/** Whether two pieces of plain data say the same. */
export const isSameData = (one: unknown, other: unknown): boolean =>
  Object.is(one, other) || Object.is(shareStructure(one, other), one);

/** Remembers what it gave last: what equals it is made the same object again. */
export function keepShared<T>(): (next: T) => T {
  let last: T | undefined;
  return (next) => {
    last = shareStructure(last, next);
    return last;
  };
}

function sharedArray(before: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  let counterpart: ((index: number) => unknown) | null = null;
  const shared = next.map((value, index) => {
    if (Object.is(value, before[index])) return value;
    counterpart ??= counterparts(before, next);
    return shareStructure(counterpart(index), value);
  });
  const isSame =
    before.length === shared.length && shared.every((value, index) => Object.is(value, before[index]));
  return isSame ? before : shared;
}

/** What an element is to be compared with: the one of its name, where it has one, so that one that came in moves no other. */
function counterparts(before: readonly unknown[], next: readonly unknown[]): (index: number) => unknown {
  const byName = new Map(before.map((value, index) => [nameOf(value) ?? index, value]));
  return (index) => byName.get(nameOf(next[index]) ?? index);
}

const names = ["id", "name", "changeId"] as const;

function nameOf(value: unknown): string | null {
  if (!isFields(value)) return null;
  for (const name of names) {
    const found = value[name];
    if (typeof found === "string") return found;
  }
  return null;
}

function sharedFields(before: Fields, next: Fields): Fields {
  const shared: Record<string, unknown> = {};
  const keys = Object.keys(next);
  let isSame = keys.length === Object.keys(before).length;
  for (const key of keys) {
    const had = Object.hasOwn(before, key);
    const value = shareStructure(had ? before[key] : undefined, next[key]);
    isSame &&= had && Object.is(value, before[key]);
    // Set, that name would be the nature of the object and no field of it; all others are set far quicker.
    if (key === "__proto__")
      Object.defineProperty(shared, key, { value, enumerable: true, writable: true, configurable: true });
    else shared[key] = value;
  }
  return isSame ? before : shared;
}
