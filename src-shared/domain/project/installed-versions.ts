/** The tools that are there, held against what a project asks for. */
import semver from "semver";
import type { ToolchainWish } from "./project-facts.ts";

/** A program's version, in the folder of the requirement. */
export interface InstalledTool {
  readonly tool: string;
  /** Of the wish that it was asked for. */
  readonly file: string;
  /** Figures and dots: `18.20.4`. */
  readonly version: string;
}

interface Asking {
  /** Shell, in the folder of the wish. */
  readonly command: string;
  /** The text for the user; default: the command. */
  readonly shown?: string;
  readonly remedy?: string;
  /** Finds the figures; default: the first that look like a version. */
  readonly pattern?: RegExp;
}

const plain = (program: string): Asking => ({ command: `${program} --version` });

const python: Asking = {
  command:
    "if test -x .venv/bin/python; then .venv/bin/python --version; elif test -x venv/bin/python; then venv/bin/python --version; else python3 --version; fi",
  shown: "python3 --version",
  remedy: ", or recreate .venv with it",
};

const askings: Readonly<Record<string, Asking>> = {
  node: plain("node"),
  npm: plain("npm"),
  pnpm: plain("pnpm"),
  yarn: plain("yarn"),
  bun: plain("bun"),
  python,
  rust: plain("rustc"),
  go: { command: "go version" },
  // The oldest know only this, and say it as an error.
  java: { command: "java -version 2>&1", shown: "java -version" },
  ruby: plain("ruby"),
  php: plain("php"),
  elixir: { command: "elixir --version", pattern: /Elixir (\d+(?:\.\d+)+)/u },
  dotnet: plain("dotnet"),
};

/** Names that version managers have for the same. */
const otherNames: Readonly<Record<string, string>> = {
  nodejs: "node",
  golang: "go",
  openjdk: "java",
  "dotnet-core": "dotnet",
  "dotnet-sdk": "dotnet",
};

const toolOf = (tool: string): string => otherNames[tool] ?? tool;

const folderOf = (file: string): string => file.slice(0, Math.max(0, file.lastIndexOf("/")));

/** The shell command that prints a required tool's version, run in the root; null if unknown. */
export function versionProbe({ tool, file }: ToolchainWish): string | null {
  const asking = askings[toolOf(tool)];
  if (asking === undefined) return null;
  const folder = folderOf(file);
  return folder === "" ? asking.command : `cd './${folder.replaceAll("'", "'\\''")}' && ${asking.command}`;
}

/**
 * @param printed what the probe of a tool printed
 * @returns its figures, or null where there are none
 */
export function readVersion(tool: string, printed: string): string | null {
  const [, figures] = (askings[toolOf(tool)]?.pattern ?? /(?<!\d)(\d+(?:\.\d+)+)/u).exec(printed) ?? [];
  if (figures === undefined) return null;
  return toolOf(tool) === "java" ? withoutOne(figures) : figures;
}

/** Java 8 called itself 1.8. */
const withoutOne = (version: string): string => version.replace(/^1\.(?=\d)/u, "");

/**
 * Whether an installed version is what is required. The last numbers of an exact version are ignored:
 * projects pin them, and they rarely matter.
 *
 * @param installed digits and dots
 * @returns null if unknown: `lts/*`, `stable`, words
 */
export function fitsWish(wish: ToolchainWish, installed: string): boolean | null {
  const tool = toolOf(wish.tool);
  const version = semver.coerce(installed);
  if (version === null) return null;
  const range = rangeOf(tool, wish);
  return range === null ? null : semver.satisfies(version, range);
}

/** Their second figure breaks nothing. */
const countingMajor = new Set(["node", "npm", "pnpm", "yarn", "java", "dotnet"]);

function rangeOf(tool: string, { version, file }: ToolchainWish): string | null {
  const wanted = version.trim();
  const [, figures] = /^(?:v|go|[a-z][a-z_-]*-)?(\d+(?:\.\d+)*)(?:[-+_][\w.+-]*)?$/iu.exec(wanted) ?? [];
  if (figures === undefined) return semver.validRange(asNpmRange(wanted));
  // What go.mod and Cargo.toml name is the oldest that will do.
  if (tool === "go" || (tool === "rust" && file.endsWith("Cargo.toml")))
    return semver.validRange(`>=${figures}`);
  const parts = (tool === "java" ? withoutOne(figures) : figures).split(".");
  return parts.slice(0, countingMajor.has(tool) ? 1 : 2).join(".");
}

/** Ranges of Python, Ruby and PHP in npm's syntax; unsupported ones are left out. */
const asNpmRange = (range: string): string =>
  range
    .replace(/!=\s*[\w.*]+/gu, "")
    .replace(/(?:~=|~>)\s*(\d+)\.(\d+)\.(\d+)/gu, "~$1.$2.$3")
    .replace(/(?:~=|~>)\s*(\d+)(?:\.(\d+))?/gu, "^$1.$2")
    .replace(/={2,3}/gu, "=")
    .replace(/(\d)\.\*/gu, "$1.x")
    .replace(/(?<!\|)\|(?!\|)/gu, "||")
    .replaceAll(",", " ")
    .replace(/\^(\d+)\.(?!\d)/gu, "^$1")
    .trim();

/**
 * Version differences, one sentence for each tool in each folder, with the remedy.
 *
 * @param wishes the project's requirements
 * @param installed the probes' results
 */
export function versionDifferences(
  wishes: readonly ToolchainWish[],
  installed: readonly InstalledTool[],
): readonly string[] {
  const reported = new Set<string>();
  return wishes.flatMap((wish) => {
    const tool = toolOf(wish.tool);
    const found = installed.find((one) => one.tool === wish.tool && one.file === wish.file);
    const place = `${tool} ${folderOf(wish.file)}`;
    if (found === undefined || reported.has(place) || fitsWish(wish, found.version) !== false) return [];
    reported.add(place);
    const { command, shown = command, remedy = "" } = askings[tool] ?? plain(tool);
    return [
      `${tool} ${found.version} runs here, and ${wish.file} asks for ${wish.version}: make it the one that \`${shown}\` names${remedy}, then check again (hox check --again)`,
    ];
  });
}
