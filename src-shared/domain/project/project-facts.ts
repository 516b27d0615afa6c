/** What the names of files and the texts of small ones tell of a project. */
import { parse as parseYamlText } from "yaml";
import { tomlData } from "../text/toml.ts";

/** Files of a commit or a folder. */
export interface ProjectFiles {
  /** Paths from the root, with `/`; those deeper than `deepestPath` may be missing. */
  readonly paths: readonly string[];
  /** Texts of those that `filesToRead` names, as far as they could be read. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Something that was found, and what says so. */
export interface Fact {
  readonly name: string;
  /** The file, and what in it: `package.json names pnpm`. */
  readonly reason: string;
}

/** A version that the project asks for. */
export interface ToolchainWish {
  readonly tool: string;
  /** As the file writes it: `22`, `>=3.10`, `stable`. */
  readonly version: string;
  /** Path of the file that says so. */
  readonly file: string;
}

/** What has to be there for a check. */
export interface Need {
  readonly name: string;
  /** A shell command, run in the root of the project, that succeeds where it is there. */
  readonly probe: string;
  /** What the user does if it is missing. */
  readonly remedy: string;
}

export interface CheckWay {
  readonly command: string;
  readonly needs: readonly Need[];
}

/** A check that the project itself uses. */
export interface FoundCheck {
  /** Short, and unique in the project: `pytest`, `backend: pytest`. */
  readonly name: string;
  readonly speed: "fast" | "slow";
  /** Of a slow one. */
  readonly everyNIterations: number;
  readonly reason: string;
  /** The first of which everything is there is the check; the last is the plainest. Never empty. */
  readonly ways: readonly CheckWay[];
  /** What probably lacks where it fails: it may work without. */
  readonly hints: readonly Need[];
}

export interface ProjectFacts {
  readonly languages: readonly Fact[];
  readonly packageManagers: readonly Fact[];
  /** Folders of the packages of a monorepo. */
  readonly workspaces: readonly Fact[];
  readonly toolchains: readonly ToolchainWish[];
  readonly checks: readonly FoundCheck[];
}

/** One language's findings in one folder. */
export interface PartialFacts extends Partial<ProjectFacts> {
  /** The packages of its workspace have separate checks, unless it has tests itself, which include theirs. */
  readonly isEachMemberChecked?: boolean;
}

/** One folder of the project, as a possible root. */
export interface ProjectFolder {
  /** From the root of the repository; "" is the root itself. */
  readonly folder: string;
  /** Those above it, the nearest first. */
  readonly above: readonly ProjectFolder[];
  /** Paths below it. */
  readonly files: readonly string[];
  has(path: string): boolean;
  /** "" where the file is absent or could not be read. */
  text(path: string): string;
}

/** What a user installs for a program, where that is not the program's own name. */
export const packageOf: Readonly<Record<string, string>> = {
  mix: "Elixir",
  dotnet: "the .NET SDK",
  go: "Go",
  php: "PHP",
  composer: "Composer",
  mvn: "Maven",
  gradle: "Gradle",
  cargo: "Rust (rustup)",
  python3: "Python 3",
  cmake: "CMake and a compiler",
  meson: "Meson",
  ninja: "Ninja",
  autoreconf: "autoconf, automake and libtool",
};

/** A program of a search path. */
export const program = (
  name: string,
  remedy = `Install ${packageOf[name] ?? name}, then check again.`,
): Need => ({ name, probe: `command -v ${name}`, remedy });

/** The first of some files that is there. */
export const firstOf = (project: ProjectFolder, names: readonly string[]): string | undefined =>
  names.find((name) => project.has(name));

/** Where something is done by hand: `in the repository`, `in frontend of the repository`. */
export const inRepository = ({ folder }: Pick<ProjectFolder, "folder">): string =>
  folder === "" ? "in the repository" : `in ${folder} of the repository`;

/**
 * A check with one way, or with several.
 *
 * @param needs of the one way; a name is a program
 */
export const check = (
  speed: FoundCheck["speed"],
  name: string,
  reason: string,
  command: string | readonly CheckWay[],
  needs: readonly (string | Need)[] = [],
  { hints = [], every = 2 }: { readonly hints?: readonly Need[]; readonly every?: number } = {},
): FoundCheck => ({
  name,
  speed,
  everyNIterations: every,
  reason,
  hints,
  ways:
    typeof command === "string"
      ? [{ command, needs: needs.map((one) => (typeof one === "string" ? program(one) : one)) }]
      : command,
});

type Table = Readonly<Record<string, unknown>>;

const tableOr = (value: unknown): Table | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Table) : null;

function parsed(parse: (text: string) => unknown, text: string): Table | null {
  try {
    return tableOr(parse(text));
  } catch {
    return null;
  }
}

/** @returns the object that a JSON file holds, or null */
export const parseJson = (text: string): Table | null => parsed(JSON.parse, text);

/** @returns the root table of a TOML file, or null */
export const parseToml = (text: string): Table | null => parsed(tomlData, text);

/** The parser takes the square of some texts; no file of settings is longer. */
const maxYamlLength = 100_000;

/** @returns the mapping that a YAML file holds, or null; a file of ten thousand aliases is none */
export const parseYaml = (text: string): Table | null =>
  text.length > maxYamlLength
    ? null
    : parsed((source) => parseYamlText(source, { maxAliasCount: 100 }), text);

/** @returns the value at a path of keys, or undefined */
export const valueIn = (table: Table | null, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((value, key) => tableOr(value)?.[key], table);

/** @returns the table at a path of keys, or null */
export const tableIn = (table: Table | null, ...keys: readonly string[]): Table | null =>
  tableOr(valueIn(table, ...keys));

/** @returns the text at a path of keys, or null */
export function textIn(table: Table | null, ...keys: readonly string[]): string | null {
  const value = valueIn(table, ...keys);
  return typeof value === "string" ? value : null;
}

/** @returns the texts of a list, or of nothing */
export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];

/** The first line that says something, as of `.nvmrc`. */
export const firstLine = (text: string): string =>
  text
    .split(/\r?\n/u)
    .map((line) => (line.split("#", 1)[0] ?? "").trim())
    .find((line) => line !== "") ?? "";
