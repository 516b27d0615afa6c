import { type Fits, fitsGlob } from "../files/glob.ts";
import {
  type CheckWay,
  check,
  type Fact,
  type FoundCheck,
  firstOf,
  inRepository,
  type Need,
  type PartialFacts,
  type ProjectFolder,
  parseToml,
  parseYaml,
  program,
  type ToolchainWish,
  tableIn,
  textIn,
  textsOf,
  valueIn,
} from "./project-facts.ts";

const manifests = [
  "pyproject.toml",
  "setup.cfg",
  "setup.py",
  "requirements.txt",
  "Pipfile",
  "environment.yml",
  "environment.yaml",
];

/**
 * Python: from pyproject.toml, setup.cfg, requirements, and the lock file of the environment's manager.
 * (PLAN-6a)
 */
export function pythonProject(project: ProjectFolder): PartialFacts | null {
  const found = manifests.find((name) => project.has(name));
  if (found === undefined) return null;
  const settings = parseToml(project.text("pyproject.toml"));
  const environment = {
    ...(memberEnvironment(project) ?? environmentOf(project, settings)),
    place: inRepository(project),
  };
  const members = uvMembers(project, settings);
  return {
    languages: [{ name: "Python", reason: found }],
    packageManagers: [environment.fact],
    workspaces: members,
    isEachMemberChecked: members.length > 0,
    toolchains: toolchainsOf(settings),
    checks: [...linters(project, settings, environment), ...tests(project, settings, environment)],
  };
}

const uvWorkspace = "pyproject.toml: [tool.uv.workspace]";

