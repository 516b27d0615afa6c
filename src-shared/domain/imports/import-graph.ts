import { parseToml, textIn } from "../project/project-facts.ts";
import {
  folderOf,
  foldersAround,
  type JavaScriptNames,
  javaScriptNames,
  joined,
  resolveJavaScript,
} from "./resolve-javascript.ts";

export type Language = FileImports["language"];

/** Which files of a repository import which, without external names (packages, standard libraries). */
export interface ImportGraph {
  /** Source files that were read, sorted. */
  readonly files: readonly string[];
  /** Importing file → imported files of the repository, sorted; only files with at least one. */
  readonly imports: ReadonlyMap<string, readonly string[]>;
  /** The same arrows backwards. */
  readonly importers: ReadonlyMap<string, readonly string[]>;
}

/** The language that imports are read of (TypeScript counts as JavaScript); null for any other file. (HOX-9.2) */
export function languageOf(path: string): Language | null {
  const extension = /\.(\w+)$/u.exec(path)?.[1] ?? "";
  if (/^(?:[cm]?[jt]s|[jt]sx)$/u.test(extension)) return "JavaScript";
  if (extension === "py" || extension === "pyi") return "Python";
  return extension === "rs" ? "Rust" : null;
}

/** Whether a file says what names of modules mean: package.json, tsconfig.json, Cargo.toml. */
export const isManifest = (path: string): boolean =>
  /(?:^|\/)(?:package\.json|[jt]sconfig[^/]*\.json|Cargo\.toml)$/u.test(path);

/**
 * Resolves what files import to files of the repository (HOX-9.2), in steps of one file for who must not keep others
 * waiting.
 *
 * @param files all paths of the repository: what an import may lead to
 * @param manifests texts of manifests by path (see `isManifest`)
 * @param read what each source file imports, by path; a file that is missing here is taken to import nothing
 */
export function* importGraphSteps(
  files: readonly string[],
  manifests: ReadonlyMap<string, string>,
  read: ReadonlyMap<string, FileImports>,
): Generator<undefined, ImportGraph> {
  const known = new Set(files);
  const context: Context = {
    files: known,
    names: javaScriptNames(manifests),
    crates: rustCrates(new Map([...manifests].filter(([path]) => path.endsWith("Cargo.toml"))), known),
  };
  const sources = [...read.keys()].toSorted();
  const imports = new Map<string, readonly string[]>();
  const importers = new Map<string, string[]>();
  for (const path of sources) {
    const own = read.get(path);
    const targets = [...new Set(own === undefined ? [] : targetsOf(path, own, context))]
      .filter((target) => target !== path && languageOf(target) !== null)
      .toSorted();
    if (targets.length > 0) imports.set(path, targets);
    for (const target of targets) {
      const from = importers.get(target);
      if (from) from.push(path);
      else importers.set(target, [path]);
    }
    yield;
  }
  return { files: sources, imports, importers };
}

/** Crates of the repository by the name that code uses (dashes are underscores): folder and root file. */
type RustCrates = ReadonlyMap<string, { readonly folder: string; readonly root: string | null }>;

/** @param manifests texts of `Cargo.toml` files by path */
function rustCrates(manifests: ReadonlyMap<string, string>, files: ReadonlySet<string>): RustCrates {
  const crates = new Map<string, { folder: string; root: string | null }>();
  for (const [path, text] of manifests) {
    const folder = folderOf(path);
    const manifest = parseToml(text);
    const own = textIn(manifest, "package", "name");
    if (own === null) continue;
    const named = textIn(manifest, "lib", "path");
    const candidates = [...(named === null ? [] : [named]), "src/lib.rs", "src/main.rs"];
    const root = candidates.map((one) => joined(folder, one) ?? "").find((one) => files.has(one)) ?? null;
    crates.set((textIn(manifest, "lib", "name") ?? own).replaceAll("-", "_"), { folder, root });
  }
  return crates;
}

/**
 * The file of the repository that an item names; null for other crates, the standard library and names in
 * this file.
 */
