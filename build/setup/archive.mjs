import { gunzipSync, inflateRawSync } from "node:zlib";

/** No program that we unpack comes near it; an archive that claims more is not what it says. */
const largest = 256 * 1024 * 1024;

/**
 * One file out of an archive whose checksum was compared. Nothing is written, so no name in it can lead anywhere.
 * @param {string} archive its name, which says the format
 * @param {Buffer} bytes
 * @param {string} file at the top of the archive
 * @returns {Buffer | undefined}
 */
export const fileInArchive = (archive, bytes, file) =>
  archive.endsWith(".zip")
    ? fileInZip(bytes, file)
    : fileInTar(gunzipSync(bytes, { maxOutputLength: largest }), file);

/** @param {string} name */
const atTop = (name) => name.replace(/^\.\//, "");

/** @param {Buffer} tar @param {string} file */
function fileInTar(tar, file) {
  const block = 512;
  for (let at = 0; at + block <= tar.length; ) {
    const name = tar.toString("utf8", at, at + 100).split("\0")[0] ?? "";
    if (name === "") return undefined;
    const size = Number.parseInt(tar.toString("latin1", at + 124, at + 136), 8);
    if (!Number.isInteger(size) || at + block + size > tar.length)
      throw new Error("the archive is truncated");
    const isFile = ["0", "\0"].includes(String.fromCharCode(tar[at + 156] ?? 0));
    if (isFile && atTop(name) === file) return tar.subarray(at + block, at + block + size);
    at += block + Math.ceil(size / block) * block;
  }
  return undefined;
}

/** @param {Buffer} zip @param {string} file */
function fileInZip(zip, file) {
  const end = zip.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  if (end < 0) throw new Error("the archive is truncated");
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const [method, packed, size] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt32LE(at + 24),
    ];
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    if (atTop(name) === file) {
      const local = zip.readUInt32LE(at + 42);
      const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
      const data = zip.subarray(from, from + packed);
      if (method === 0) return data;
      if (method !== 8) throw new Error(`${file} uses an unsupported compression method (${method})`);
      return inflateRawSync(data, { maxOutputLength: Math.min(Math.max(size, 1), largest) });
    }
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return undefined;
}
