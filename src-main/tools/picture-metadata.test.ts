import { crc32, deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { pictureWithoutMetadata } from "./picture-metadata.ts";

const secret = "Gitta, 52.5 N 13.4 E";
const text = (words: string): Buffer => Buffer.from(words, "latin1");
const joined = (...parts: readonly (Uint8Array | string)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? text(part) : part)));
const number = (value: number, bytes: 1 | 2 | 4, isLittle = false): Buffer => {
  const made = Buffer.alloc(bytes);
  if (isLittle) made.writeUIntLE(value, 0, bytes);
  else made.writeUIntBE(value, 0, bytes);
  return made;
};

const pngChunk = (type: string, content: Uint8Array | string): Buffer => {
  const data = joined(type, content);
  return joined(number(data.length - 4, 4), data, number(crc32(data), 4));
};
const png = (...more: readonly Buffer[]): Buffer =>
  joined(
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    pngChunk("IHDR", Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0)),
    ...more,
    pngChunk("IDAT", deflateSync(Uint8Array.of(0, 255))),
    pngChunk("IEND", ""),
  );

const segment = (marker: number, content: Uint8Array | string): Buffer => {
  const data = joined(content);
  return joined(Uint8Array.of(0xff, marker), number(data.length + 2, 2), data);
};
/** With two scans, an ff that is drawn, and the start of a new line between. */
const jpeg = (...more: readonly Buffer[]): Buffer =>
  joined(
    Uint8Array.of(0xff, 0xd8),
    segment(0xe0, "JFIF\0"),
    ...more,
    segment(0xda, "scan"),
    Uint8Array.of(1, 0xff, 0x00, 2, 0xff, 0xd3, 3),
    segment(0xc4, Uint8Array.of(0xff, 0xd9)),
    segment(0xda, "scan"),
    Uint8Array.of(4, 5, 0xff, 0xd9),
  );

const block = (content: string): Buffer => joined(number(content.length, 1), content);
const gif = (...more: readonly Buffer[]): Buffer =>
  joined(
    "GIF89a",
    Uint8Array.of(1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255),
    joined(Uint8Array.of(0x21, 0xff), block("NETSCAPE2.0"), block("\u0001\0\0"), Uint8Array.of(0)),
    ...more,
    Uint8Array.of(0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3b),
  );

const riffChunk = (type: string, content: Uint8Array | string): Buffer => {
  const data = joined(content);
  return joined(type, number(data.length, 4, true), data, Buffer.alloc(data.length % 2));
};
const webp = (flags: number, ...more: readonly Buffer[]): Buffer => {
  const chunks = joined(
    riffChunk("VP8X", Uint8Array.of(flags, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
    riffChunk("VP8 ", "odd"),
    ...more,
  );
  return joined("RIFF", number(chunks.length + 4, 4, true), "WEBP", chunks);
};

const pictures: readonly (readonly [type: string, carries: Buffer, shows: Buffer])[] = [
  ["PNG", png(pngChunk("tEXt", secret), pngChunk("eXIf", secret), pngChunk("iTXt", secret)), png()],
  ["JPEG", jpeg(segment(0xe1, secret), segment(0xfe, secret), segment(0xed, secret)), jpeg()],
  [
    "GIF",
    gif(
      joined(Uint8Array.of(0x21, 0xfe), block(secret), Uint8Array.of(0)),
      joined(Uint8Array.of(0x21, 0xff), block("XMP DataXMP"), block(secret), Uint8Array.of(0)),
    ),
    gif(),
  ],
  ["WebP", webp(0x0c, riffChunk("EXIF", secret), riffChunk("XMP ", `${secret}!`)), webp(0)],
];

it.each(pictures)("shows the same and tells nothing: %s", (_, carries, shows) => {
  expect(carries.includes(secret)).toBe(true);
  expect(Buffer.from(pictureWithoutMetadata(carries) ?? [])).toEqual(shows);
  expect(Buffer.from(pictureWithoutMetadata(joined(carries, secret)) ?? [])).toEqual(shows);
  expect(Buffer.from(pictureWithoutMetadata(shows) ?? [])).toEqual(shows);
});

it.each(pictures)("is nothing where it was cut: %s", (_, whole) => {
  for (let length = 0; length < whole.length; length += 3)
    expect(pictureWithoutMetadata(whole.subarray(0, length)), `at ${length}`).toBeNull();
});

it("is nothing where it is no picture, or a part of it has less than no length", () => {
  expect(pictureWithoutMetadata(joined(Uint8Array.of(0xff, 0xd8, 0xff, 0xe1, 0, 0), secret))).toBeNull();
  expect(pictureWithoutMetadata(text(secret))).toBeNull();
});
