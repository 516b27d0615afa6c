/** What an agent may ask for: a package by its name and version. No options, no paths, no addresses, no shell. */
import semver from "semver";
import { fitsWildcards } from "../text/occurrences.ts";

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

/** The files around the folder that a package is added in. */
export interface Place {
  readonly paths: readonly string[];
  readonly has: (path: string) => boolean;
  /** A file in the folder itself. */
  readonly here: (file: string) => string;
  /** The nearest of these files, in the folder or above; where there is none, the first name in the folder. */
  readonly nearest: (...names: readonly string[]) => string;
}

/** What is found from a folder of a commit with these paths. */
export function installPlace(folder: string, paths: readonly string[]): Place {
  const has = (path: string): boolean => paths.includes(path);
  const here = (file: string): string => (folder === "" ? file : `${folder}/${file}`);
  return {
    paths,
    has,
    here,
    nearest: (...names) =>
      above(folder).flatMap((place) =>
        names.map((file) => (place === "" ? file : `${place}/${file}`)).filter(has),
      )[0] ?? here(names[0] ?? ""),
  };
}

/** A folder and those above it, the nearest first. */
export function above(folder: string): readonly string[] {
  const parts = folder === "" ? [] : folder.split("/");
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join("/")), ""];
}

/** The configuration's rules for dependencies, applied before the user is asked. */
export interface DependencyRules {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Of everything that no rule names. */
  readonly otherwise: "ask" | "deny";
}

type RuleVerdict =
  /** `version`: what is installed, if the rule limits a request without a version. */
  | { readonly kind: "allow"; readonly rule: string; readonly version: string | null }
  | { readonly kind: "deny"; readonly rule: string | null }
  | { readonly kind: "ask" };

interface Rule {
  readonly ecosystem: Ecosystem | null;
  readonly name: string;
  readonly range: string | null;
}

const names: Readonly<Record<string, Ecosystem>> = {
  javascript: "javascript",
  python: "python",
  rust: "rust",
  go: "go",
};

/**
 * Parses a rule: a name with `*` as wildcard, an optional range of versions (`react@^19`), and an optional
 * language before it (`python:requests`).
 *
 * @returns the rule, or what is wrong with it in words that follow its value
 */
export function parseRule(text: string): { readonly rule: Rule } | { readonly mistake: string } {
  const [, before, rest = ""] = /^(?:([a-z]+):)?(.*)$/su.exec(text) ?? [];
  const ecosystem = before === undefined ? null : (names[before] ?? null);
  if (before !== undefined && ecosystem === null)
    return { mistake: `must begin with one of ${Object.keys(names).join(", ")}, or with the name` };
  const at = rest.indexOf("@", 1);
  const name = at === -1 ? rest : rest.slice(0, at);
  const range = at === -1 ? null : rest.slice(at + 1);
  if (!/^@?[\w*~.-]+(?:\/[\w*~.-]+)*$/u.test(name))
    return { mistake: 'must be a name of a package, as in "react", "@types/*" or "react@^19"' };
  if (range !== null && semver.validRange(range) === null)
    return { mistake: 'must have a range of versions behind its "@", as in "react@^19" or "left-pad@<1.3"' };
  return { rule: { ecosystem, name, range } };
}

/** What the rules say of a request. What is denied is denied, whatever allows it too. */
export function ruleFor(request: DependencyRequest, rules: DependencyRules): RuleVerdict {
  const wanted = rangeOf(request);
  for (const text of rules.deny) {
    const rule = ruleOn(text, request);
    if (rule === null) continue;
    // A version that may be denied is denied.
    if (rule.range === null || wanted === null || semver.intersects(wanted, rule.range))
      return { kind: "deny", rule: text };
  }
  for (const text of rules.allow) {
    const rule = ruleOn(text, request);
    if (rule === null) continue;
    if (rule.range === null) return { kind: "allow", rule: text, version: request.version };
    if (request.version === null && ["javascript", "rust"].includes(ecosystemOf(request.manager))) {
      const version = rule.range.trim();
      if (/^[\^~]?\d[\w.+-]*$/u.test(version)) return { kind: "allow", rule: text, version };
    }
    if (wanted !== null && semver.subset(wanted, rule.range))
      return { kind: "allow", rule: text, version: request.version };
  }
  return rules.otherwise === "deny" ? { kind: "deny", rule: null } : { kind: "ask" };
}

/** `name[extra]` as `name`. */
const withoutExtras = (name: string): string => (name.endsWith("]") ? (name.split("[", 1)[0] ?? "") : name);

/** The rule of the user's "always": this package, up to the next breaking version. */
export function ruleOf({ manager, name, version }: DependencyRequest): string {
  const bare = withoutExtras(name);
  const number = version === null ? null : semver.coerce(version)?.version;
  const isPlain = version !== null && /^[\^~=v]*\d/u.test(version);
  const text = number && isPlain ? `${bare}@^${number}` : bare;
  return `${ecosystemOf(manager)}:${text}`;
}

/** A rule where it is about the package of a request. */
function ruleOn(text: string, request: DependencyRequest): Rule | null {
  const parsed = parseRule(text);
  if ("mistake" in parsed) return null;
  const { ecosystem, name } = parsed.rule;
  if (ecosystem !== null && ecosystem !== ecosystemOf(request.manager)) return null;
  const fits = fitsWildcards(spelled(name, request), spelled(withoutExtras(request.name), request));
  return fits ? parsed.rule : null;
}

/** Python and Rust take several spellings of a name for the same. */
const spelled = (name: string, { manager }: DependencyRequest): string => {
  const ecosystem = ecosystemOf(manager);
  const lower = ecosystem === "go" ? name : name.toLowerCase();
  return ecosystem === "python"
    ? lower.replace(/[-_.]+/gu, "-")
    : ecosystem === "rust"
      ? lower.replaceAll("_", "-")
      : lower;
};

/** The request as a range of versions; null: unknown. */
function rangeOf({ manager, version }: DependencyRequest): string | null {
  // "~=" and "!=" mean something that semver has no word for.
  if (version === null || /[~!]=/u.test(version)) return null;
  const text = version.replaceAll(/===?/gu, "=").replaceAll(",", " ").replace(/^v/u, "");
  // Cargo takes a plain version for the least that will do.
  return semver.validRange(manager === "cargo" && /^\d/u.test(text) ? `^${text}` : text);
}
