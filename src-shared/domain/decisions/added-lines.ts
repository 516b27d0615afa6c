/** A line that a change adds, as a git-format diff tells it. */
export interface AddedLine {
  readonly path: string;
  /** 1-based, in the new version of the file. */
  readonly line: number;
  readonly text: string;
}

/** The lines that a git-format diff adds, file by file in its order. */
export function addedLines(diff: string): readonly AddedLine[] {
  const added: AddedLine[] = [];
  let path: string | null = null;
  let line = 0;
  // How much of the hunk is left, old and new: a line of the file may look like a header.
  let [old, now] = [0, 0];
  for (const text of diff.split("\n")) {
    if (old > 0 || now > 0) {
      if (text.startsWith("+")) {
        if (path !== null) added.push({ path, line, text: text.slice(1) });
        line += 1;
        now -= 1;
      } else if (text.startsWith("-")) old -= 1;
      else if (!text.startsWith("\\")) {
        line += 1;
        old -= 1;
        now -= 1;
      }
      continue;
    }
    const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u.exec(text);
    if (hunk) {
      [old, line, now] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)];
      continue;
    }
    const file = /^\+\+\+ (?:"?b\/(.*?)"?|\/dev\/null)$/u.exec(text);
    if (file) path = file[1] ?? null;
  }
  return added;
}
