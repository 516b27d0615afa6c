/** Files and pictures that the user attaches to a run's goal. */

/** What a model can be shown of one. */
type AttachmentKind = "text" | "picture";

/** An attachment without its content. */
export interface AttachmentLabel {
  readonly name: string;
  readonly kind: AttachmentKind;
  readonly bytes: number;
}

export const attachmentLimits = {
  files: 10,
  textBytes: 300_000,
  pictureBytes: 3_750_000,
  allBytes: 5_000_000,
};

const kilobytes = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1_000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;

/** `notes.md (3 kB)`. */
export const formatAttachment = ({ name, bytes }: AttachmentLabel): string => `${name} (${kilobytes(bytes)})`;

/**
 * Why these cannot be attached; null if they can. Names must be unique.
 *
 * @param attached all of them, in order
 */
export function attachmentProblem(attached: readonly AttachmentLabel[]): string | null {
  const { files, textBytes, pictureBytes, allBytes } = attachmentLimits;
  if (attached.length > files) return `At most ${files} files can be attached.`;
  const names = attached.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `${twice} is attached twice. Rename one of them.`;
  for (const { name, kind, bytes } of attached) {
    const most = kind === "picture" ? pictureBytes : textBytes;
    if (bytes > most)
      return `${name} has ${kilobytes(bytes)}; ${kind === "picture" ? "a picture" : "a text"} may have ${kilobytes(most)}.`;
  }
  const all = attached.reduce((sum, { bytes }) => sum + bytes, 0);
  return all > allBytes
    ? `All files together have ${kilobytes(all)}; ${kilobytes(allBytes)} are the limit.`
    : null;
}
