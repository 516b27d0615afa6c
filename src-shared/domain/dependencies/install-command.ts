import { parseJson, parseYaml, tableIn, valueIn } from "../project/project-facts.ts";
import {
  addToPyproject,
  hasProjectTable,
  hasRequirementList,
  requirementsProblem,
} from "./python-project.ts";
import { type DependencyRequest, installPlace, type Place } from "./request.ts";

/** How a dependency is added, and what of the repository that may change. */
interface Installation {
  /** Run by a shell in the folder of the manifest. */
  readonly command: string;
  /** Paths from the repository's root that it may write: manifests and lock files. */
  readonly files: readonly string[];
  /** Folders of packages that it fills, from the root; each is a cache, in no commit. */
  readonly packages: readonly string[];
  /** Whether code of packages runs during installation, for the user. */
  readonly scripts: string;
  /** Variables that hold the manager to what it is asked for. */
  readonly environment: Readonly<Record<string, string>>;
  /** Whole texts of manifests that are written before it runs, where no manager does that. */
  readonly edits?: Readonly<Record<string, string>>;
  /** Why it cannot be added, and what to do instead, for the requester. */
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
  const place = installPlace(request.folder, paths);
  const { manager } = request;
  switch (manager) {
    case "npm":
    case "pnpm":
    case "yarn":
    case "bun":
      return {
        ...javascriptInstallation({ ...request, manager }, place),
        ...codeOfJavascript(manager, noScripts, {
          manifest: texts.get(place.here("package.json")) ?? "",
          settings: texts.get("pnpm-workspace.yaml") ?? "",
        }),
      };
    case "uv":
    case "poetry":
      return lockedPython({ ...request, manager }, place);
    case "pip": {
      const pyproject = texts.get(place.here("pyproject.toml")) ?? "";
      return isForPyproject(request, paths, pyproject)
        ? withPip(request, place.here, pyproject)
        : pipRequirements(request, place, requirementsFile(request, paths), texts);
    }
    case "cargo":
      return {
        command: `${line("cargo add", ...(request.dev ? ["--dev"] : []), formatRequirement(request))} && cargo fetch`,
        files: [
          ...new Set([
            place.here("Cargo.toml"),
            place.nearest("Cargo.lock"),
            ...rootManifest(request.folder, place.has),
          ]),
        ],
        packages: [],
        scripts: "Nothing of any package runs; build scripts run later, in the sandbox of the agents.",
        environment: {},
      };
    case "go":
      return {
        command: `${line("go get", `${request.name}@${goVersion(request.version)}`)} && go mod download`,
        files: [place.here("go.mod"), place.here("go.sum")],
        packages: [],
        scripts: "Nothing of any module runs.",
        // Another toolchain would be a download that the user did not approve.
        environment: { GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" },
      };
  }
}

/**
 * Settings of pnpm that name a program or a plugin which it runs during installation, even without scripts.
 */
const programs = ["pnpmfile", "globalPnpmfile", "configDependencies", "scriptShell"];
const maxSettings = 100_000;

/** A specification that is fetched from somewhere else than a registry, and may be built. */
const address = /^(?:git|github|gitlab|bitbucket|gist|ssh|https?)[+:@]|^[\w.-]+\/[\w.-]+(?:#.*)?$/iu;

const lists = ["dependencies", "devDependencies", "optionalDependencies", "resolutions", "overrides"];

/**
 * Where a JavaScript package manager runs code even without install scripts: refused, or shown on the card.
 * @param otherwise the card's other text
 * @param texts of package.json, and of pnpm-workspace.yaml
 */
function codeOfJavascript(
  manager: string,
  otherwise: string,
  { manifest, settings }: { readonly manifest: string; readonly settings: string },
): { readonly scripts: string; readonly problem?: string } {
  const program = manager === "pnpm" ? programOf(settings) : null;
  if (program !== null)
    return {
      scripts: otherwise,
      problem: `${program} of pnpm-workspace.yaml may name code that pnpm runs while it installs. Ask for the package with align_request: the user adds it by hand.`,
    };
  const table = parseJson(manifest);
  const named = lists.flatMap((list) =>
    Object.entries(tableIn(table, list) ?? {}).flatMap(([name, spec]) =>
      typeof spec === "string" && address.test(spec) ? [name] : [],
    ),
  );
  const others = named.length > 5 ? " and others" : "";
  return {
    scripts:
      named.length === 0
        ? otherwise
        : `${otherwise} package.json names ${named.slice(0, 5).join(", ")}${others} by an address: ${manager} may build what it finds there, with these hosts and nothing else.`,
  };
}

function programOf(settings: string): string | null {
  if (settings.length > maxSettings) return "The length";
  const table = parseYaml(settings);
  return programs.find((key) => valueIn(table, key) !== undefined) ?? null;
}

const formatRequirement = ({ name, version }: DependencyRequest): string =>
  version === null ? name : `${name}@${version}`;

function javascriptInstallation(
  request: DependencyRequest & { readonly manager: "npm" | "pnpm" | "yarn" | "bun" },
  { paths, has, here, nearest }: Place,
): Installation {
  const { manager, dev } = request;
  const wanted = formatRequirement(request);
  const installed = (lock: string, also: readonly string[] = []) => {
    const root = lock.includes("/") ? lock.slice(0, lock.lastIndexOf("/")) : "";
    return {
      files: [...new Set([here("package.json"), ...also, lock])],
      packages: [...new Set([root === "" ? "node_modules" : `${root}/node_modules`, here("node_modules")])],
      scripts: noScripts,
      environment: {},
    };
  };
  switch (manager) {
    case "npm":
      return {
        ...installed(nearest("package-lock.json", "npm-shrinkwrap.json")),
        command: line(
          "npm install --ignore-scripts --no-audit --no-fund",
          dev ? "--save-dev" : "--save-prod",
          wanted,
        ),
      };
    case "pnpm":
      return {
        ...installed(nearest("pnpm-lock.yaml"), has("pnpm-workspace.yaml") ? ["pnpm-workspace.yaml"] : []),
        command: line(
          "pnpm add --ignore-scripts",
          dev ? "--save-dev" : "--save-prod",
          ...(has(here("pnpm-workspace.yaml")) ? ["--workspace-root"] : []),
          wanted,
        ),
      };
    case "yarn": {
      const first = line(
        "yarn add --ignore-scripts --non-interactive",
        ...(dev ? ["--dev"] : []),
        ...(has(here("yarn.lock")) && paths.some((path) => path.endsWith("/package.json"))
          ? ["--ignore-workspace-root-check"]
          : []),
        wanted,
      );
      const later = line("yarn add", ...(dev ? ["--dev"] : []), wanted);
      return {
        ...installed(nearest("yarn.lock")),
        // Only the program says which one it is; later ones refuse the first one's options.
        environment: { YARN_ENABLE_SCRIPTS: "false" },
        command: `case "$(yarn --version)" in 1.*) ${first} ;; *) ${later} ;; esac`,
      };
    }
    case "bun":
      return {
        ...installed(nearest("bun.lock")),
        command: line("bun add --ignore-scripts", ...(dev ? ["--dev"] : []), wanted),
      };
  }
}

/** With a tool that writes the whole environment down in a file. */
function lockedPython(
  { manager, name, version, dev }: DependencyRequest & { readonly manager: "uv" | "poetry" },
  { here, nearest }: Place,
): Installation {
  const lock = nearest(`${manager}.lock`);
  const installed = {
    files: [here("pyproject.toml"), lock],
    packages: [here(".venv")],
    scripts:
      "The build of this project runs, and that of each package that comes as source alone, with these hosts and nothing else.",
  };
  if (manager === "uv")
    return {
      ...installed,
      command: line("uv add", ...(dev ? ["--dev"] : []), `${name}${pythonSpecifier(version)}`),
      environment: {},
    };
  return {
    ...installed,
    command: line(
      "poetry add --no-interaction",
      ...(dev ? ["--group", "dev"] : []),
      version === null ? name : `${name}@${/^\d/u.test(version) ? version : version.replaceAll(" ", "")}`,
    ),
    environment: { POETRY_VIRTUALENVS_IN_PROJECT: "true" },
  };
}

/** As a line of a file of requirements. */
function pipRequirements(
  { folder, name, version }: DependencyRequest,
  { here, paths }: Place,
  list: string,
  texts: ReadonlyMap<string, string>,
): Installation {
  const problem = requirementsProblem(list, texts, paths);
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
    packages: [here(".venv")],
    scripts: `No code of any package runs: only built packages are taken, also of what ${file} names already.`,
    environment: {},
    ...(problem === null ? {} : { problem }),
  };
}

/** Whether a requirement goes into pyproject.toml: it has a list for it, or there is none of that kind elsewhere. */
function isForPyproject(request: DependencyRequest, paths: readonly string[], pyproject: string): boolean {
  if (!hasProjectTable(pyproject)) return false;
  if (hasRequirementList(pyproject, request)) return true;
  const list = requirementsFile(request, paths);
  if (!paths.includes(list)) return true;
  // If pyproject.toml has the other requirements, only a list for development is one for that.
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
function requirementsFile(
  { folder, dev }: Pick<DependencyRequest, "folder" | "dev">,
  paths: readonly string[],
): string {
  const here = (file: string): string => (folder === "" ? file : `${folder}/${file}`);
  const lists = [...(dev ? listsForDeveloping : []), "requirements.txt", ...requirementLists].map(here);
  return lists.find((path) => paths.includes(path)) ?? here("requirements.txt");
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
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
