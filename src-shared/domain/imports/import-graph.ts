import { javaScriptImports } from "./javascript-imports.ts";
import { pythonImports } from "./python-imports.ts";
import { type JavaScriptNames, javaScriptNames, resolveJavaScript } from "./resolve-javascript.ts";
import { resolvePython } from "./resolve-python.ts";
import { type RustCrates, resolveRust, rustCrates } from "./resolve-rust.ts";
import { rustImports } from "./rust-imports.ts";

export type Language = "JavaScript" | "Python" | "Rust";

/** Which files of a repository import which. Names from outside (packages, standard libraries) are not in it. */
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
 * Reads all imports and resolves them to files of the repository (HOX-9.2).
 *
 * @param files all paths of the repository: what an import may lead to
 * @param texts of source files and manifests by path; what is missing here is taken to import nothing
 */
export function buildImportGraph(files: readonly string[], texts: ReadonlyMap<string, string>): ImportGraph {
  const steps = importGraphSteps(files, texts);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The same in steps of one file, for who must not keep others waiting. */
export function* importGraphSteps(
  files: readonly string[],
  texts: ReadonlyMap<string, string>,
): Generator<undefined, ImportGraph> {
  const known = new Set(files);
  const manifests = new Map([...texts].filter(([path]) => isManifest(path)));
  const context: Context = {
    files: known,
    names: javaScriptNames(manifests),
    crates: rustCrates(new Map([...manifests].filter(([path]) => path.endsWith("Cargo.toml"))), known),
  };
  const read = [...texts.keys()].filter((path) => languageOf(path) !== null).toSorted();
  const imports = new Map<string, readonly string[]>();
  const importers = new Map<string, string[]>();
  for (const path of read) {
    const targets = [...new Set(importsOf(path, texts.get(path) ?? "", context))]
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
  return { files: read, imports, importers };
}

interface Context {
  readonly files: ReadonlySet<string>;
  readonly names: JavaScriptNames;
  readonly crates: RustCrates;
}

function importsOf(path: string, text: string, { files, names, crates }: Context): readonly string[] {
  switch (languageOf(path)) {
    case "JavaScript":
      return javaScriptImports(text).flatMap(
        (specifier) => resolveJavaScript(path, specifier, files, names) ?? [],
      );
    case "Python":
      return pythonImports(text).flatMap((one) => resolvePython(path, one, files));
    case "Rust":
      return rustImports(text).flatMap((item) => resolveRust(path, item, files, crates) ?? []);
    case null:
      return [];
  }
}

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
