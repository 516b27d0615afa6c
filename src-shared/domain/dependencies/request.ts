/** What an agent may ask for: a package by its name and version. No options, no paths, no addresses, no shell. */

/** Programs that Hox knows how to add a dependency with. */
export const packageManagers = ["npm", "pnpm", "yarn", "bun", "uv", "poetry", "pip", "cargo", "go"] as const;
export type PackageManager = (typeof packageManagers)[number];

/** What a registry of packages belongs to: the same name is another package in each. */
export type Ecosystem = "javascript" | "python" | "rust" | "go";

const ecosystems: Readonly<Record<PackageManager, Ecosystem>> = {
  npm: "javascript",
  pnpm: "javascript",
  yarn: "javascript",
  bun: "javascript",
  uv: "python",
  poetry: "python",
  pip: "python",
  cargo: "rust",
  go: "go",
};

/** @returns whose registry a package manager asks */
export const ecosystemOf = (manager: PackageManager): Ecosystem => ecosystems[manager];

/** One dependency, as it was asked for and checked. */
export interface DependencyRequest {
  readonly manager: PackageManager;
  /** Of the manifest, relative to the repository with `/`; "" is its root. */
  readonly folder: string;
  readonly name: string;
  /** As the manager takes it; null: the newest. */
  readonly version: string | null;
  /** For developing alone. */
  readonly dev: boolean;
}

interface Spelling {
  readonly name: RegExp;
  readonly maxNameLength: number;
  readonly nameExample: string;
  readonly version: RegExp;
  readonly versionExample: string;
}

/** `1`, `1.2`, `1.2.3`, each with what may follow a version by semver. */
const semverNumber = String.raw`\d{1,9}(?:\.(?:\d{1,9}|x)){0,2}(?:-[0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*)?(?:\+[0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*)?`;
const pythonNumber = String.raw`\d+(?:\.\d+)*(?:(?:a|b|rc)\d+)?(?:\.post\d+)?(?:\.dev\d+)?`;
const pythonClause = String.raw`(?:===?|~=|!=|>=|<=|<|>)\s?${pythonNumber}(?:\.\*)?`;

const spellings: Readonly<Record<Ecosystem, Spelling>> = {
  javascript: {
    name: /^(?:@[a-z0-9](?:[a-z0-9._~-]*[a-z0-9_~-])?\/)?[a-z0-9_](?:[a-z0-9._~-]*[a-z0-9_~-])?$/iu,
    maxNameLength: 214,
    nameExample: '"left-pad" or "@types/node"',
    // A tag has no dot: "a.tgz" would be a file.
    version: new RegExp(`^(?:(?:\\^|~|>=)?${semverNumber}|[a-z][a-z0-9-]{0,40})$`, "iu"),
    versionExample: '"1.3.0", "^19.1" or "latest"',
  },
  python: {
    name: /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?:\[[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?(?:,[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)*\])?$/iu,
    maxNameLength: 200,
    nameExample: '"requests" or "httpx[http2]"',
    version: new RegExp(`^(?:${pythonNumber}|${pythonClause}(?:,\\s?${pythonClause}){0,4})$`, "iu"),
    versionExample: '"2.32.3" or ">=2.31,<3"',
  },
  rust: {
    name: /^[a-z][a-z0-9_-]*$/iu,
    maxNameLength: 64,
    nameExample: '"serde" or "tokio-util"',
    version: new RegExp(`^(?:\\^|~|=|>=)?${semverNumber}$`, "iu"),
    versionExample: '"1", "1.0.203" or "=0.4.1"',
  },
  go: {
    name: /^(?!.*\.\.)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?:\/[a-z0-9_~](?:[a-z0-9._~-]*[a-z0-9_~-])?)*$/iu,
    maxNameLength: 250,
    nameExample: '"golang.org/x/sync"',
    version:
      /^v?\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*)?(?:\+incompatible)?$|^latest$/u,
    versionExample: '"v0.7.0" or "latest"',
  },
};

const maxVersionLength = 100;

/** A package manager takes what ends so for a file of the folder, as a name and as a version. */
const isArchive = (text: string): boolean =>
  /\.(?:tgz|tar(?:\.[a-z0-9]+)?|tbz2?|txz|tlz|tzst|whl|egg|zip|crate|gem|jar|gz|bz2|xz|zst|lz|lzma|7z)$/iu.test(
    text,
  );

/**
 * Why a name and version cannot be requested, in a sentence for the requester; null if they can. A valid one
 * is a single argument that no package manager takes for an option, a path or an address.
 */
export function requestProblem(
  manager: PackageManager,
  { name, version }: Pick<DependencyRequest, "name" | "version">,
): string | null {
  const spelling = spellings[ecosystemOf(manager)];
  if (name.length > spelling.maxNameLength || !spelling.name.test(name) || isArchive(name))
    return `That is no name of a package of ${manager}. Give the plain name, as in ${spelling.nameExample}; no version, option, path or address.`;
  if (
    version !== null &&
    (version.length > maxVersionLength || !spelling.version.test(version) || isArchive(version))
  )
    return `That is no version of a package of ${manager}. Give it as in ${spelling.versionExample}; no option, path or address.`;
  return null;
}

/** A package with its version in a few words: `left-pad 1.3.0`. */
export const formatDependency = ({ name, version }: Pick<DependencyRequest, "name" | "version">): string =>
  version === null ? name : `${name} ${version}`;

/** The same for all who ask for the same. */
export const dependencyKey = ({ manager, folder, name, version, dev }: DependencyRequest): string =>
  JSON.stringify([manager, folder, name.toLowerCase(), version, dev]);
