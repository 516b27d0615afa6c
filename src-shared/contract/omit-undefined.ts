/** Values of which no key holds undefined: what was left out is not there. */
export type Defined<T> = T extends object
  ? { readonly [Key in keyof T]: Defined<Exclude<T[Key], undefined>> }
  : T;

/**
 * Leaves out keys that a client sent as undefined: inside the host a key is there, or it is not.
 *
 * @param value plain data
 * @returns the same without them, at any depth
 */
export const omitUndefined = <T>(value: T): Defined<T> => defined(value) as Defined<T>;

function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(defined);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => one !== undefined)
      .map(([key, one]) => [key, defined(one)]),
  );
}
