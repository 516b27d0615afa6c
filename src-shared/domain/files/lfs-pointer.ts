import { shownName } from "../text/shown-text.ts";

/** A Git LFS pointer: which content a file has, and its length in bytes. */
interface LfsPointer {
  /** SHA-256 of the content, in hex. */
  readonly oid: string;
  readonly size: number;
}

/** Longer files are content, whatever they begin with. Bytes. */
export const maxLfsPointerBytes = 1024;

/** The text of a pointer, to the byte as git-lfs writes it: the same content is the same file. */
export const lfsPointerText = ({ oid, size }: LfsPointer): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`;

const first = /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/[^\n]+\n/u;

/** Reads a pointer, also one with extensions or of an older kind. @returns null where the text is none */
export function readLfsPointer(text: string): LfsPointer | null {
  if (text.length > maxLfsPointerBytes || !first.test(text)) return null;
  const oid = /^oid sha256:([0-9a-f]{64})$/mu.exec(text)?.[1];
  const size = /^size (\d+)$/mu.exec(text)?.[1];
  return oid === undefined || size === undefined ? null : { oid, size: Number(size) };
}

/** Maximum of files that are listed. */
const named = 5;

/** Names a few of some files, for a sentence. */
export const fewFiles = (paths: readonly string[]): string =>
  paths.slice(0, named).map(shownName).join(", ") + (paths.length > named ? " …" : "");

/**
 * A notice before a run if files of its base commit are stored in Git LFS.
 * @returns null if there are none
 */
export function lfsNotice(
  paths: readonly string[],
): { readonly text: string; readonly remedy: string } | null {
  if (paths.length === 0) return null;
  const isOne = paths.length === 1;
  return {
    text: `${isOne ? "1 file is" : `${paths.length} files are`} stored in Git LFS (${fewFiles(paths)}). Agents and checks see ${isOne ? "its pointer" : "their pointers"} instead of the content, because jj runs no filters. Your own folder keeps the content.`,
    remedy:
      "Leave out checks that read such a file (fast_checks and slow_checks in .hox/config.toml). If an agent replaces such a file, Hox lands a pointer and stores the content in .git/lfs; `git push` uploads it.",
  };
}
