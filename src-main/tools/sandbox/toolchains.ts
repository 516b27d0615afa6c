import { closeSync, existsSync, lstatSync, openSync, readSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { nameMatcher } from "#shared/domain/files/glob.ts";
import { trimEndOf } from "#shared/domain/text/format-text.ts";
import { type TomlTable, tomlData, tomlText } from "#shared/domain/text/toml.ts";
import { findTool } from "../../config/tools.ts";
import { namesIn, readBoundedFileOrNull } from "../../disk/repository-files.ts";
import { ownPrograms, supportedToolchains } from "./known-toolchains.ts";
import type { GeneratedFile } from "./system-files.ts";
import type { SupportedToolchain } from "./toolchain-interface.ts";

interface NamedProgram {
  readonly path: string;
  readonly target: string;
}

export interface Toolchains {
  /** What a command may read outside the system's own folders: compilers, interpreters, their packages. */
  readonly readable: readonly string[];
  /** Files within that may hold keys or tokens: they are empty inside. */
  readonly hidden: readonly string[];
  /** Further names of readable programs. */
  readonly links: readonly NamedProgram[];
  /** Folders of packages that tools write to as well. */
  readonly caches: readonly string[];
  /** Written for commands in place of settings that hold more. */
  readonly files: readonly GeneratedFile[];
  /** Where programs are looked for inside, most wanted first. */
  readonly searchPath: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** In addition, if each workspace has a layer above the caches. */
  readonly layeredEnvironment: Readonly<Record<string, string>>;
  /** Names in HOME that lead to caches with a layer. */
  readonly inHome: readonly NamedProgram[];
}

export const noToolchains: Toolchains = {
  readable: [],
  hidden: [],
  links: [],
  caches: [],
  files: [],
  searchPath: [],
  environment: {},
  layeredEnvironment: {},
  inHome: [],
};

const system = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];
/** What every sandbox shows anyway. */
const shownAnyway = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store"];

