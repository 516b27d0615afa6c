import { alwaysProtected, steeringFiles } from "#shared/domain/protected-files.ts";

export interface Protection {
  /** The entry of the list that covers a path relative to the workspace (with `/`), or null. */
  covers(path: string): string | null;
  /** Whether a folder entry of this name is protected wherever it stands. */
  coversName(name: string): boolean;
}

/**
 * The list of a configuration, with what is protected beside it.
 * An entry without a slash protects a file or folder of that name anywhere; with one, a path from the workspace's
 * root; `*` stands for anything but a slash. Everything below a protected folder is protected.
 */
export function protection(files: readonly string[]): Protection {
  const lifted = new Set(files.filter((file) => file.startsWith("!")).map((file) => file.slice(1)));
  const listed = [...steeringFiles, ...files].filter((file) => !file.startsWith("!") && !lifted.has(file));
  const entries = [...new Set([...alwaysProtected, ...listed])].map((entry) => {
    const parts = splitPath(entry);
    return { entry, anywhere: parts.length === 1, parts: parts.map(wildcard) };
  });
  const matchesAt = (parts: readonly RegExp[], path: readonly string[], from: number): boolean =>
    parts.every((part, index) => part.test(path[from + index] ?? "\0"));

  return {
    covers(path) {
      const names = splitPath(path);
      const found = entries.find(({ anywhere, parts }) =>
        anywhere ? names.some((_, from) => matchesAt(parts, names, from)) : matchesAt(parts, names, 0),
      );
      return found?.entry ?? null;
    },
    coversName(name) {
      return entries.some(({ anywhere, parts }) => anywhere && matchesAt(parts, [spelling(name)], 0));
    },
  };
}

const splitPath = (path: string): readonly string[] =>
  path
    .split(/[/\\]/)
    .filter((part) => part !== "" && part !== ".")
    .map(spelling);

/**
 * One spelling for all names that some file system takes as the same: case, Unicode form, invisible characters
 * (HFS+ ignores them), and the trailing dots, spaces and streams that Windows drops.
 */
const spelling = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/:.*$/, "")
    .replace(/(?<=.)[. ]+$/, "")
    .toLowerCase();

const wildcard = (part: string): RegExp =>
  new RegExp(`^${part.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*")}$`, "su");
