import { addToPyproject, hasProjectTable, hasRequirementList } from "./pyproject.ts";
import type { DependencyRequest } from "./request.ts";

/** How a dependency is added, and what of the repository that may change. */
export interface Installation {
  /** Run by a shell in the folder of the manifest. */
  readonly command: string;
  /** Paths from the repository's root that it may write: manifests and lock files. */
  readonly files: readonly string[];
  /** Of these, the lock files: protected otherwise. */
  readonly locks: readonly string[];
  /** Folders of packages that it fills, from the root; each is a cache, in no commit. */
  readonly packages: readonly string[];
  /** Whether code of packages runs while they are installed, in words for a person. */
  readonly scripts: string;
  /** Variables that hold the manager to what it is asked for. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whole texts of manifests that are written before it runs, where no manager does that. */
  readonly edits?: Readonly<Record<string, string>>;
  /** Why it cannot be added, and what to do instead, for whoever asked. */
  readonly problem?: string;
}

const noScripts = "No install script of any package runs.";

/**
 * The command that adds a dependency with a package manager.
 *
 * @param request checked by `requestProblem`
 * @param paths all files of the commit that it is added to: they say where the lock file is
 * @param texts of those that `dependencyFiles` names
 */
export function installation(
  request: DependencyRequest,
  paths: readonly string[],
  texts: ReadonlyMap<string, string> = new Map(),
): Installation {
  const { manager, folder, name, version, dev } = request;
  const has = (path: string): boolean => paths.includes(path);
  const here = (file: string): string => (folder === "" ? file : `${folder}/${file}`);
  /** The nearest of these files, in the folder or above; where there is none, the first name in the folder. */
  const nearest = (...names: readonly string[]): string => {
    const found = above(folder).flatMap((place) =>
      names.map((file) => (place === "" ? file : `${place}/${file}`)).filter(has),
    );
    return found[0] ?? here(names[0] ?? "");
  };
  const at = version === null ? name : `${name}@${version}`;
  const javascript = (lock: string, also: readonly string[] = []) => {
    const root = lock.includes("/") ? lock.slice(0, lock.lastIndexOf("/")) : "";
    return {
      files: [...new Set([here("package.json"), ...also, lock])],
      locks: [lock],
      packages: [...new Set([root === "" ? "node_modules" : `${root}/node_modules`, here("node_modules")])],
      scripts: noScripts,
      environment: {},
    };
  };
  const python = (lock: string | null) => ({
    files: [here("pyproject.toml"), ...(lock === null ? [] : [lock])],
    locks: lock === null ? [] : [lock],
    packages: [here(".venv")],
    environment: {},
  });
  switch (manager) {
    case "npm": {
      const lock = nearest("package-lock.json", "npm-shrinkwrap.json");
      return {
        ...javascript(lock),
        command: line(
          "npm install --ignore-scripts --no-audit --no-fund",
          dev ? "--save-dev" : "--save-prod",
          at,
        ),
      };
    }
    case "pnpm":
      return {
        ...javascript(nearest("pnpm-lock.yaml"), has("pnpm-workspace.yaml") ? ["pnpm-workspace.yaml"] : []),
        command: line(
          "pnpm add --ignore-scripts",
          dev ? "--save-dev" : "--save-prod",
          ...(has(here("pnpm-workspace.yaml")) ? ["--workspace-root"] : []),
          at,
        ),
      };
    case "yarn": {
      const first = line(
        "yarn add --ignore-scripts --non-interactive",
        ...(dev ? ["--dev"] : []),
        ...(has(here("yarn.lock")) && paths.some((path) => path.endsWith("/package.json"))
          ? ["--ignore-workspace-root-check"]
          : []),
        at,
      );
      const later = line("yarn add", ...(dev ? ["--dev"] : []), at);
      return {
        ...javascript(nearest("yarn.lock")),
        // Only the program says which one it is; later ones refuse the first one's options.
        environment: { YARN_ENABLE_SCRIPTS: "false" },
        command: `case "$(yarn --version)" in 1.*) ${first} ;; *) ${later} ;; esac`,
      };
    }
    case "bun":
      return {
        ...javascript(nearest("bun.lock")),
        command: line("bun add --ignore-scripts", ...(dev ? ["--dev"] : []), at),
      };
    case "uv":
      return {
        ...python(nearest("uv.lock")),
        command: line("uv add", ...(dev ? ["--dev"] : []), `${name}${pythonSpecifier(version)}`),
        scripts:
          "A package that comes as source alone runs its own build, with these hosts and nothing else.",
      };
    case "poetry":
      return {
        ...python(nearest("poetry.lock")),
        command: line(
          "poetry add --no-interaction",
          ...(dev ? ["--group", "dev"] : []),
          version === null ? name : `${name}@${/^\d/u.test(version) ? version : version.replaceAll(" ", "")}`,
        ),
        scripts:
          "A package that comes as source alone runs its own build, with these hosts and nothing else.",
        environment: { POETRY_VIRTUALENVS_IN_PROJECT: "true" },
      };
    case "pip": {
      const pyproject = texts.get(here("pyproject.toml")) ?? "";
      if (isForPyproject(request, paths, pyproject)) return withPip(request, here, pyproject);
      const list = requirementsFile(request, paths);
      const file = list.slice(list.lastIndexOf("/") + 1);
      const below = folder === "" ? list : list.slice(folder.length + 1);
      const wanted = `${name}${pythonSpecifier(version)}`;
      return {
        command: [
          "{ test -x .venv/bin/python || python3 -m venv .venv; }",
          `{ test ! -s ${quoted(below)} || test -z "$(tail -c 1 ${quoted(below)})" || echo; } >> ${quoted(below)}`,
          `printf '%s\\n' ${quoted(wanted)} >> ${quoted(below)}`,
          `.venv/bin/python -m pip install --disable-pip-version-check --no-input --only-binary=:all: -r ${quoted(below)}`,
        ].join(" && "),
        files: [list],
        locks: [],
        packages: [here(".venv")],
        scripts: `No code of any package runs: only built packages are taken, also of what ${file} names already.`,
        environment: {},
      };
    }
    case "cargo":
      return {
        command: `${line("cargo add", ...(dev ? ["--dev"] : []), at)} && cargo fetch`,
        files: [...new Set([here("Cargo.toml"), nearest("Cargo.lock"), ...rootManifest(folder, has)])],
        locks: [nearest("Cargo.lock")],
        packages: [],
        scripts: "Nothing of any package runs; build scripts run later, in the sandbox of the agents.",
        environment: {},
      };
    case "go":
      return {
        command: `${line("go get", `${name}@${goVersion(version)}`)} && go mod download`,
        files: [here("go.mod"), here("go.sum")],
        locks: [here("go.sum")],
        packages: [],
        scripts: "Nothing of any module runs.",
        // Another toolchain would be a download that nobody was asked about.
        environment: { GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" },
      };
  }
}

/** Whether a requirement goes into pyproject.toml: it has a list for it, or there is none of that kind elsewhere. */
function isForPyproject(request: DependencyRequest, paths: readonly string[], pyproject: string): boolean {
  if (!hasProjectTable(pyproject)) return false;
  if (hasRequirementList(pyproject, request)) return true;
  const list = requirementsFile(request, paths);
  if (!paths.includes(list)) return true;
  // Where all that it needs stands in pyproject.toml, only a list for developing is one for that.
  return request.dev && hasRequirementList(pyproject, { dev: false }) && !isForDeveloping(list);
}

/** pip installs and writes nothing down: the list is changed first. */
function withPip(
  { name, version, dev }: DependencyRequest,
  here: (file: string) => string,
  pyproject: string,
): Installation {
  const wanted = `${name}${pythonSpecifier(version)}`;
  const added = addToPyproject(pyproject, wanted, { dev });
  const isAdded = !("problem" in added);
  const words = [wanted, ...(isAdded ? added.others : [])].map(quoted).join(" ");
  return {
    command: [
      "{ test -x .venv/bin/python || python3 -m venv .venv; }",
      `.venv/bin/python -m pip install --disable-pip-version-check --no-input --only-binary=:all: -- ${words}`,
    ].join(" && "),
    files: [here("pyproject.toml")],
    locks: [],
    packages: [here(".venv")],
    scripts:
      "No code of any package runs: only built packages are taken, also of what the list names already.",
    environment: {},
    ...(isAdded
      ? { edits: added.text === pyproject ? {} : { [here("pyproject.toml")]: added.text } }
      : { problem: added.problem }),
  };
}

/** Names of lists of requirements in a folder for them, the likeliest first. */
export const requirementLists: readonly string[] = [
  "requirements",
  "base",
  "main",
  "common",
  "prod",
  "production",
].map((name) => `requirements/${name}.txt`);

const listsForDeveloping: readonly string[] = [
  "requirements-dev.txt",
  "dev-requirements.txt",
  ...["dev", "development", "test", "tests"].map((name) => `requirements/${name}.txt`),
];
const isForDeveloping = (path: string): boolean =>
  listsForDeveloping.some((list) => path === list || path.endsWith(`/${list}`));

/** A list of requirements for developing, where there is one, else the one in the folder. */
export function requirementsFile(
  { folder, dev }: Pick<DependencyRequest, "folder" | "dev">,
  paths: readonly string[],
): string {
  const here = (file: string): string => (folder === "" ? file : `${folder}/${file}`);
  const lists = [...(dev ? listsForDeveloping : []), "requirements.txt", ...requirementLists].map(here);
  return lists.find((path) => paths.includes(path)) ?? here("requirements.txt");
}

/** A folder and those above it, the nearest first. */
export function above(folder: string): readonly string[] {
  const parts = folder === "" ? [] : folder.split("/");
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join("/")), ""];
}

/** A workspace keeps some versions in the manifest of its root. */
const rootManifest = (folder: string, has: (path: string) => boolean): readonly string[] =>
  folder !== "" && has("Cargo.toml") ? ["Cargo.toml"] : [];

const pythonSpecifier = (version: string | null): string =>
  version === null ? "" : /^\d/u.test(version) ? `==${version}` : version.replaceAll(" ", "");

const goVersion = (version: string | null): string =>
  version === null || version === "latest" ? "latest" : version.startsWith("v") ? version : `v${version}`;

const line = (...words: readonly string[]): string => {
  const last = words.at(-1) ?? "";
  return [...words.slice(0, -1), quoted(last)].join(" ");
};

/** For a shell, whatever the text is. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
