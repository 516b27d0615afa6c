/** The files around the folder that a package is added in. */
export interface Place {
  readonly paths: readonly string[];
  readonly has: (path: string) => boolean;
  /** A file in the folder itself. */
  readonly here: (file: string) => string;
  /** The nearest of these files, in the folder or above; where there is none, the first name in the folder. */
  readonly nearest: (...names: readonly string[]) => string;
}

/** What is found from a folder of a commit with these paths. */
export function installPlace(folder: string, paths: readonly string[]): Place {
  const has = (path: string): boolean => paths.includes(path);
  const here = (file: string): string => (folder === "" ? file : `${folder}/${file}`);
  return {
    paths,
    has,
    here,
    nearest: (...names) =>
      above(folder).flatMap((place) =>
        names.map((file) => (place === "" ? file : `${place}/${file}`)).filter(has),
      )[0] ?? here(names[0] ?? ""),
  };
}

/** A folder and those above it, the nearest first. */
export function above(folder: string): readonly string[] {
  const parts = folder === "" ? [] : folder.split("/");
  return [...parts.map((_, index) => parts.slice(0, parts.length - index).join("/")), ""];
}
