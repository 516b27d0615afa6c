/** Lines added and removed per file of a git-format diff. */
export function statOf(
  diff: string,
): readonly { readonly path: string; readonly added: number; readonly removed: number }[] {
  const files: { path: string; added: number; removed: number }[] = [];
  let inHunk = false;
  for (const line of diff.split("\n")) {
    const header = /^diff --git (?:"?a\/.*"?) "?b\/(.*?)"?$/u.exec(line);
    if (header?.[1] !== undefined) {
      files.push({ path: header[1], added: 0, removed: 0 });
      inHunk = false;
      continue;
    }
    if (line.startsWith("@@")) inHunk = true;
    const file = files.at(-1);
    if (!inHunk || !file) continue;
    if (line.startsWith("+")) file.added += 1;
    else if (line.startsWith("-")) file.removed += 1;
  }
  return files;
}