function resolveRust(
  from: string,
  item: RustImport,
  files: ReadonlySet<string>,
  crates: RustCrates,
): string | null {
  const here = childFolder(from, files, crates);
  if (item.kind === "mod") {
    if (item.file !== null) return existing(joined(folderOf(from), ...item.within, item.file), files);
    return resolveRustModuleFile(joined(here, ...item.within, item.name), files);
  }
  const [first, ...rest] = item.path;
  switch (first) {
    case undefined:
      return null;
    case "":
      return rest[0] === undefined ? null : inCrate(rest[0], rest.slice(1), files, crates);
    case "crate": {
      const root = rootOf(from, files, crates);
      return root === null ? null : (deepest(folderOf(root), rest, files) ?? root);
    }
    case "self":
    case "super": {
      const inline = [...item.within];
      let place: { readonly folder: string; readonly file: string | null } = { folder: here, file: from };
      let path = first === "self" ? rest : item.path;
      while (path[0] === "super") {
        path = path.slice(1);
        if (inline.pop() !== undefined) continue;
        const folder = folderOf(place.folder);
        place = { folder, file: fileOfFolder(folder, files, crates) };
      }
      return deepest(joined(place.folder, ...inline), path, files) ?? place.file;
    }
    default: {
      // Since 2018 a path may begin with a module of this file, or with a crate.
      const child = deepest(joined(here, ...item.within), item.path, files);
      return child ?? inCrate(first, rest, files, crates);
    }
  }
}

const inCrate = (
  name: string,
  path: readonly string[],
  files: ReadonlySet<string>,
  crates: RustCrates,
): string | null => {
  const root = crates.get(name)?.root ?? null;
  return root === null ? null : (deepest(folderOf(root), path, files) ?? root);
};

/** The file of the longest beginning of a path; what follows are names in it. */
function deepest(folder: string | null, path: readonly string[], files: ReadonlySet<string>): string | null {
  for (let length = path.length; length > 0; length--) {
    const file = resolveRustModuleFile(joined(folder ?? "", ...path.slice(0, length)), files);
    if (file !== null) return file;
  }
  return null;
}

const existing = (path: string | null, files: ReadonlySet<string>): string | null =>
  path !== null && files.has(path) ? path : null;

const resolveRustModuleFile = (base: string | null, files: ReadonlySet<string>): string | null =>
  base === null ? null : (existing(`${base}.rs`, files) ?? existing(`${base}/mod.rs`, files));

const isRoot = (path: string, files: ReadonlySet<string>, crates: RustCrates): boolean => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const folder = folderOf(path);
  if (name === "lib.rs" || name === "main.rs" || name === "build.rs") return true;
  if ([...crates.values()].some((crate) => crate.root === path)) return true;
  // Programs, examples, tests and benchmarks are crates of one file each.
  const place = /(?:^|\/)(?:src\/bin|examples|tests|benches)$/u.exec(folder);
  return (
    place !== null &&
    foldersAround(folder).some((one) => files.has(one === "" ? "Cargo.toml" : `${one}/Cargo.toml`))
  );
};

/** The folder of a file's child modules. */
function childFolder(from: string, files: ReadonlySet<string>, crates: RustCrates): string {
  const folder = folderOf(from);
  return from.endsWith("/mod.rs") || from === "mod.rs" || isRoot(from, files, crates)
    ? folder
    : from.slice(0, -".rs".length);
}

/** The parent module's file of a folder. */
function fileOfFolder(folder: string, files: ReadonlySet<string>, crates: RustCrates): string | null {
  const around = folder === "" ? "" : `${folder}/`;
  return (
    [
      ...(folder === "" ? [] : [`${folder}.rs`]),
      `${around}mod.rs`,
      `${around}lib.rs`,
      `${around}main.rs`,
    ].find((file) => files.has(file)) ??
    [...crates.values()].find((crate) => crate.root !== null && folderOf(crate.root) === folder)?.root ??
    null
  );
}

/** The root file of the crate that a file belongs to. */
function rootOf(from: string, files: ReadonlySet<string>, crates: RustCrates): string | null {
  if (isRoot(from, files, crates)) return from;
  for (const folder of foldersAround(folderOf(from))) {
    const found = fileOfFolder(folder, files, crates);
    if (found !== null && isRoot(found, files, crates)) return found;
  }
  return null;
}

interface Context {
  readonly files: ReadonlySet<string>;
  readonly names: JavaScriptNames;
  readonly crates: RustCrates;
}

function targetsOf(path: string, own: FileImports, { files, names, crates }: Context): readonly string[] {
  switch (own.language) {
    case "JavaScript":
      return own.specifiers.flatMap((specifier) => resolveJavaScript(path, specifier, files, names) ?? []);
    case "Python":
      return own.imports.flatMap((one) => resolvePython(path, one, files));
    case "Rust":
      return own.items.flatMap((item) => resolveRust(path, item, files, crates) ?? []);
  }
}

/**
 * The files of the repository that one import names. A name imported from a package counts as the module of
 * that name if there is one. Absolute names are looked up where Python may be started: next to the file (a
 * script), around its outermost package, in the root and in `src`.
 */
