import { type Fits, fitsGlob } from "../files/claims.ts";
import { parseToml, parseYaml, tableIn, textIn, textsOf, valueIn } from "./parse-text.ts";
import { type CheckWay, type Fact, type Need, type ProjectFolder, program } from "./project-facts.ts";

const uvWorkspace = "pyproject.toml: [tool.uv.workspace]";

/** The packages that uv brings into one environment. */
export function uvMembers(project: ProjectFolder, settings: ReturnType<typeof parseToml>): readonly Fact[] {
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
export function memberEnvironment(project: ProjectFolder): Environment | null {
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
export interface Environment {
  readonly fact: Fact;
  /** In a folder of the repository; each is copied into every workspace. They come first. Default: the folder's own. */
  readonly pythons?: readonly string[];
  /** What a command begins with to run in it; null: the search path alone. */
  readonly run: string | null;
  readonly install: string;
}

/** The same, and where it is installed: `in the repository`. */
export interface PlacedEnvironment extends Environment {
  readonly place: string;
}

/** That of the tool whose files are there. */
export function environmentOf(project: ProjectFolder, settings: ReturnType<typeof parseToml>): Environment {
  if (project.has("uv.lock") || tableIn(settings, "tool", "uv"))
    return {
      fact: {
        name: "uv",
        reason: project.has("uv.lock") ? "uv.lock" : "pyproject.toml: [tool.uv]",
      },
      run: "uv run --no-sync",
      install: "uv sync --all-groups",
    };
  if (project.has("poetry.lock") || tableIn(settings, "tool", "poetry"))
    return {
      fact: {
        name: "poetry",
        reason: project.has("poetry.lock") ? "poetry.lock" : "pyproject.toml: [tool.poetry]",
      },
      run: "poetry run",
      install: "poetry config virtualenvs.in-project true --local && poetry install",
    };
  if (project.has("pdm.lock"))
    return { fact: { name: "pdm", reason: "pdm.lock" }, run: "pdm run", install: "pdm sync" };
  if (project.has("Pipfile"))
    return {
      fact: { name: "pipenv", reason: "Pipfile" },
      run: "pipenv run",
      install: "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev",
    };
  const conda = ["environment.yml", "environment.yaml"].find((name) => project.has(name));
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
export const ownPythons = [".venv/bin/python", "venv/bin/python"];

/** A module of Python, wherever it can be imported, and the program of that name at last. */
export function moduleWays(
  module: string,
  args: string,
  environment: PlacedEnvironment,
  last: "module" | "program",
): readonly CheckWay[] {
  const remedy = `Install ${module} into .venv ${environment.place}, which Hox copies into every workspace (\`${environment.install}\`).`;
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
