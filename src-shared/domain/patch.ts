/** What changed in plain data, as little as can be sent. */

type Data = Readonly<Record<string, unknown>>;

/** Objects are patched field by field; arrays and everything else are replaced as a whole. Plain JSON. */
export interface Patch {
  /** Fields with a new value. */
  readonly set?: Data;
  /** Fields that are objects before and after, with what changed in them. */
  readonly in?: Readonly<Record<string, Patch>>;
  /** Fields that are gone. */
  readonly gone?: readonly string[];
}

/** What makes `before` the same as `after`; null where they are equal. */
export function patchBetween(before: object, after: object): Patch | null {
  const [old, now] = [before as Data, after as Data];
  const set: [string, unknown][] = [];
  const within: [string, Patch][] = [];
  // Most of it is as it was, many times a second: no pair for each field.
  for (const key of Object.keys(now)) {
    const value = now[key];
    const known = Object.hasOwn(old, key) ? old[key] : undefined;
    if (value === undefined || Object.is(known, value)) continue;
    if (isPlain(known) && isPlain(value)) {
      const patch = patchBetween(known, value);
      if (patch) within.push([key, patch]);
    } else if (!isEqual(known, value)) set.push([key, value]);
  }
  const gone = Object.keys(old).filter(
    (key) => old[key] !== undefined && (!Object.hasOwn(now, key) || now[key] === undefined),
  );
  if (set.length === 0 && within.length === 0 && gone.length === 0) return null;
  return {
    ...(set.length > 0 && { set: Object.fromEntries(set) }),
    ...(within.length > 0 && { in: Object.fromEntries(within) }),
    ...(gone.length > 0 && { gone }),
  };
}

/** The data after the patch. What the patch does not name is the same object as before. */
export function patched<T extends object>(before: T, patch: Patch): T {
  const next = new Map<string, unknown>(Object.entries(before));
  for (const key of patch.gone ?? []) next.delete(key);
  for (const [key, value] of Object.entries(patch.set ?? {})) next.set(key, value);
  for (const [key, inner] of Object.entries(patch.in ?? {})) {
    const known = next.get(key);
    next.set(key, patched(isPlain(known) ? known : {}, inner));
  }
  return Object.fromEntries(next) as T;
}

/** Whether the patch changes something in a field. */
export const patchesField = ({ set = {}, in: within = {}, gone = [] }: Patch, field: string): boolean =>
  Object.hasOwn(set, field) || Object.hasOwn(within, field) || gone.includes(field);

const isPlain = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isEqual = (one: unknown, other: unknown): boolean =>
  typeof one === "object" && typeof other === "object"
    ? JSON.stringify(one) === JSON.stringify(other)
    : Object.is(one, other);
