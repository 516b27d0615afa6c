import { parseJson, parseToml, tableIn, textIn } from "../project/project-facts.ts";
import { requirementLists } from "./install-command.ts";
import { hasProjectTable } from "./python-project.ts";
import { above, type PackageManager } from "./request.ts";

/** The files of a commit, as far as they say how dependencies are added. */
export interface DependencyFiles {
  readonly paths: readonly string[];
  /** Texts of those that `dependencyFiles` names. */
  readonly texts: ReadonlyMap<string, string>;
}

type ChosenManager =
  | { readonly manager: PackageManager }
  /** Why nothing can be added, and what to do instead, for the requester. */
  | { readonly problem: string };

/** Settings and manifests whose texts are read; lock files only count by their names. */
const read = new Set([
  "package.json",
  "pnpm-workspace.yaml",
  "pyproject.toml",
  "uv.toml",
  ".npmrc",
  ".yarnrc.yml",
  ".yarnrc",
  "bunfig.toml",
  "requirements.txt",
]);

/**
 * The files whose texts say which package manager a folder has, and which registries it asks.
 *
 * @param paths of all files of a commit
 */
export const dependencyFiles = (paths: readonly string[], folder: string): readonly string[] => {
  const places = new Set(above(folder));
  return paths.filter((path) => {
    const at = path.lastIndexOf("/");
    const [place, name] = [path.slice(0, Math.max(at, 0)), path.slice(at + 1)];
    if (places.has(place) && (read.has(name) || /(?:requirements|constraints).*\.txt$/u.test(name)))
      return true;
    // Requirement lists may be in a separate folder.
    if (
      name.endsWith(".txt") &&
      [...places].some((one) => place === (one === "" ? lists : `${one}/${lists}`))
    )
      return true;
    return path === ".cargo/config.toml" || path === ".cargo/config";
  });
};

const lists = "requirements";

/** Tools that Hox cannot add dependencies with, by a file that shows them, and what the user does instead. */
const byHand: readonly (readonly [file: RegExp, name: string, what: string])[] = [
  [/^pom\.xml$/u, "Maven", "adds it to pom.xml and runs `mvn dependency:go-offline`"],
  [
    /^(?:build|settings)\.gradle(?:\.kts)?$/u,
    "Gradle",
    "adds it to the build file and runs `gradle build --refresh-dependencies`",
  ],
  [/^Gemfile$/u, "Bundler", "runs `bundle add <name>`"],
  [/^composer\.json$/u, "Composer", "runs `composer require <name>`"],
  [/^mix\.exs$/u, "Mix", "adds it to deps in mix.exs and runs `mix deps.get`"],
  [/\.(?:cs|fs|vb)proj$/u, "NuGet", "runs `dotnet add package <name>`"],
  [/^Pipfile$/u, "pipenv", "runs `pipenv install <name>`"],
  [/^pdm\.lock$/u, "PDM", "runs `pdm add <name>`"],
  [
    /^setup\.(?:py|cfg)$/u,
    "setuptools",
    "adds it to install_requires in setup.py or setup.cfg, runs `pip install --editable .` in .venv",
  ],
  [/^environment\.ya?ml$/u, "conda", "adds it to the environment file and runs `conda env update`"],
  [/^(?:CMakeLists\.txt|meson\.build|conanfile\.(?:txt|py)|vcpkg\.json)$/u, "C and C++", "installs it"],
];

/**
 * How dependencies of a folder are added.
 *
 * @param wanted the manager that was requested: needed if there are several or none yet
 */
