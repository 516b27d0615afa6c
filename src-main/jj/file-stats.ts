import type { FileStat } from "#shared/contract/commands/graph.ts";
import { noPrefixes, type ReadAccess, revsetLog } from "./read-access.ts";
import { readJson } from "./read-json.ts";

const list = (items: string): string => `"[" ++ ${items}.join(",") ++ "]"`;

// The list of files knows where one was before, the list of counts how much of it was changed.
const template = [
  '"["',
  list(
    'self.diff().files().map(|f| "[" ++ json(f.path()) ++ "," ++ json(f.source().path()) ++ "," ++ json(f.status()) ++ "]")',
  ),
  '","',
  list(
    'self.diff().stat().files().map(|f| "[" ++ json(f.path()) ++ "," ++ f.lines_added() ++ "," ++ f.lines_removed() ++ "," ++ f.bytes_delta() ++ "]")',
  ),
  '"]"',
].join(" ++ ");

/** Every file of a commit with how many lines and bytes it changes; one process. */
export async function fileStats(
  { jj, root, at }: Pick<ReadAccess, "jj" | "root" | "at">,
  commit: string,
  operation?: string,
): Promise<readonly FileStat[]> {
  const { stdout } = await jj.run({
    args: [...(await at(operation)), ...noPrefixes, ...revsetLog(commit), "-T", template],
    cwd: root,
  });
  if (stdout === "") return [];
  const [files, counts] = readJson(stdout) as [
    readonly (readonly [string, string, string])[],
    readonly (readonly [string, number, number, number])[],
  ];
  const byPath = new Map(counts.map((count) => [count[0], count]));
  return files.map(([path, source, kind]) => {
    const [, added = 0, removed = 0, bytes = 0] = byPath.get(path) ?? [];
    return { path, source, kind: kind as FileStat["kind"], added, removed, bytes };
  });
}
