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

/**
 * Files that match typed text: names that begin with it, then names that contain it, then paths that do, then
 * those with its letters in order.
 *
 * @param files paths from the repository's root
 * @param most limit of the result
 */
export function matchingFiles(files: readonly string[], typed: string, most: number): readonly string[] {
  const wanted = typed.toLowerCase();
  const found = files.flatMap((path) => {
    const place = placeOf(path.toLowerCase(), wanted);
    return place === null ? [] : [{ path, place }];
  });
  return found
    .sort(
      (one, other) =>
        one.place - other.place || one.path.length - other.path.length || (one.path < other.path ? -1 : 1),
    )
    .slice(0, most)
    .map(({ path }) => path);
}

function placeOf(path: string, wanted: string): number | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.startsWith(wanted)) return 0;
  if (name.includes(wanted)) return 1;
  if (path.includes(wanted)) return 2;
  let at = 0;
  for (const letter of path) if (letter === wanted[at]) at += letter.length;
  return at >= wanted.length ? 3 : null;
}
