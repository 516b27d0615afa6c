/** The lines of a recording's file, which may be anybody's: unpacked, counted, and read one after the other. */
import { gunzipSync } from "node:zlib";
import { mostRecordingBytes } from "#shared/contract/commands/replay.ts";
import { ReplayRefusal } from "./recording.ts";

/** How such a file is called. */
export const recordingEnding = ".hoxrun";

/** Of what comes out of the file. */
const mostBytes = 256 * 1024 * 1024;
const longestLine = 32 * 1024 * 1024;
/** A run of fifty agents over a day has a tenth of it; a small file can hold a hundred million. */
export const maxLines = 1_000_000;
/**
 * Objects, lists and what is in them; an empty object takes three signs here and twenty times as much in memory. A parser that
 * comes to the end of it ends the process, in whatever thread it runs, so it must not come there.
 */
const maxValues = 10_000_000;

export const refused = (message: string, remedy: string): ReplayRefusal => new ReplayRefusal(message, remedy);
export const damaged = (what: string): ReplayRefusal =>
  refused(`This is no whole recording: ${what}.`, "Export the run again, and copy the file whole.");

export const tooLarge = (): ReplayRefusal =>
  refused(`A recording has ${megabytes(mostRecordingBytes)} at most.`, "Is it the right file?");

/** One line after the other: a file of line ends alone would be more texts than memory holds. */
export function* recordingLines(bytes: Uint8Array): Generator<string, undefined> {
  if (bytes.byteLength > mostRecordingBytes) throw tooLarge();
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b)
    throw refused(
      "This is no recording of Hox.",
      `Name a file that \`hox export\` wrote (${recordingEnding}).`,
    );
  const content = unpacked(bytes);
  refuseTooMany(content, [lineEnd], maxLines, "lines");
  refuseTooMany(
    content,
    [...",[{"].map((sign) => sign.charCodeAt(0)),
    maxValues,
    "values",
  );
  let from = 0;
  while (from < content.length) {
    const end = content.indexOf(lineEnd, from);
    if (end < 0) throw damaged("its last line is cut off");
    if (end - from > longestLine) throw damaged("a line of it is too long");
    yield content.toString("utf8", from, end);
    from = end + 1;
  }
}

const lineEnd = 0x0a;

function refuseTooMany(content: Buffer, signs: readonly number[], max: number, what: string): void {
  const isCounted = new Uint8Array(256);
  for (const sign of signs) isCounted[sign] = 1;
  let count = 0;
  for (let at = 0; at < content.length; at++) count += isCounted[content[at] ?? 0] ?? 0;
  if (count > max)
    throw refused(
      `This file has more than ${max.toLocaleString("en")} ${what}.`,
      "No recording does; do not open it.",
    );
}

function unpacked(bytes: Uint8Array): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: mostBytes });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ERR_BUFFER_TOO_LARGE")
      throw refused(
        `This file becomes larger than ${megabytes(mostBytes)} when it is unpacked.`,
        "No recording does; do not open it.",
      );
    throw damaged("it cannot be unpacked");
  }
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024).toLocaleString("en")} MB`;
