/** Cuts a long diff so that the rest is a valid diff. */

const hunkHead = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/u;

/**
 * Cuts a Git-format diff at the end of a file; of one file alone, in the middle of a hunk whose head then says what is
 * left of it.
 * @param diff any number of files
 * @param limit characters that may be left, about
 * @returns a diff that can be read; all of it where it is short enough
 */
export function cutDiff(diff: string, limit: number): { readonly diff: string; readonly isCut: boolean } {
  if (diff.length <= limit) return { diff, isCut: false };
  const end = diff.lastIndexOf("\n", limit) + 1;
  const kept = diff.slice(0, end);
  const lastFile = kept.lastIndexOf("\ndiff --git ");
  // A whole file is worth more than the beginning of another one.
  if (lastFile > 0) return { diff: kept.slice(0, lastFile + 1), isCut: true };
  return { diff: mendedLastHunk(kept), isCut: true };
}

/** The last hunk's head counts the lines that are there. */
function mendedLastHunk(diff: string): string {
  const start = diff.startsWith("@@ ") ? 0 : diff.lastIndexOf("\n@@ ") + 1;
  if (start === 0 && !diff.startsWith("@@ ")) return diff;
  const headEnd = diff.indexOf("\n", start);
  const [, from = "0", to = "0", words = ""] = hunkHead.exec(diff.slice(start, headEnd)) ?? [];
  const lines = diff
    .slice(headEnd + 1)
    .split("\n")
    .slice(0, -1);
  const removed = lines.filter((line) => line.startsWith("-") || line.startsWith(" ")).length;
  const added = lines.filter((line) => line.startsWith("+") || line.startsWith(" ")).length;
  // Nothing of it is left: without it the file is whole up to there.
  if (removed + added === 0) return diff.slice(0, start);
  return `${diff.slice(0, start)}@@ -${from},${removed} +${to},${added} @@${words}\n${diff.slice(headEnd + 1)}`;
}
