/** One file of a git-format diff. */
export interface DiffFile {
  readonly path: string;
  /** Where its header begins in the diff, in characters. */
  readonly at: number;
  readonly removed: number;
  /** Lines that it gained, with their numbers in the new version, from 1. */
  readonly added: readonly { readonly line: number; readonly text: string }[];
}

/**
 * The files of a git-format diff, in its order. A name with control characters must be quoted as git quotes it, or it
 * could pass for lines of the diff; `Repository.diff` sees to that.
 *
 * @param diff of any length; may be cut anywhere
 */
export function filesOfDiff(diff: string): readonly DiffFile[] {
  const files: { path: string; at: number; removed: number; added: { line: number; text: string }[] }[] = [];
  // How much of the hunk is left, old and new: a line of the file may look like a header.
  let [old, now, line] = [0, 0, 0];
  let at = 0;
  for (const text of diff.split("\n")) {
    const file = files.at(-1);
    if (file && (old > 0 || now > 0)) {
      if (text.startsWith("+")) {
        file.added.push({ line, text: text.slice(1) });
        line += 1;
        now -= 1;
      } else if (text.startsWith("-")) {
        file.removed += 1;
        old -= 1;
      } else if (!text.startsWith("\\")) {
        line += 1;
        old -= 1;
        now -= 1;
      }
    } else {
      const hunk = /^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u.exec(text);
      const renamed = /^(?:rename|copy) to (.+)$/u.exec(text)?.[1];
      if (text.startsWith("diff --git "))
        files.push({ path: pathOf(text.slice("diff --git ".length)), at, removed: 0, added: [] });
      else if (hunk) [old, line, now] = [Number(hunk[1] ?? 1), Number(hunk[2]), Number(hunk[3] ?? 1)];
      else if (file && renamed !== undefined) file.path = unquoted(renamed);
    }
    at += text.length + 1;
  }
  return files;
}

/** The new name of `a/<old> b/<new>`. Without quotation marks only one that stayed the same can be told from its middle. */
function pathOf(names: string): string {
  const quotedName = /(?:^| )("b\/(?:[^"\\]|\\.)*")$/u.exec(names)?.[1];
  if (quotedName !== undefined) return unquoted(quotedName).slice(2);
  const half = (names.length - 1) / 2;
  if (names[half] === " " && names.slice(2, half) === names.slice(half + 3)) return names.slice(half + 3);
  return / b\/(.*)$/u.exec(names)?.[1] ?? names;
}

const escapes: Readonly<Record<string, string>> = {
  "\x07": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\v": "v",
  "\f": "f",
  "\r": "r",
  '"': '"',
  "\\": "\\",
};
const meanings = new Map(Object.entries(escapes).map(([sign, letter]) => [letter, sign]));

/** Whether git would quote a name: it holds a sign that could end or overwrite its line. */
export const isQuotedByGit = (name: string): boolean => /\p{Cc}/u.test(name);

/**
 * A name as git writes it in the headers of a diff.
 *
 * @param name with its `a/` or `b/`
 */
export const quotedByGit = (name: string): string =>
  isQuotedByGit(name)
    ? `"${name.replaceAll(/[\p{Cc}"\\]/gu, (sign) => `\\${escapes[sign] ?? sign.charCodeAt(0).toString(8).padStart(3, "0")}`)}"`
    : name;

const unquoted = (name: string): string =>
  /^".*"$/su.test(name)
    ? name
        .slice(1, -1)
        .replaceAll(/\\([0-7]{3}|.)/gu, (_, sign: string) =>
          /^[0-7]{3}$/u.test(sign)
            ? String.fromCharCode(Number.parseInt(sign, 8))
            : (meanings.get(sign) ?? sign),
        )
    : name;