export function chooseManager(
  files: DependencyFiles,
  folder: string,
  wanted: PackageManager | null,
): ChosenManager {
  const here = (name: string): string => (folder === "" ? name : `${folder}/${name}`);
  const has = (name: string): boolean => files.paths.includes(here(name));
  const hasNear = (name: string): boolean =>
    above(folder).some((place) => files.paths.includes(place === "" ? name : `${place}/${name}`));
  if (folder !== "" && !files.paths.some((path) => path.startsWith(`${folder}/`)))
    return { problem: `The shared base has no folder ${folder}.` };

  const found: PackageManager[] = [];
  if (has("package.json")) {
    const manager = javascriptManager(files, folder, hasNear);
    if (manager === "bun" && !hasNear("bun.lock") && hasNear("bun.lockb"))
      return {
        problem:
          "bun.lockb is binary and cannot be reviewed. The user has to migrate it first: `bun install --save-text-lockfile`.",
      };
    found.push(manager);
  }
  const other = pythonManager(files, folder, has);
  if (other !== null) found.push(other);
  if (has("Cargo.toml")) found.push("cargo");
  if (has("go.mod")) found.push("go");

  const names = files.paths.flatMap((path) => {
    const rest = folder === "" ? path : path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "/";
    return rest.includes("/") ? [] : [rest];
  });
  const others = byHand.filter(([file]) => names.some((one) => file.test(one)));
  if (wanted !== null) {
    if (found.includes(wanted)) return { manager: wanted };
    // A requirement list next to these would be a second source of truth.
    const inTheWay = wanted === "pip" ? others.find(([, name]) => ofPython.includes(name)) : undefined;
    if (inTheWay) return { problem: formatManualMarker(inTheWay) };
    // A first package begins a manifest; the others want one that says more than a package.
    const begins = ["npm", "pnpm", "bun", "pip"].includes(wanted);
    if (begins && !found.some((one) => sameKind(one, wanted))) return { manager: wanted };
    return {
      problem: `${place(folder)} is not managed by ${wanted}. ${formatManagers(found)}`,
    };
  }
  const [first, ...more] = found;
  if (first !== undefined && more.length === 0) return { manager: first };
  if (first !== undefined)
    return {
      problem: `${place(folder)} has several package managers. Name one as manager: ${found.join(", ")}.`,
    };
  const [byOthers] = others;
  if (byOthers) return { problem: formatManualMarker(byOthers) };
  return {
    problem: `${place(folder)} has no package manifest in the shared base. Name the folder of one, or name a manager (npm, pnpm, bun, pip) to create one there.`,
  };
}

const ofPython = ["pipenv", "PDM", "setuptools"];

const formatManualMarker = ([, name, what]: (typeof byHand)[number]): string =>
  `Hox cannot add dependencies of ${name}. Ask for it with align_request: the user ${what} in the repository and starts a run on that.`;

const place = (folder: string): string => (folder === "" ? "The repository's root" : folder);

const formatManagers = (found: readonly PackageManager[]): string =>
  found.length === 0 ? "It has no package manifest." : `It is managed by ${found.join(", ")}.`;

const javascript: readonly PackageManager[] = ["npm", "pnpm", "yarn", "bun"];
const python: readonly PackageManager[] = ["uv", "poetry", "pip"];

const sameKind = (one: PackageManager, other: PackageManager): boolean =>
  [javascript, python].some((kind) => kind.includes(one) && kind.includes(other));

function javascriptManager(
  files: DependencyFiles,
  folder: string,
  hasNear: (name: string) => boolean,
): PackageManager {
  const declared = above(folder)
    .map((at) =>
      textIn(
        parseJson(files.texts.get(at === "" ? "package.json" : `${at}/package.json`) ?? ""),
        "packageManager",
      ),
    )
    .find((text) => text !== null);
  const [, name] = /^(npm|pnpm|yarn|bun)@/u.exec(declared ?? "") ?? [];
  const byLock: readonly (readonly [string, PackageManager])[] = [
    ["pnpm-lock.yaml", "pnpm"],
    ["yarn.lock", "yarn"],
    ["bun.lock", "bun"],
    ["bun.lockb", "bun"],
    ["package-lock.json", "npm"],
  ];
  return (name as PackageManager | undefined) ?? byLock.find(([lock]) => hasNear(lock))?.[1] ?? "npm";
}

/** Null: none, or one that Hox adds nothing with. */
function pythonManager(
  files: DependencyFiles,
  folder: string,
  has: (name: string) => boolean,
): PackageManager | null {
  const pyproject = files.texts.get(folder === "" ? "pyproject.toml" : `${folder}/pyproject.toml`) ?? "";
  const settings = parseToml(pyproject);
  if (has("uv.lock") || (settings !== null && tableIn(settings, "tool", "uv") !== null)) return "uv";
  if (has("poetry.lock") || (settings !== null && tableIn(settings, "tool", "poetry") !== null))
    return "poetry";
  if (["pdm.lock", "Pipfile"].some(has)) return null;
  // A list of requirements is one line more, and so is the list that every tool reads from pyproject.toml.
  const hasList = ["requirements.txt", ...requirementLists].some(has);
  return hasList || hasProjectTable(pyproject) ? "pip" : null;
}