function resolvePython(
  from: string,
  { level, module, names }: PythonImport,
  files: ReadonlySet<string>,
): readonly string[] {
  const steps = module === "" ? [] : module.split(".");
  if (level > 0) {
    let folder = folderOf(from);
    for (let up = 1; up < level; up++) {
      if (folder === "") return [];
      folder = folderOf(folder);
    }
    return taken(joined(folder, ...steps), names, files);
  }
  for (const root of rootsOf(from, files)) {
    const found = taken(joined(root, ...steps), names, files);
    if (found.length > 0) return found;
  }
  return [];
}

function rootsOf(from: string, files: ReadonlySet<string>): readonly string[] {
  const folder = folderOf(from);
  const outside = foldersAround(folder).find((one) => !files.has(inside(one, "__init__.py"))) ?? "";
  return [...new Set([outside, folder, "", "src"])];
}

const inside = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

function taken(base: string | null, names: readonly string[], files: ReadonlySet<string>): readonly string[] {
  if (base === null) return [];
  const module = moduleFile(base, files);
  const modules = names.flatMap((name) => {
    const own = moduleFile(inside(base, name), files);
    return own === null ? [] : [own];
  });
  // Names that are no modules come from the package itself.
  return modules.length > 0 && modules.length === names.length
    ? [...new Set(modules)]
    : [...new Set([...(module === null ? [] : [module]), ...modules])];
}

const moduleFile = (base: string, files: ReadonlySet<string>): string | null =>
  [`${base}.py`, inside(base, "__init__.py"), `${base}.pyi`].find((file) => files.has(file)) ?? null;

/** Files that import a file, sorted. */
export const importersOf = (graph: ImportGraph, file: string): readonly string[] =>
  graph.importers.get(file) ?? [];

/**
 * Files that several import: what a contract is likely to be about (HOX-9.2).
 * @param least importers that make a hub
 * @returns most importers first
 */
export const sharedHubs = (graph: ImportGraph, least = 2): readonly string[] =>
  [...graph.importers]
    .filter(([, from]) => from.length >= least)
    .toSorted(([a, fromA], [b, fromB]) => fromB.length - fromA.length || (a < b ? -1 : 1))
    .map(([file]) => file);

/**
 * Groups of files that no import connects: work on different groups does not meet (HOX-9.2).
 * @param apart files that are left out, and with them the connections through them; usually hubs that become contracts
 * @returns largest group first, files sorted
 */
export function independentGroups(
  graph: ImportGraph,
  apart: ReadonlySet<string> = new Set(),
): readonly (readonly string[])[] {
  const files = new Set([...graph.files, ...graph.importers.keys()].filter((file) => !apart.has(file)));
  const groups: (readonly string[])[] = [];
  const grouped = new Set<string>();
  for (const start of files) {
    if (grouped.has(start)) continue;
    const group: string[] = [];
    const open = [start];
    grouped.add(start);
    for (let file = open.pop(); file !== undefined; file = open.pop()) {
      group.push(file);
      for (const next of [...(graph.imports.get(file) ?? []), ...importersOf(graph, file)])
        if (files.has(next) && !grouped.has(next)) {
          grouped.add(next);
          open.push(next);
        }
    }
    groups.push(group.toSorted());
  }
  return groups.toSorted((one, other) => other.length - one.length);
}

/** One import of a Python file: `from ..a.b import c, d` is level 2, module "a.b", names c and d. */
export interface PythonImport {
  /** Dots before the name; 0 is an absolute import. */
  readonly level: number;
  /** Dotted name after the dots; may be empty: `from . import x`. */
  readonly module: string;
  /** What is taken from the module; each may be a module itself. Empty for `import a.b` and `from a import *`. */
  readonly names: readonly string[];
}

/** One item of a Rust file that names another module. */
export type RustImport =
  | {
      readonly kind: "use";
      /** Segments as written: `crate`, `self`, `super` and names; an empty first one is a leading `::`. */
      readonly path: readonly string[];
      /** Inline modules around it, outermost first. */
      readonly within: readonly string[];
    }
  | {
      readonly kind: "mod";
      readonly name: string;
      /** Of `#[path = "…"]`, else null. */
      readonly file: string | null;
      readonly within: readonly string[];
    };

/** What one source file names of others, as written: no path has been looked for yet. */
export type FileImports =
  | { readonly language: "JavaScript"; readonly specifiers: readonly string[] }
  | { readonly language: "Python"; readonly imports: readonly PythonImport[] }
  | { readonly language: "Rust"; readonly items: readonly RustImport[] };
