/** The lines of an untrusted recording: unpacked, counted, and read one after the other. */
import { gunzipSync } from "node:zlib";
import { maxRecordingBytes } from "#shared/contract/commands/replay.ts";
import { ReplayRefusal } from "./recording.ts";

/** How such a file is called. */
export const recordingEnding = ".hoxrun";

/** Of the unpacked file. */
const maxRecordingSize = 256 * 1024 * 1024;
const maxLineLength = 32 * 1024 * 1024;
/** A run of fifty agents over a day has a tenth of it; a small file can hold a hundred million. */
export const maxLines = 1_000_000;
/**
 * Objects, lists and their values; an empty object takes three characters here and twenty times as much in
 * memory. A parser that exhausts memory ends the process, in whatever thread it runs, so it must not get
 * there.
 */
const maxValues = 10_000_000;

export const refused = (message: string, remedy: string): ReplayRefusal => new ReplayRefusal(message, remedy);
export const damaged = (what: string): ReplayRefusal =>
  refused(`The recording is incomplete: ${what}.`, "Export the run again and copy the complete file.");

export const tooLarge = (): ReplayRefusal =>
  refused(
    `The file is larger than a recording can be (max ${megabytes(maxRecordingBytes)}).`,
    "Check that it is the right file.",
  );

/** One line after the other: a file of line ends alone would be more texts than memory holds. */
export function* recordingLines(bytes: Uint8Array): Generator<string, undefined> {
  if (bytes.byteLength > maxRecordingBytes) throw tooLarge();
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b)
    throw refused("This is not a Hox recording.", `Choose a file from \`hox export\` (${recordingEnding}).`);
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
    if (end - from > maxLineLength) throw damaged("a line is too long");
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
      "A Hox recording is never this large. Do not open it.",
    );
}

function unpacked(bytes: Uint8Array): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxRecordingSize });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    if (code === "ERR_BUFFER_TOO_LARGE")
      throw refused(
        `This file is larger than ${megabytes(maxRecordingSize)} when unpacked.`,
        "A Hox recording is never this large. Do not open it.",
      );
    throw damaged("it can't be unpacked");
  }
}

const megabytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024).toLocaleString("en")} MB`;