/** The packages that uv brings into one environment. */
function uvMembers(project: ProjectFolder, settings: ReturnType<typeof parseToml>): readonly Fact[] {
  const globs = (key: string): readonly Fits[] =>
    textsOf(valueIn(settings, "tool", "uv", "workspace", key)).map((glob) =>
      fitsGlob(glob.replace(/^\.\//u, "").replace(/\/$/u, "")),
    );
  const [members, excluded] = [globs("members"), globs("exclude")];
  return project.files.flatMap((path) => {
    if (!path.endsWith("/pyproject.toml")) return [];
    const folder = path.slice(0, -"/pyproject.toml".length);
    const isMember = members.some((fits) => fits(folder)) && !excluded.some((fits) => fits(folder));
    return isMember ? [{ name: folder, reason: uvWorkspace }] : [];
  });
}

/** That of the workspace whose member it is: uv has one for all of them, in the root of that. */
function memberEnvironment(project: ProjectFolder): Environment | null {
  for (const root of project.above) {
    const below = root.folder === "" ? project.folder : project.folder.slice(root.folder.length + 1);
    const members = uvMembers(root, parseToml(root.text("pyproject.toml")));
    if (!members.some(({ name }) => name === below)) continue;
    const up = "../".repeat(below.split("/").length);
    return {
      fact: { name: "uv", reason: uvWorkspace },
      pythons: [...ownPythons, `${up}.venv/bin/python`],
      run: "uv run --no-sync",
      install: "uv sync --all-packages --all-groups",
    };
  }
  return null;
}

/** What makes and runs an environment. */
interface Environment {
  readonly fact: Fact;
  /** In a folder of the repository; each is copied into every workspace. They come first. Default: the folder's own. */
  readonly pythons?: readonly string[];
  /** What a command begins with to run in it; null: the search path alone. */
  readonly run: string | null;
  readonly install: string;
}

/** The same, and where it is installed: `in the repository`. */
interface PlacedEnvironment extends Environment {
  readonly place: string;
}

/** Tools that make environments: the first whose lock file or table of pyproject.toml is there. */
const environments: readonly (Pick<Environment, "install"> & {
  readonly name: string;
  readonly file: string;
  readonly hasTable: boolean;
})[] = [
  { name: "uv", file: "uv.lock", hasTable: true, install: "uv sync --all-groups" },
  {
    name: "poetry",
    file: "poetry.lock",
    hasTable: true,
    install: "poetry config virtualenvs.in-project true --local && poetry install",
  },
  { name: "pdm", file: "pdm.lock", hasTable: false, install: "pdm sync" },
  { name: "pipenv", file: "Pipfile", hasTable: false, install: "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev" },
];

function environmentOf(project: ProjectFolder, settings: ReturnType<typeof parseToml>): Environment {
  for (const { name, file, hasTable, install } of environments) {
    const reason = project.has(file)
      ? file
      : hasTable && tableIn(settings, "tool", name)
        ? `pyproject.toml: [tool.${name}]`
        : null;
    if (reason !== null)
      return { fact: { name, reason }, run: name === "uv" ? "uv run --no-sync" : `${name} run`, install };
  }
  const conda = firstOf(project, ["environment.yml", "environment.yaml"]);
  if (conda !== undefined) {
    const name = textIn(parseYaml(project.text(conda)), "name");
    const isPlain = name !== null && /^[\w.-]+$/u.test(name);
    return {
      fact: { name: "conda", reason: conda },
      run: isPlain ? `conda run --no-capture-output --name ${name}` : null,
      install: `conda env create --file ${conda}`,
    };
  }
  return {
    fact: { name: "pip", reason: "no lock file of another" },
    run: null,
    install: "python3 -m venv .venv && .venv/bin/python -m pip install <what its tests need>",
  };
}

/** An environment in the folder itself comes first: it is copied into every workspace. */
const ownPythons = [".venv/bin/python", "venv/bin/python"];

const remedyFor = (what: string, { place, install }: PlacedEnvironment): string =>
  `Install ${what} into .venv ${place}, which Hox copies into every workspace (\`${install}\`).`;

/** A Python module, wherever it can be imported, else the program of that name. */
function moduleWays(
  module: string,
  args: string,
  environment: PlacedEnvironment,
  last: "module" | "program",
): readonly CheckWay[] {
  const remedy = remedyFor(module, environment);
  const importable = (python: string): Need => ({
    name: module,
    probe: `${python} -c "import ${module}"`,
    remedy,
  });
  const tail = args === "" ? "" : ` ${args}`;
  const pythons = [
    ...(environment.pythons ?? ownPythons),
    ...(environment.run === null ? [] : [`${environment.run} python`]),
    ...(last === "module" ? ["python3"] : []),
  ];
  return [
    ...pythons.map((python) => ({
      command: `${python} -m ${module}${tail}`,
      needs: [importable(python)],
    })),
    ...(last === "program" ? [{ command: `${module}${tail}`, needs: [program(module, remedy)] }] : []),
  ];
}

const says = (project: ProjectFolder, settings: ReturnType<typeof parseToml>, name: string): string | null =>
  tableIn(settings, "tool", name)
    ? `pyproject.toml: [tool.${name}]`
    : new RegExp(`^\\[(?:tool:)?${name}(?::[^\\]\\n]*)?\\]`, "mu").test(project.text("setup.cfg"))
      ? `setup.cfg: [${name}]`
      : null;

/** Fast checks: what says that the project uses one, by its table or by its file, and how it is run. */
const fastChecks: readonly {
  readonly name: string;
  readonly files: readonly string[];
  readonly args: string;
}[] = [
  { name: "ruff", files: ["ruff.toml", ".ruff.toml"], args: "check ." },
  { name: "flake8", files: [".flake8"], args: "" },
  { name: "mypy", files: ["mypy.ini", ".mypy.ini"], args: "." },
  { name: "pyright", files: ["pyrightconfig.json"], args: "" },
];

function linters(
  project: ProjectFolder,
  settings: ReturnType<typeof parseToml>,
  environment: PlacedEnvironment,
): readonly FoundCheck[] {
  // Where its settings say what mypy checks, nothing else is.
  const isNamed =
    ["files", "packages", "modules"].some((key) => valueIn(settings, "tool", "mypy", key) !== undefined) ||
    /^(?:files|packages|modules)\s*=/mu.test(project.text("mypy.ini") + project.text("setup.cfg"));
  return fastChecks.flatMap(({ name, files, args }) => {
    const reason = says(project, settings, name) ?? firstOf(project, files);
    const ways = moduleWays(name, name === "mypy" && isNamed ? "" : args, environment, "program");
    return reason === undefined ? [] : [check("fast", name, reason, ways)];
  });
}

function tests(
  project: ProjectFolder,
  settings: ReturnType<typeof parseToml>,
  environment: PlacedEnvironment,
): readonly FoundCheck[] {
  const pytest = pytestReason(project, settings);
  if (pytest !== null) {
    const options = `${valueIn(settings, "tool", "pytest", "ini_options", "addopts") ?? ""} ${project.text("pytest.ini")} ${project.text("setup.cfg")} ${project.text("tox.ini")}`;
    // Given twice, it removes the relevant line.
    const isQuiet = options
      .split("\n")
      .some((line) => /^\S*[ \t]*-q/u.test(line) || /\s-q/u.test(line.slice(line.indexOf("addopts"))));
    // One file that cannot be loaded must not keep all others from running.
    const goesOn = "--continue-on-collection-errors";
    const args = isQuiet ? goesOn : `-q ${goesOn}`;
    return [check("slow", "pytest", pytest, moduleWays("pytest", args, environment, "module"))];
  }
  const own = environment.pythons ?? ownPythons;
  if (project.has("manage.py")) {
    const run = environment.run === null ? [] : [`${environment.run} python`];
    const ways = [...own, ...run, "python3"].map((python) => ({
      command: `${python} manage.py test`,
      needs: [
        {
          name: "django",
          probe: `${python} -c "import django"`,
          remedy: remedyFor("the project", environment),
        },
      ],
    }));
    return [check("slow", "django", "manage.py", ways)];
  }
  const folder = ["tests", "test"].find((name) =>
    project.files.some((path) => path.startsWith(`${name}/`) && /(?:^|\/)test[^/]*\.py$/u.test(path)),
  );
  if (folder === undefined) return [];
  const from = project.has(`${folder}/__init__.py`) ? `discover -s ${folder} -t .` : `discover -s ${folder}`;
  const ways = [
    ...own.map((python) => ({
      command: `${python} -m unittest ${from}`,
      needs: [{ name: python, probe: `test -x ${python}`, remedy: "" }],
    })),
    { command: `python3 -m unittest ${from}`, needs: [program("python3")] },
  ];
  return [check("slow", "unittest", `${folder}/ holds tests, and nothing names pytest`, ways)];
}

/** What says that the tests are pytest's. */
function pytestReason(project: ProjectFolder, settings: ReturnType<typeof parseToml>): string | null {
  const declared = says(project, settings, "pytest");
  if (declared !== null) return declared;
  const own = firstOf(project, [
    "pytest.ini",
    ".pytest.ini",
    "conftest.py",
    "tests/conftest.py",
    "test/conftest.py",
  ]);
  if (own !== undefined) return own;
  const naming = [
    "pyproject.toml",
    "tox.ini",
    "setup.cfg",
    "setup.py",
    "Pipfile",
    "environment.yml",
    "environment.yaml",
    ...project.files.filter((path) => /^(?:[\w-]*requirements[\w-]*|requirements\/[\w-]+)\.txt$/u.test(path)),
  ].find((name) => /\bpytest\b/u.test(project.text(name)));
  return naming === undefined ? null : `${naming} names pytest`;
}

function toolchainsOf(settings: ReturnType<typeof parseToml>): readonly ToolchainWish[] {
  const version =
    textIn(settings, "project", "requires-python") ??
    textIn(settings, "tool", "poetry", "dependencies", "python");
  return version === null ? [] : [{ tool: "python", version, file: "pyproject.toml" }];
}
