import { cProject } from "./c-project.ts";
import { javascriptProject } from "./javascript-project.ts";
import { manifestProject } from "./languages.ts";
import {
  check,
  type FoundCheck,
  firstLine,
  firstOf,
  type Need,
  type PartialFacts,
  type ProjectFacts,
  type ProjectFiles,
  type ProjectFolder,
  parseToml,
  type ToolchainWish,
  tableIn,
  textIn,
} from "./project-facts.ts";
import { pythonProject } from "./python-project.ts";

/** Maximum depth of paths: a manifest two folders down, and a file next to its base. */
export const deepestPath = 4;

const kinds: readonly ((project: ProjectFolder) => PartialFacts | null)[] = [
  manifestProject("rust"),
  manifestProject("go"),
  pythonProject,
  javascriptProject,
  manifestProject("maven", "gradle"),
  manifestProject("ruby"),
  manifestProject("dotnet"),
  manifestProject("php"),
  manifestProject("elixir"),
  cProject,
];

/** What makes a folder the root of something. */
const manifest =
  /^(?:package\.json|pyproject\.toml|setup\.py|setup\.cfg|requirements\.txt|Pipfile|Cargo\.toml|go\.(?:mod|work)|pom\.xml|build\.gradle(?:\.kts)?|Gemfile|composer\.json|mix\.exs|CMakeLists\.txt|meson\.build|[^/]+\.(?:slnx?|csproj|fsproj|gemspec))$/u;

/** Other files whose text says something. */
const telling =
  /^(?:pnpm-workspace\.yaml|lerna\.json|tox\.ini|pytest\.ini|mypy\.ini|environment\.ya?ml|rust-toolchain(?:\.toml)?|global\.json|Makefile|makefile|GNUmakefile|Makefile\.in|\.gitignore|\.tool-versions|\.sdkmanrc|\.?mise\.toml|\.(?:nvmrc|node-version|python-version|ruby-version|java-version|php-version|go-version|bun-version)|[\w-]*requirements[\w-]*\.txt)$/u;

/** Code of others, what is generated, and what only shows how something is used. */
const aside =
  /(?:^|\/)(?:\.[^/]+|node_modules|vendor|third_party|dist|build|target|out|examples?|fixtures?|testdata|tests?|spec|docs?|bench|benchmarks?|templates?|samples?|demos?|e2e)\//u;

/** Limit of separate projects in one repository. */
const maxFolders = 12;
const maxTexts = 400;

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
const depthOf = (path: string): number => path.split("/").length;

/**
 * The files whose texts `findProject` reads, those near the root first.
 *
 * @param paths of all files
 */
export const filesToRead = (paths: readonly string[]): readonly string[] =>
  paths
    .filter(
      (path) =>
        depthOf(path) <= (nameOf(path) === "package.json" ? deepestPath : 3) &&
        !/(?:^|\/)node_modules\//u.test(path) &&
        (manifest.test(nameOf(path)) ||
          telling.test(nameOf(path)) ||
          /^requirements\/[^/]+\.txt$/u.test(path)),
    )
    .toSorted((one, other) => depthOf(one) - depthOf(other) || (one < other ? -1 : 1))
    .slice(0, maxTexts);

/**
 * The kind of a project and its checks, each with its source. Languages add up; a subfolder of a repository
 * may be a separate project, unless a project of the same kind above it covers it.
 *
 * @param files of one commit or folder
 * @returns checks in the order in which they run; their commands run in the root
 */
