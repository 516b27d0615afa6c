import type { FileStat } from "#shared/contract/commands/graph.ts";

/**
 * The parts of a diff by the files that they are of. Names in a diff may be quoted or stand for nothing, so its order
 * tells: it is that of the files.
 * @param diff files from the first one on
 * @param isCut files are missing at its end; where there is one alone, it was cut in its middle
 */
export function diffsByFile(
  diff: string,
  files: readonly FileStat[],
  isCut: boolean,
): ReadonlyMap<string, string> {
  const parts = diff.split(/^(?=diff --git )/mu).filter((part) => part.startsWith("diff --git "));
  return new Map(
    (isCut && parts.length === 1) || parts.length > files.length
      ? []
      : parts.flatMap((part, at): (readonly [string, string])[] => {
          const file = files[at];
          return file && isOf(part, file) ? [[file.path, part]] : [];
        }),
  );
}

/** An ordinary name is held against what the diff says. */
const isOf = (part: string, { path }: FileStat): boolean => {
  const head = part.slice(0, part.indexOf("\n"));
  return head.includes('"') || head.endsWith(` b/${path}`);
};
