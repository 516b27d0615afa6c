import type { PythonImport } from "./file-imports.ts";
import { folderOf, foldersAround, joined } from "./paths.ts";

/**
 * The files of the repository that one import names. A name that is taken from a package counts as the module of that
 * name where there is one. Absolute names are looked for where Python would be started: beside the file (a script),
 * around its outermost package, in the root and in `src`.
 */
export function resolvePython(
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
