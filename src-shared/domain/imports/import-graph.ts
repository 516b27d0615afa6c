import type { FileImports } from "./file-imports.ts";
import { type JavaScriptNames, javaScriptNames, resolveJavaScript } from "./resolve-javascript.ts";
import { resolvePython } from "./resolve-python.ts";
import { type RustCrates, resolveRust, rustCrates } from "./resolve-rust.ts";

export type Language = FileImports["language"];

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
