/** Adds a requirement to pyproject.toml, as a person would: every other line stays as it is. */
import { patch } from "@decimalturn/toml-patch";
import { parseToml, tableIn, textsOf, valueIn } from "../project/parse-text.ts";

type AddedRequirement =
  | {
      readonly text: string;
      /** Where it stands now: `[project] dependencies`. */
      readonly list: string;
      /** What is installed with it: the others of its list, as far as they come from a registry. */
      readonly others: readonly string[];
    }
  /** Why a person has to do it, in sentences for whoever asked. */
  | { readonly problem: string };

type Path = readonly [table: string, ...keys: string[]];

const runtime: Path = ["project", "dependencies"];
const group: Path = ["dependency-groups", "dev"];
/** Lists for developing, the first that is there. */
const forDeveloping: readonly Path[] = [
  group,
  ["dependency-groups", "test"],
  ["dependency-groups", "tests"],
  ["project", "optional-dependencies", "dev"],
  ["project", "optional-dependencies", "test"],
  ["project", "optional-dependencies", "tests"],
];

const named = (path: Path): string => `[${path.slice(0, -1).join(".")}] ${path.at(-1)}`;

const byHand = "Ask for it with align_request: a person";

/** `name[extra]`, and perhaps a comparison; no address, no condition. */
const plain = /^([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\]\s*)?(?:[(<>=!~][^@;]*)?$/u;

/** A package by its name: no address, no path and no archive, which pip would build. */
const isOfRegistry = (requirement: string): boolean =>
  /^[A-Za-z0-9][\w.-]*\s*(?:\[[^\]]*\]\s*)?(?:[(<>=!~;].*)?$/u.test(requirement) &&
  !/[/\\@]|\.(?:whl|zip|tar|tgz|gz|bz2|xz)\b/u.test(requirement);

/** Names of packages are the same whatever separates their words. */
const nameOf = (requirement: string): string =>
  (/^\s*([\w.-]+)/u.exec(requirement)?.[1] ?? "").toLowerCase().replace(/[-_.]+/gu, "-");

/** Whether `[project]` of a pyproject.toml says what it depends on, or could. */
export function hasProjectTable(text: string): boolean {
  return tableIn(parseToml(text), "project") !== null;
}

/** Whether it has a list that a requirement would go into. */
export function hasRequirementList(text: string, { dev }: { readonly dev: boolean }): boolean {
  const settings = parseToml(text);
  return (dev ? forDeveloping : [runtime]).some((path) => Array.isArray(valueIn(settings, ...path)));
}

/**
 * @param text of pyproject.toml
 * @param requirement as pip takes it: `httpx>=0.28`
 * @returns the text with it, of which a parser says that it differs in that alone
 */
export function addToPyproject(
  text: string,
  requirement: string,
  { dev }: { readonly dev: boolean },
): AddedRequirement {
  const settings = parseToml(text);
  if (settings === null) return { problem: `pyproject.toml cannot be read. ${byHand} mends it first.` };
  if (tableIn(settings, "project") === null)
    return {
      problem: `pyproject.toml has no [project]. ${byHand} adds it where the project names its dependencies.`,
    };
  // Whoever writes it would choose one of them, and change every line.
  if (/\r\n/u.test(text) && /(?<!\r)\n/u.test(text))
    return { problem: `pyproject.toml ends lines in two ways. ${byHand} mends it first.` };
  const path = dev
    ? (forDeveloping.find((one) => valueIn(settings, ...one) !== undefined) ?? group)
    : runtime;
  if (!dev && textsOf(valueIn(settings, "project", "dynamic")).includes("dependencies"))
    return {
      problem: `The dependencies of pyproject.toml are made by its build ("dynamic"). ${byHand} adds it where they come from.`,
    };
  const list = valueIn(settings, ...path) ?? [];
  if (!Array.isArray(list))
    return { problem: `${named(path)} of pyproject.toml is no list. ${byHand} mends it first.` };
  const known = list.findIndex((one) => typeof one === "string" && nameOf(one) === nameOf(requirement));
  const others = textsOf(list).filter((one) => nameOf(one) !== nameOf(requirement) && isOfRegistry(one));
  const answer = { list: named(path), others };
  if (known === -1) return written(text, settings, path, [...list, requirement], answer);
  const before = String(list[known]);
  // In any version means the one that is there.
  if (nameOf(requirement) === requirement.toLowerCase().replace(/[-_.]+/gu, "-")) return { text, ...answer };
  if (!plain.test(before))
    return {
      problem: `pyproject.toml lists ${before} already, which says more than a version. ${byHand} changes it.`,
    };
  return written(text, settings, path, list.with(known, requirement), answer);
}

function written(
  text: string,
  settings: Readonly<Record<string, unknown>>,
  path: Path,
  list: readonly unknown[],
  answer: { readonly list: string; readonly others: readonly string[] },
): AddedRequirement {
  const meant = withValue(settings, path, list);
  const isNew = valueIn(settings, ...path) === undefined;
  const ways = [
    ...(isNew ? [() => withLine(text, path, list)] : []),
    () => patch(text, meant as Parameters<typeof patch>[1]),
  ];
  for (const way of ways) {
    const after = attempt(way);
    if (after !== null && sorted(parseToml(after)) === sorted(meant)) return { text: after, ...answer };
  }
  return {
    problem: `pyproject.toml is written in a way that Hox does not change. ${byHand} adds it to ${answer.list}.`,
  };
}

function attempt(way: () => string | null): string | null {
  try {
    return way();
  } catch {
    // Written in a way that it does not know: then nothing is changed.
    return null;
  }
}

/** A new list after the last line of its table, or of one that is new at the end; whether that is right, a parser says. */
function withLine(text: string, path: Path, list: readonly unknown[]): string {
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = text.split(/\r?\n/u);
  if (lines.at(-1) === "") lines.pop();
  const header = `[${path.slice(0, -1).join(".")}]`;
  const line = `${path.at(-1)} = [${list.map((one) => JSON.stringify(one)).join(", ")}]`;
  const begin = lines.findIndex((one) => (one.split("#", 1)[0] ?? "").trim() === header);
  if (begin === -1) return [...lines, "", header, line, ""].join(end);
  const next = lines.findIndex((one, index) => index > begin && /^\s*\[/u.test(one));
  let at = next === -1 ? lines.length : next;
  while (at > begin + 1 && /^\s*(?:#.*)?$/u.test(lines[at - 1] ?? "")) at--;
  return [...lines.toSpliced(at, 0, line), ""].join(end);
}

function withValue(
  table: Readonly<Record<string, unknown>>,
  [key, ...rest]: readonly string[],
  value: unknown,
): Readonly<Record<string, unknown>> {
  if (key === undefined) return table;
  const inner = tableIn(table, key) ?? {};
  return { ...table, [key]: rest.length === 0 ? value : withValue(inner, rest, value) };
}

/** The same text for the same values, in whatever order their keys stand. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) =>
    typeof one === "object" && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );
