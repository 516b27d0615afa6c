import type { Picture } from "./tool-interface.ts";

/** What the provider takes, 5 MB, as base64. */
export const maxPictureBytes = 3_750_000;

/** Whether a file's name says that it is a picture that models can look at. */
export const looksLikePicture = (name: string): boolean => /\.(png|jpe?g|gif|webp)$/iu.test(name);

/** By its first bytes, since a name may be wrong and the provider checks. */
export function pictureTypeOf(bytes: Uint8Array): Picture["mediaType"] | null {
  const begins = (...expected: readonly number[]): boolean =>
    expected.every((byte, at) => bytes[at] === byte);
  const text = (from: number, to: number): string => Buffer.from(bytes.subarray(from, to)).toString("latin1");
  if (begins(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return "image/png";
  if (begins(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (text(0, 6) === "GIF87a" || text(0, 6) === "GIF89a") return "image/gif";
  return text(0, 4) === "RIFF" && text(8, 12) === "WEBP" ? "image/webp" : null;
}