export function findProject(files: ProjectFiles): ProjectFacts {
  const folders = foldersOf(files.paths);
  const found: { readonly folder: string; readonly facts: PartialFacts }[] = [];
  const views = new Map<string, ProjectFolder>();
  // Folders near the root first, so that parents are there.
  for (const folder of folders) {
    const above = [...views.values()].filter(({ folder: one }) => one === "" || folder.startsWith(`${one}/`));
    views.set(folder, projectFolder(files, folder, above.toReversed()));
  }
  for (const kind of kinds) {
    const covering: string[] = [];
    for (const folder of folders) {
      if (covering.some((above) => above === "" || folder.startsWith(`${above}/`))) continue;
      const view = views.get(folder);
      const facts = view ? kind(view) : null;
      if (facts === null) continue;
      found.push({ folder, facts });
      if (isCovering(facts)) covering.push(folder);
    }
  }
  const root = views.get("") ?? projectFolder(files, "", []);
  const checks = found.flatMap(({ folder, facts }) =>
    (facts.checks ?? []).map((one) => inFolder(folder, one)),
  );
  return {
    languages: unique(found.flatMap(({ folder, facts }) => named(folder, facts.languages))),
    packageManagers: unique(found.flatMap(({ folder, facts }) => named(folder, facts.packageManagers))),
    workspaces: found.flatMap(({ folder, facts }) =>
      (facts.workspaces ?? []).map((one) => ({ ...one, name: joined(folder, one.name) })),
    ),
    toolchains: [
      ...[...views.values()].flatMap((view) => inRoot(view.folder, toolVersions(view))),
      ...found.flatMap(({ folder, facts }) => inRoot(folder, facts.toolchains ?? [])),
    ],
    checks: withOwnNames(checks.length > 0 ? checks : makefileChecks(root)),
  };
}

/** Files of one line, by the tool that they are about. */
const ofOneTool: readonly (readonly [string, string])[] = [
  [".nvmrc", "node"],
  [".node-version", "node"],
  [".python-version", "python"],
  [".ruby-version", "ruby"],
  [".java-version", "java"],
  [".php-version", "php"],
  [".go-version", "go"],
  [".bun-version", "bun"],
];

/** Versions that a project asks for in files of version managers. */
function toolVersions(project: ProjectFolder): readonly ToolchainWish[] {
  const mise = ["mise.toml", ".mise.toml"].find((name) => project.has(name));
  const wishes: readonly ToolchainWish[] = [
    ...ofOneTool.map(([file, tool]) => ({ tool, version: firstLine(project.text(file)), file })),
    ...rustToolchain(project),
    ...pairs(project.text(".tool-versions"), /^(\S+)\s+(\S+)/u, ".tool-versions"),
    ...pairs(project.text(".sdkmanrc"), /^(\w+)=(\S+)/u, ".sdkmanrc"),
    ...(mise === undefined
      ? []
      : Object.entries(tableIn(parseToml(project.text(mise)), "tools") ?? {}).flatMap(([tool, version]) =>
          typeof version === "string" ? [{ tool, version, file: mise }] : [],
        )),
  ];
  return wishes.filter(({ version }) => version !== "");
}

function rustToolchain(project: ProjectFolder): readonly ToolchainWish[] {
  const file = ["rust-toolchain.toml", "rust-toolchain"].find((name) => project.has(name));
  if (file === undefined) return [];
  const text = project.text(file);
  const version = textIn(parseToml(text), "toolchain", "channel") ?? firstLine(text);
  return [{ tool: "rust", version, file }];
}

const pairs = (text: string, line: RegExp, file: string): readonly ToolchainWish[] =>
  text.split(/\r?\n/u).flatMap((one) => {
    const [, tool, version] = line.exec(one.trim()) ?? [];
    return tool === undefined || version === undefined || tool.startsWith("#")
      ? []
      : [{ tool, version, file }];
  });

/** Targets by which people check their work, of a Makefile; asked only where nothing else says how. */
function makefileChecks(project: ProjectFolder): readonly FoundCheck[] {
  const file = firstOf(project, ["GNUmakefile", "makefile", "Makefile"]);
  if (file === undefined) return [];
  const targets = new Set(
    [...project.text(file).matchAll(/^([A-Za-z][\w \t-]*)::?(?!=)/gmu)].flatMap(([, names = ""]) =>
      names.split(/\s+/u),
    ),
  );
  const run = (target: string, speed: FoundCheck["speed"]): FoundCheck =>
    check(speed, `make ${target}`, `${file}: ${target}`, `make ${target}`, ["make"]);
  const test = ["test", "check", "tests"].find((name) => targets.has(name));
  return [
    ...(targets.has("lint") ? [run("lint", "fast")] : []),
    ...(test === undefined ? [] : [run(test, "slow")]),
  ];
}

/** Whether folders below it need not be looked at. */
const isCovering = ({ checks = [], workspaces = [], isEachMemberChecked = false }: PartialFacts): boolean =>
  isEachMemberChecked
    ? checks.some(({ speed }) => speed === "slow")
    : checks.length > 0 || workspaces.length > 0;