export interface ToolchainOptions {
  /** Further folders that the user allows in the configuration. */
  readonly readable?: readonly string[];
  /** The user's folder of the repository, whose programs are in the workspace too. */
  readonly repository?: string | null;
  readonly home?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The user's installed tools, without credentials. */
export function findToolchains({
  readable: extra = [],
  repository = null,
  home = homedir(),
  env = process.env,
}: ToolchainOptions = {}): Toolchains {
  const isShowable = (path: string): boolean =>
    isAbsolute(path) &&
    existsSync(path) &&
    // The home folder as a whole is never shown, however it came into the list, and nor is the repository.
    !isAtOrAbove(path, home) &&
    (repository === null || !isAtOrAbove(path, repository)) &&
    !isAtOrAbove(path, "/proc");
  const isSystem = (path: string): boolean => shownAnyway.some((folder) => isWithin(path, folder));

  const found = supportedToolchains.flatMap((known) =>
    foldersOf(known, home, env).map((folder) => ({
      known,
      folder,
      shown: known.shown.flatMap((part) => expand(folder, part)).filter(isShowable),
    })),
  );
  const node = findTool("node");
  const nodeFolder = node.found ? dirname(realpathSync(node.path)) : null;
  const shown = [
    ...found.flatMap(({ shown }) => shown),
    ...[...extra, ...(nodeFolder ? [nodePrefix(nodeFolder)] : []), ...optional(env)].filter(isShowable),
  ];
  const readable = [...new Set(shown)].filter((path) => !isSystem(path));
  const isReadable = (path: string): boolean =>
    isSystem(path) || readable.some((folder) => isWithin(path, folder));
  const own = programsOf(join(home, ownPrograms), isReadable);

  const set = (name: "environment" | "layered" | "inHome"): Record<string, string> =>
    Object.fromEntries(
      found.flatMap(({ known, folder, shown }) =>
        shown.length === 0
          ? []
          : Object.entries(known[name] ?? {}).flatMap(([variable, value]) => {
              const place = value.replace("$", folder);
              return existsSync(place.slice(place.indexOf("/"))) ? [[variable, place] as const] : [];
            }),
      ),
    );
  const cargo = found.find(({ known, shown }) => known.environment?.CARGO_HOME && shown.length > 0)?.folder;
  const settings = cargo === undefined ? "" : cargoSettings(cargo);
  const gems = readable.filter((path) => /\/\.?gem\/ruby$/u.test(path)).flatMap((path) => expand(path, "*"));
  return {
    readable: [...readable, ...own.files],
    hidden: found.flatMap(({ known, folder }) =>
      (known.hidden ?? [])
        .flatMap((part) => expand(folder, part))
        .flatMap(realFile)
        .filter(isReadable),
    ),
    links: own.links,
    caches: found.flatMap(({ known, folder }) =>
      (known.caches ?? [])
        .map((part) => (part === "" ? folder : join(folder, part)))
        .filter((path) => isShowable(path) && isReadable(path)),
    ),
    files:
      cargo === undefined || settings === "" ? [] : [{ path: join(cargo, "config.toml"), text: settings }],
    searchPath: searchPath(env.PATH ?? "", {
      known: found.flatMap(({ known, folder }) =>
        (known.programs ?? []).flatMap((part) => expand(folder, part)),
      ),
      isReadable: (path) => isReadable(path) || path === join(home, ownPrograms),
      repository,
      nodeFolder,
    }),
    environment: {
      ...set("environment"),
      ...(gems.length === 0 ? {} : { GEM_PATH: gems.join(":") }),
    },
    layeredEnvironment: set("layered"),
    inHome: Object.entries(set("inHome")).map(([path, target]) => ({ path, target })),
  };
}

/** Tables about building. The others may hold a token, a proxy's password or the user's environment. */
const kept = [
  "alias",
  "build",
  "net",
  "patch",
  "profile",
  "registries",
  "registry",
  "source",
  "target",
  "term",
];

/** Keys that would lead out of the sandbox, or that hold what opens a door. */
const left: Readonly<Record<string, readonly string[]>> = {
  build: ["target-dir", "build-dir", "rustc-wrapper", "rustc-workspace-wrapper"],
};

/** Of a registry nothing but where it is. */
const ofRegistry = ["index", "protocol", "default"];

/**
 * The settings of cargo that a build needs (linkers, flags, where packages come from), without tokens. "" where there are
 * none: cargo says itself what is wrong with settings that cannot be read, outside.
 */
function cargoSettings(folder: string): string {
  const [text] = ["config.toml", "config"].flatMap(
    (name) => readBoundedFileOrNull(join(folder, name), 1_000_000) ?? [],
  );
  if (text === undefined) return "";
  let settings: TomlTable;
  try {
    settings = tomlData(text);
  } catch {
    return "";
  }
  const shown: Record<string, unknown> = {};
  for (const name of kept) {
    const table = settings[name];
    if (!isTable(table)) continue;
    shown[name] =
      name === "registries"
        ? mapValues(table, (one) => (isTable(one) ? only(one, ofRegistry) : one))
        : name === "registry"
          ? only(table, ofRegistry)
          : without(table, left[name] ?? []);
  }
  return tomlText(withoutPasswords(shown) as TomlTable);
}

const isTable = (value: unknown): value is TomlTable =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

const only = (table: TomlTable, names: readonly string[]): TomlTable =>
  Object.fromEntries(Object.entries(table).filter(([name]) => names.includes(name)));

const without = (table: TomlTable, names: readonly string[]): TomlTable =>
  Object.fromEntries(Object.entries(table).filter(([name]) => !names.includes(name)));

const mapValues = (table: TomlTable, change: (value: unknown) => unknown): TomlTable =>
  Object.fromEntries(Object.entries(table).map(([name, value]) => [name, change(value)]));

/** An address may carry a name and a password. */
function withoutPasswords(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/:\/\/[^/@\s]+@/gu, "://");
  if (Array.isArray(value)) return value.map(withoutPasswords);
  return isTable(value) ? mapValues(value, withoutPasswords) : value;
}

