/** Pictures without what they carry beside what they show: where and when they were taken, by whom, and with what. */
import { pictureTypeOf } from "./picture.ts";

/**
 * The same picture without places, names, times, comments and whatever follows its end. What it shows stays as it is.
 *
 * @returns null where it cannot be read as the picture that it begins as
 */
export function pictureWithoutMetadata(bytes: Uint8Array): Uint8Array | null {
  const type = pictureTypeOf(bytes);
  if (type === null) return null;
  try {
    const parts = readers[type](new Reader(bytes));
    return parts && Buffer.concat(parts);
  } catch (error) {
    if (error instanceof PictureEnds) return null;
    throw error;
  }
}

/** It says that there is more of it than there is. */
class PictureEnds extends Error {
  override readonly name = "PictureEnds";
}

/** Goes through bytes from their beginning. */
class Reader {
  readonly #bytes: Buffer;
  at = 0;
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  take(count: number): Buffer {
    const end = this.at + count;
    if (count < 0 || end > this.#bytes.length) throw new PictureEnds();
    const taken = this.#bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }
  byte(): number {
    return this.take(1).readUInt8();
  }
}

type Parts = readonly Uint8Array[] | null;

const readers = {
  "image/png": pngParts,
  "image/jpeg": jpegParts,
  "image/gif": gifParts,
  "image/webp": webpParts,
} as const;

/** Chunks of texts, of what a camera said, and of when it was changed. */
const toldByPng = new Set(["tEXt", "zTXt", "iTXt", "eXIf", "tIME"]);

function pngParts(reader: Reader): Parts {
  const kept = [reader.take(8)];
  for (;;) {
    const head = reader.take(8);
    const rest = reader.take(head.readUInt32BE() + 4);
    const type = head.toString("latin1", 4);
    if (!toldByPng.has(type)) kept.push(head, rest);
    if (type === "IEND") return kept;
  }
}

/** Application segments that colours are made of: JFIF, a profile, Adobe's. */
const colourSegments = new Set([0xe0, 0xe2, 0xee]);
const isToldByJpeg = (marker: number): boolean =>
  marker === 0xfe || (marker >= 0xe0 && marker <= 0xef && !colourSegments.has(marker));
/** Where lines begin anew within what is drawn, and an ff of what is drawn itself. */
const isDrawn = (marker: number): boolean => marker === 0 || (marker >= 0xd0 && marker <= 0xd7);
const [endOfPicture, startOfScan] = [0xd9, 0xda];

function jpegParts(reader: Reader): Parts {
  const kept: Uint8Array[] = [reader.take(2)];
  for (;;) {
    if (reader.byte() !== 0xff) return null;
    let marker = reader.byte();
    while (marker === 0xff) marker = reader.byte();
    const head = Uint8Array.of(0xff, marker);
    if (marker === endOfPicture) return [...kept, head];
    const length = reader.take(2);
    const told = reader.take(length.readUInt16BE() - 2);
    if (!isToldByJpeg(marker)) kept.push(head, length, told);
    if (marker === startOfScan) kept.push(drawnLines(reader));
  }
}

/** All up to the next marker that is none of its own. */
function drawnLines(reader: Reader): Uint8Array {
  const from = reader.at;
  for (;;) {
    if (reader.byte() !== 0xff) continue;
    const marker = reader.byte();
    if (isDrawn(marker)) continue;
    const end = reader.at - 2;
    reader.at = from;
    return reader.take(end - from);
  }
}

const [gifExtension, gifImage, gifEnd] = [0x21, 0x2c, 0x3b];
const [gifComment, gifApplication] = [0xfe, 0xff];
/** How large a table of colours is that a byte of flags announces. */
const tableBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

function gifParts(reader: Reader): Parts {
  const screen = reader.take(13);
  const kept: Uint8Array[] = [screen, reader.take(tableBytes(screen.readUInt8(10)))];
  for (;;) {
    const kind = reader.byte();
    if (kind === gifEnd) return [...kept, Uint8Array.of(gifEnd)];
    if (kind === gifImage) {
      const place = reader.take(9);
      const table = reader.take(tableBytes(place.readUInt8(8)));
      kept.push(Uint8Array.of(kind), place, table, reader.take(1), ...gifBlocks(reader));
    } else if (kind === gifExtension) {
      const label = reader.byte();
      const blocks = gifBlocks(reader);
      // The one that says how often it goes round is no secret.
      const isLoop = blocks[0]?.toString("latin1", 1) === "NETSCAPE2.0";
      if (label !== gifComment && (label !== gifApplication || isLoop))
        kept.push(Uint8Array.of(kind, label), ...blocks);
    } else return null;
  }
}

/** Each with its length before it, up to the empty one. */
function gifBlocks(reader: Reader): readonly Buffer[] {
  const blocks: Buffer[] = [];
  for (;;) {
    const length = reader.byte();
    reader.at -= 1;
    blocks.push(reader.take(length + 1));
    if (length === 0) return blocks;
  }
}

const toldByWebp = new Set(["EXIF", "XMP "]);
/** Bits of a header that say that there are such chunks. */
const webpFlags = 0x08 | 0x04;

function webpParts(reader: Reader): Parts {
  const head = Buffer.from(reader.take(12));
  const end = head.readUInt32LE(4) + 8;
  const kept: Uint8Array[] = [];
  while (reader.at + 8 <= end) {
    const chunk = reader.take(8);
    const bytes = chunk.readUInt32LE(4);
    const content = Buffer.from(reader.take(bytes + (bytes % 2)));
    const type = chunk.toString("latin1", 0, 4);
    if (type === "VP8X") content.writeUInt8(content.readUInt8() & ~webpFlags);
    if (!toldByWebp.has(type)) kept.push(chunk, content);
  }
  head.writeUInt32LE(4 + kept.reduce((sum, { length }) => sum + length, 0), 4);
  return [head, ...kept];
}
