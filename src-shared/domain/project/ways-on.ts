/** What a user can do about a check that proves nothing, or that keeps failing: three ways, and what each means. */
import type { BaseOutcome } from "./preflight.ts";

/** Limit of a readable command. */
const maxExcluded = 20;

const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
const asPattern = (name: string): string => name.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");

interface Runner {
  /** Of a command that runs it, and nothing after it. */
  readonly command: RegExp;
  /** What is appended to leave something out; null: it has no name for that. */
  exclude(names: readonly string[]): string | null;
}

const each = (names: readonly (string | null)[]): string | null =>
  names.includes(null) ? null : names.join(" ");

const runners: readonly Runner[] = [
  {
    command: /\bpytest\b/u,
    exclude: (names) =>
      each(
        names.map((name) =>
          name.includes("::") ? `--deselect=${quoted(name)}` : `--ignore=${quoted(name)}`,
        ),
      ),
  },
  {
    command: /\bvitest\b/u,
    exclude: (names) =>
      each(
        [...new Set(names.map((name) => name.split(/ > | \[ /u)[0] ?? name))].map(
          (file) => `--exclude ${quoted(file)}`,
        ),
      ),
  },
  {
    command: /\bjest\b/u,
    exclude: (names) =>
      `--testPathIgnorePatterns ${[
        ...new Set(names.map((name) => (name.split(" › ")[0] ?? name).replace(/^\.\//u, ""))),
      ]
        .map((file) => quoted(asPattern(file)))
        .join(" ")}`,
  },
  {
    command: /^cargo test\b(?!.* -- )/u,
    exclude: (names) =>
      names.some((name) => name.includes(": "))
        ? null
        : `-- ${names.map((name) => `--skip ${quoted(name)}`).join(" ")}`,
  },
  {
    command: /\bctest\b/u,
    exclude: (names) => `-E ${quoted(`^(${names.map(asPattern).join("|")})$`)}`,
  },
];

/**
 * A command that leaves out what fails, where its runner has a way for that.
 *
 * @returns null where Hox knows none: then a user has to write it
 */
export function excludingCommand(
  command: string,
  { failures }: Pick<BaseOutcome, "failures">,
): string | null {
  const names = [...new Set(failures ?? [])];
  if (names.length === 0 || names.length > maxExcluded || /[;|<>]/u.test(command)) return null;
  const without = runners.find((one) => one.command.test(command))?.exclude(names) ?? null;
  return without === null ? null : `${command} ${without}`;
}

/** What each choice means, for the user. */
export const waysOn = {
  narrow: "Narrow the command to a part that passes. Only that part is checked.",
  exclude: "Exclude the part that fails. Everything else still counts.",
  stop: "Stop counting this check in this run. Its failures are ignored.",
} as const;

/** The ways as lines of a terminal. @param exclude a command without the part that fails, where one is known */
export const wayLines = (name: string, command: string, exclude: string | null): readonly string[] => [
  `    ${waysOn.narrow} Type: change ${name} to ${command} <a part>`,
  `    ${waysOn.exclude} Type: change ${name} to ${exclude ?? `${command} <without that part>`}`,
  `    ${waysOn.stop} Type: out ${name}`,
];

/** What was typed as a way on; null: it is none. */
export type TypedWay =
  | { readonly kind: "leave-out"; readonly names: readonly string[] }
  | { readonly kind: "change-check"; readonly name: string; readonly instead: string };

/** `out test, lint` or `change test to npm run test:unit`. */
export function typedWay(words: string): TypedWay | null {
  const [, out] = /^out\s+(.+)$/isu.exec(words) ?? [];
  if (out !== undefined) return { kind: "leave-out", names: out.split(",").map((name) => name.trim()) };
  const [, name, instead] = /^change\s+(.+?)\s+to\s+(\S.*)$/isu.exec(words) ?? [];
  return name === undefined || instead === undefined ? null : { kind: "change-check", name, instead };
}
