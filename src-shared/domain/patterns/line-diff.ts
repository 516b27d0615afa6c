/** Line by line, what changed from one short text to another. */

export interface DiffedLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** By the longest lines in common; meant for files of a few hundred lines. */
export function lineDiff(from: string, to: string): readonly DiffedLine[] {
  const [old, now] = [from.split("\n"), to.split("\n")];
  // common[i][j]: how many lines are in common from i and j on.
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(now.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const row = common[i];
      if (row) row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: DiffedLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [was, is] = [old[i], now[j]];
    if (was !== undefined && was === is) {
      lines.push({ kind: "same", text: was });
      i++;
      j++;
    } else if (was !== undefined && (is === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: "removed", text: was });
      i++;
    } else {
      lines.push({ kind: "added", text: is ?? "" });
      j++;
    }
  }
  return lines;
}
