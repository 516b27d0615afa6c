/** Converts names of the file (`max_usd`) to names in code (`maxUsd`) and back. */

/** `every_n_iterations` → `everyNIterations`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** A value whose tables, however deep, have their names in camel case. */
export type CamelCased<Value> = Value extends readonly (infer Item)[]
  ? readonly CamelCased<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value & string as CamelCase<Name>]: CamelCased<Value[Name]> }
    : Value;

export const camelCase = <Name extends string>(name: Name): CamelCase<Name> =>
  name.replace(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>;

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);

export const camelCased = <Value>(value: Value): CamelCased<Value> =>
  renamed(value, camelCase) as CamelCased<Value>;

/** The inverse: a value with the file's names. */
export const snakeCased = (value: unknown): unknown => renamed(value, snakeCase);

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [rename(name), renamed(inner, rename)]),
  );
}
