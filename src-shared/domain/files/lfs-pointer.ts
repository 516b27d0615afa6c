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
