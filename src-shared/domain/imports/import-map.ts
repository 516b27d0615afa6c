import { shownName } from "../text/shown-text.ts";
import { type ImportGraph, importersOf, independentGroups, languageOf, sharedHubs } from "./import-graph.ts";

/** How much of a repository a graph was read from. */
export interface Coverage {
  /** Source files of the languages that imports are read of. */
  readonly sources: number;
  /** Those that were not read: too many, too large, or out of time. */
  readonly skipped: number;
}

const shownImporters = 4;
const shownFiles = 6;

/**
 * The import graph in a few lines for who plans: hubs first, then groups that no import connects (HOX-9.2).
 *
 * @param limit characters that the lines may have together
 * @returns no lines when nothing was read; else an honest head line, and as much as fits
 */
export function importMapLines(graph: ImportGraph, coverage: Coverage, limit = 4_000): readonly string[] {
  if (graph.files.length === 0) return [];
  const hubs = sharedHubs(graph);
  const groups = independentGroups(graph, new Set(hubs));
  const several = groups.filter((group) => group.length > 1);
  const alone = groups.length - several.length;
  const lines = [
    `Read from ${coverage.sources - coverage.skipped} of ${coverage.sources} source files (${languages(graph)}) of the commit that the run builds on. Imports by computed names are not seen.`,
  ];
  const written = (): number => lines.reduce((length, line) => length + line.length + 1, 0);
  const list = (title: string, entries: readonly string[], room: number): void => {
    if (entries.length === 0) return;
    const fitting: string[] = [];
    let left = room - written() - title.length - 40;
    for (const entry of entries) {
      if (entry.length + 1 > left) break;
      left -= entry.length + 1;
      fitting.push(entry);
    }
    if (fitting.length === 0) return;
    const more = entries.length - fitting.length;
    lines.push("", title, ...fitting, ...(more > 0 ? [`- and ${more} more`] : []));
  };
  list(
    "Imported by several files, so shared between their tasks; most importers first:",
    hubs.map((hub) => {
      const from = importersOf(graph, hub);
      return `- ${quoted(hub)} by ${from.length}: ${some(from, shownImporters)}`;
    }),
    // The second list shows what can be done in parallel, and must not lose its space to a long first one.
    limit * 0.65,
  );
  list(
    "Groups that no import connects, apart from those shared files:",
    [
      ...several.map((group) => `- ${group.length} files: ${some(group, shownFiles)}`),
      ...(alone > 0
        ? [`- ${alone} ${alone === 1 ? "file" : "files"} on ${alone === 1 ? "its" : "their"} own`]
        : []),
    ],
    limit,
  );
  return lines;
}

function languages(graph: ImportGraph): string {
  const counts = new Map<string, number>();
  for (const file of graph.files) {
    const language = languageOf(file) ?? "other";
    counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(
      ([language, count]) => `${language === "JavaScript" ? "JavaScript and TypeScript" : language} ${count}`,
    )
    .join(", ");
}

const some = (files: readonly string[], shown: number): string =>
  [
    ...files.slice(0, shown).map(quoted),
    ...(files.length > shown ? [`${files.length - shown} more`] : []),
  ].join(", ");

/** Names of files come from the repository; none may break out of its line. */
const quoted = (path: string): string => `\`${shownName(path)}\``;
