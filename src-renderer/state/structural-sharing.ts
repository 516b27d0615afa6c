/**
 * The host sends whole views. What did not change in one is made the same object again, down to the leaves, so that a
 * worker, a merge request or a plan can be compared by `===` and only what changed is redrawn.
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

// Nearly all of what comes again is equal to what was there: nothing is made for it, neither here nor for fields.
function sharedArray(before: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  let byName: ReadonlyMap<string | number, unknown> | null = null;
  let shared: unknown[] | null = null;
  for (const [index, value] of next.entries()) {
    let counterpart = before[index];
    if (!Object.is(value, counterpart) && nameOf(value) !== nameOf(counterpart)) {
      byName ??= namedElements(before);
      counterpart = byName.get(nameOf(value) ?? index);
    }
    const made = shareStructure(counterpart, value);
    if (shared === null && (index >= before.length || !Object.is(made, before[index])))
      shared = before.slice(0, index);
    shared?.push(made);
  }
  if (shared !== null) return shared;
  return next.length === before.length ? before : before.slice(0, next.length);
}

/** What an element is to be compared with: the one of its name, where it has one, so that one that came in moves no other. */
const namedElements = (elements: readonly unknown[]): ReadonlyMap<string | number, unknown> =>
  new Map(elements.map((value, index) => [nameOf(value) ?? index, value]));

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
  const keys = Object.keys(next);
  let shared: Record<string, unknown> | null = null;
  for (const [index, key] of keys.entries()) {
    const known = fieldOf(before, key);
    const value = shareStructure(known, next[key]);
    if (shared === null && (!Object.is(value, known) || (value === undefined && !Object.hasOwn(before, key))))
      shared = pick(before, keys.slice(0, index));
    if (shared !== null) setField(shared, key, value);
  }
  if (shared !== null) return shared;
  return keys.length === Object.keys(before).length ? before : pick(before, keys);
}

// By that name an object has its nature and not a field, unless one was made; all others are read and set far quicker.
const natureName = "__proto__";

const fieldOf = (fields: Fields, key: string): unknown =>
  key === natureName && !Object.hasOwn(fields, key) ? undefined : fields[key];

function setField(fields: Record<string, unknown>, key: string, value: unknown): void {
  if (key === natureName)
    Object.defineProperty(fields, key, { value, enumerable: true, writable: true, configurable: true });
  else fields[key] = value;
}

function pick(fields: Fields, keys: readonly string[]): Record<string, unknown> {
  const some: Record<string, unknown> = {};
  for (const key of keys) setField(some, key, fields[key]);
  return some;
}