/**
 * The folders in which packages can be installed: the root, every folder with a manifest at most two folders
 * down, and the members of workspaces.
 *
 * @param files of one commit or folder
 * @returns paths with `/`, the root ("") first, parents before children
 */
export function packageFolders(files: ProjectFiles): readonly string[] {
  const members = findProject(files).workspaces.map(({ name }) => name);
  const below = new Set([...manifestFolders(files.paths), ...members]);
  below.delete("");
  return ["", ...[...below].toSorted()];
}

/**
 * A cache is a name, such as `node_modules`, for every folder of packages; with a slash it is one particular
 * folder.
 *
 * @param folders from `packageFolders`
 * @returns paths from the root, each once; those in the root come first
 */
export function cachePaths(caches: readonly string[], folders: readonly string[]): readonly string[] {
  const names = caches.filter((cache) => !cache.includes("/"));
  const below = folders.filter((folder) => folder !== "");
  return [...new Set([...caches, ...below.flatMap((folder) => names.map((name) => `${folder}/${name}`))])];
}

/** The root, and the folders below it that a manifest makes roots. */
const foldersOf = (paths: readonly string[]): readonly string[] => [
  "",
  ...manifestFolders(paths).slice(0, maxFolders),
];

function manifestFolders(paths: readonly string[]): readonly string[] {
  const below = new Set(
    paths.flatMap((path) => {
      const folder = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      return folder !== "" && depthOf(folder) <= 2 && manifest.test(nameOf(path)) && !aside.test(path)
        ? [folder]
        : [];
    }),
  );
  return [...below].toSorted((one, other) => depthOf(one) - depthOf(other) || (one < other ? -1 : 1));
}

function projectFolder(files: ProjectFiles, folder: string, above: readonly ProjectFolder[]): ProjectFolder {
  const prefix = folder === "" ? "" : `${folder}/`;
  const own = files.paths.flatMap((path) => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []));
  const names = new Set(own);
  return {
    folder,
    above,
    files: own,
    has: (path) => names.has(path),
    text: (path) => files.texts.get(prefix + path) ?? "",
  };
}

const joined = (folder: string, path: string): string => (folder === "" ? path : `${folder}/${path}`);

const inRoot = (folder: string, wishes: readonly ToolchainWish[]): readonly ToolchainWish[] =>
  wishes.map((wish) => ({ ...wish, file: joined(folder, wish.file) }));

const named = (folder: string, facts: ProjectFacts["languages"] = []): ProjectFacts["languages"] =>
  facts.map(({ name, reason }) => ({ name, reason: folder === "" ? reason : `${folder}: ${reason}` }));

/** Each name once, with its first source. */
const unique = (facts: ProjectFacts["languages"]): ProjectFacts["languages"] =>
  facts.filter(({ name }, index) => facts.findIndex((other) => other.name === name) === index);

/** A word as the shell reads it back. */
const quoted = (word: string): string =>
  /^[\w@%+=:,.][\w@%+=:,./-]*$/u.test(word) ? word : `./'${word.replaceAll("'", "'\\''")}'`;

/** A check of a folder below the root: its commands go there first. */
function inFolder(folder: string, found: FoundCheck): FoundCheck {
  if (folder === "") return found;
  const go = `cd ${quoted(folder)} && `;
  const need = (one: Need): Need => ({ ...one, probe: `${go}${one.probe}` });
  return {
    ...found,
    name: `${folder}: ${found.name}`,
    reason: `${folder}/${found.reason}`,
    ways: found.ways.map(({ command, needs }) => ({
      command: `${go}${command}`,
      needs: needs.map(need),
    })),
    hints: found.hints.map(need),
  };
}

/** Two languages may call their checks the same. */
function withOwnNames(checks: readonly FoundCheck[]): readonly FoundCheck[] {
  const seen = new Map<string, number>();
  return checks.map((one) => {
    const nth = (seen.get(one.name) ?? 0) + 1;
    seen.set(one.name, nth);
    return nth === 1 ? one : { ...one, name: `${one.name} (${nth})` };
  });
}