/** A variable's word comes before the usual places, as for the tool itself. */
function foldersOf(
  { variables = [], folders }: SupportedToolchain,
  home: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const configured = variables
    .flatMap((name) => (env[name] ?? "").split(delimiter))
    .filter((path) => isAbsolute(path));
  const places =
    configured.length > 0 ? configured : folders.map((path) => (isAbsolute(path) ? path : join(home, path)));
  return [...new Set(places.map((path) => trimEndOf(path, "/") || path.slice(0, 1)))].filter((path) =>
    existsSync(path),
  );
}

/** Programs that were installed for all users in addition to the system's, on the PATH. */
const optional = (env: Readonly<Record<string, string | undefined>>): readonly string[] => [
  ...new Set(
    (env.PATH ?? "").split(delimiter).flatMap((path) => /^\/opt\/[^/]+(?=\/)/u.exec(path)?.[0] ?? []),
  ),
];

interface Search {
  /** Folders of programs that a shell would have added. */
  readonly known: readonly string[];
  readonly isReadable: (path: string) => boolean;
  readonly repository: string | null;
  readonly nodeFolder: string | null;
}

/**
 * The user's PATH, as far as it is visible inside. Entries that a shell's start-up files would have added
 * come before the system's, and Hox's own Node at the end, if there is no other.
 */
function searchPath(path: string, { known, isReadable, repository, nodeFolder }: Search): readonly string[] {
  const configured = path.split(delimiter).flatMap((folder) => {
    if (!isAbsolute(folder)) return [];
    if (repository !== null && isWithin(folder, repository)) return [folder];
    const real = realOrNull(folder);
    // Some shells put a name for each session there, which leads to a version.
    return real === null || !(isReadable(folder) || isReadable(real))
      ? []
      : [isReadable(folder) ? folder : real];
  });
  const place = configured.findIndex((folder) => system.includes(folder));
  const own = place < 0 ? configured : configured.slice(0, place);
  const all = [...new Set([...own, ...known, ...configured, ...system])];
  const hasNode = all.some((folder) => existsSync(join(folder, "node")));
  return hasNode || nodeFolder === null ? all : [...all, nodeFolder];
}

/** The user's own programs: links to readable files, and compiled programs. */
function programsOf(
  folder: string,
  isReadable: (path: string) => boolean,
): { readonly files: readonly string[]; readonly links: readonly NamedProgram[] } {
  const files: string[] = [];
  const links: NamedProgram[] = [];
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const real = realOrNull(path);
    if (real === null) continue;
    if (lstatSync(path).isSymbolicLink()) {
      if (isReadable(real)) links.push({ path, target: real });
    } else if (isCompiled(path)) files.push(path);
  }
  return { files, links };
}

/** ELF, and the forms of Mach-O. */
const compiled = ["7f454c46", "cffaedfe", "cafebabe"];

function isCompiled(path: string): boolean {
  try {
    if (!lstatSync(path).isFile()) return false;
    const file = openSync(path, "r");
    try {
      const begin = Buffer.alloc(4);
      return readSync(file, begin, 0, 4, 0) === 4 && compiled.includes(begin.toString("hex"));
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** Existing paths that match a part with `*`. */
function expand(folder: string, part: string): readonly string[] {
  let places = [folder];
  for (const name of part.split("/").filter(Boolean)) {
    if (!name.includes("*")) {
      places = places.map((place) => join(place, name));
      continue;
    }
    const fits = nameMatcher(name);
    places = places.flatMap((place) =>
      namesIn(place)
        .filter(fits)
        .map((one) => join(place, one)),
    );
  }
  return places.filter((place) => existsSync(place));
}

function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

const realFile = (path: string): readonly string[] => {
  const real = realOrNull(path);
  return real === null ? [] : [real];
};

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const isAtOrAbove = (folder: string, path: string): boolean => folder === "/" || isWithin(path, folder);

/** `<prefix>/bin/node` brings npm in `<prefix>/lib`; a node elsewhere brings only its folder. */
function nodePrefix(folder: string): string {
  const prefix = dirname(folder);
  return existsSync(join(prefix, "lib", "node_modules", "npm")) ? prefix : folder;
}
