import { nameMatcher } from "#shared/domain/files/glob.ts";
import { alwaysProtected, protectedReason, steeringFiles } from "#shared/domain/files/protected-files.ts";
import { trimEndOf } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";

export type Protection = ReturnType<typeof protection>;

/** Paths relative to a workspace, with `/`, each compared as it is: nothing in them is a pattern. */
export interface ExactPaths {
  /** Protected too, each with all below it. */
  readonly claimed?: readonly string[] | undefined;
  /** Not protected, unless they are jj's, Git's or ours. */
  readonly writable?: readonly string[] | undefined;
}

interface PathEntry {
  readonly entry: string;
  readonly isAnywhere: boolean;
  readonly parts: readonly ((name: string) => boolean)[];
}

/**
 * The configured list plus what is always protected. An entry without a slash protects a file or folder of
 * that name anywhere; with one, a path from the workspace's root, or anywhere after two stars and a slash;
 * `*` matches anything but a slash. Everything below a protected folder is protected. An exclamation mark
 * removes an entry from the list, or a name from what a wildcard matches.
 */
export function protection(files: readonly string[], { claimed = [], writable = [] }: ExactPaths = {}) {
  const claims = new Set(claimed);
  const exceptions = new Set(writable);
  const isAlways = (name: string): boolean => (alwaysProtected as readonly string[]).includes(spelling(name));

  const lifted = new Set(files.filter((file) => file.startsWith("!")).map((file) => file.slice(1)));
  const listed = [...steeringFiles, ...files].filter((file) => !file.startsWith("!") && !lifted.has(file));
  // A walk asks for every file of a repository: most entries are plain names, and those are looked up.
  const excepted = [...lifted].map(spelling);
  const names = new Map<string, string>();
  const wildcards: { readonly entry: string; readonly fits: (name: string) => boolean }[] = [];
  const paths: PathEntry[] = [];
  for (const entry of [...new Set([...alwaysProtected, ...listed])]) {
    const parts = splitPath(entry);
    const [name = ""] = parts;
    const isAnywhere = name === "**" && parts.length > 2;
    if (parts.length > 1)
      paths.push({ entry, isAnywhere, parts: parts.slice(isAnywhere ? 1 : 0).map(nameMatcher) });
    else if (name.includes("*")) wildcards.push({ entry, fits: wildcardMatcher(name) });
    else if (name !== "") names.set(name, entry);
  }

  const coversName = (name: string): string | null =>
    names.get(name) ??
    (excepted.includes(name) ? null : (wildcards.find(({ fits }) => fits(name))?.entry ?? null));

  return {
    /** The entry of the list that covers a path relative to the workspace (with `/`), or null. */
    covers(path: string): string | null {
      if (claims.size > 0) {
        const claim = pathsAbove(path).find((one) => claims.has(one));
        if (claim !== undefined) return claim;
      }
      if (exceptions.has(path) && !path.split("/").some(isAlways)) return null;
      const asked = splitPath(path);
      for (const name of asked) {
        const entry = coversName(name);
        if (entry !== null) return entry;
      }
      return paths.find((one) => isOnTheWay(one, asked))?.entry ?? null;
    },
    /** Whether this name in a workspace's root is jj's, Git's or ours. */
    isAlways,
  };
}

/** Whether an entry is a path, or a folder that it is in. */
function isOnTheWay({ parts, isAnywhere }: PathEntry, asked: readonly string[]): boolean {
  const isAt = (start: number): boolean => parts.every((part, index) => part(asked[start + index] ?? "\0"));
  return isAnywhere ? asked.some((_, start) => isAt(start)) : isAt(0);
}

/** Most names differ in their beginning or end. */
function wildcardMatcher(pattern: string): (name: string) => boolean {
  const [start = "", ...others] = pattern.split("*");
  const end = others.at(-1) ?? "";
  const fits = nameMatcher(pattern);
  return (name) => name.startsWith(start) && name.endsWith(end) && fits(name);
}

/** A path, and the folders that it is in. */
const pathsAbove = (path: string): readonly string[] => {
  const names = path.split("/");
  return names.map((_, at) => names.slice(0, at + 1).join("/"));
};

const splitPath = (path: string): readonly string[] =>
  path
    .split(/[/\\]/)
    .filter((part) => part !== "" && part !== ".")
    .map(spelling);

/** Names that have one spelling only. */
const plain = /^[a-z0-9_.-]*[a-z0-9_-]$/;

/**
 * One spelling for all names that some file system takes as the same: case, Unicode form, invisible characters
 * (HFS+ ignores them), and the trailing dots, spaces and streams that Windows drops.
 */
const spelling = (name: string): string =>
  plain.test(name)
    ? name
    : withoutEnd(
        name
          .normalize("NFKC")
          .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
          .split(":", 1)[0] ?? "",
      ).toLowerCase();

/** Windows passes over dots and spaces at the end of a name. */
const withoutEnd = (name: string): string => trimEndOf(name, ". ") || name.slice(0, 1);

/**
 * What became of the protected files that a command made or changed, one line each. Many programs leave such a file
 * without meaning to: it says nothing about what the command was run for.
 */
export const putBack = (restored: readonly string[]): readonly string[] =>
  restored.map((path) =>
    path.startsWith("… and ")
      ? `Protected, restored: ${shownLine(path.slice(2))}`
      : `Protected, restored: ${shownName(path)} (${protectedReason(path)})`,
  );
