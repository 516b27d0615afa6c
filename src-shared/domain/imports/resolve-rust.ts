import { tomlHeader } from "../text/toml-lines.ts";
import type { RustImport } from "./file-imports.ts";
import { folderOf, foldersAround, joined } from "./paths.ts";

/** Crates of the repository by the name that code uses (dashes are underscores): folder and root file. */
export type RustCrates = ReadonlyMap<string, { readonly folder: string; readonly root: string | null }>;

/** @param manifests texts of `Cargo.toml` files by path */
export function rustCrates(manifests: ReadonlyMap<string, string>, files: ReadonlySet<string>): RustCrates {
  const crates = new Map<string, { folder: string; root: string | null }>();
  for (const [path, text] of manifests) {
    const folder = folderOf(path);
    const own = valueIn(text, "package", "name");
    if (own === null) continue;
    const named = valueIn(text, "lib", "path");
    const candidates = [...(named === null ? [] : [named]), "src/lib.rs", "src/main.rs"];
    const root = candidates.map((one) => joined(folder, one) ?? "").find((one) => files.has(one)) ?? null;
    crates.set((valueIn(text, "lib", "name") ?? own).replaceAll("-", "_"), { folder, root });
  }
  return crates;
}

/** A text value of one table, in the plain form that Cargo writes. */
function valueIn(text: string, table: string, key: string): string | null {
  let here = false;
  for (const line of text.split("\n")) {
    const header = tomlHeader(line);
    if (header) here = header.name === table;
    const value = here ? new RegExp(`^\\s*${key}\\s*=\\s*["']([^"']+)["']`, "u").exec(line) : null;
    if (value?.[1] !== undefined) return value[1];
  }
  return null;
}

/** The file of the repository that an item names; null for other crates, the standard library and names in this very file. */
export function resolveRust(
  from: string,
  item: RustImport,
  files: ReadonlySet<string>,
  crates: RustCrates,
): string | null {
  const here = childFolder(from, files, crates);
  if (item.kind === "mod") {
    if (item.file !== null) return existing(joined(folderOf(from), ...item.within, item.file), files);
    return moduleFile(joined(here, ...item.within, item.name), files);
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
    const file = moduleFile(joined(folder ?? "", ...path.slice(0, length)), files);
    if (file !== null) return file;
  }
  return null;
}

const existing = (path: string | null, files: ReadonlySet<string>): string | null =>
  path !== null && files.has(path) ? path : null;

const moduleFile = (base: string | null, files: ReadonlySet<string>): string | null =>
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

/** Where the child modules of a file stand. */
function childFolder(from: string, files: ReadonlySet<string>, crates: RustCrates): string {
  const folder = folderOf(from);
  return from.endsWith("/mod.rs") || from === "mod.rs" || isRoot(from, files, crates)
    ? folder
    : from.slice(0, -".rs".length);
}

/** The file whose children stand in a folder. */
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
