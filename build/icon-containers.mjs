/**
 * The two containers that systems want their icons in. Both only put pictures side by side; each picture is a PNG.
 * electron-builder 26 makes them of one PNG too, with a program that it fetches for it first (`icons-bundle.tar.gz`), and
 * it scales the small sizes down; ours are drawn, fetch nothing, and are the same on every machine.
 * @typedef {{ size: number, png: Buffer }} Picture
 */

/** What macOS calls each size; a size stands twice where it also serves half of it on a dense screen. */
const icnsTypes = /** @type {const} */ ([
  ["ic11", 32],
  ["ic12", 64],
  ["ic07", 128],
  ["ic13", 256],
  ["ic08", 256],
  ["ic14", 512],
  ["ic09", 512],
  ["ic10", 1024],
]);

/** The sizes that Windows shows, from its title bar to its largest tiles. */
export const icoSizes = [16, 24, 32, 48, 64, 128, 256];

/** The sizes of the freedesktop icon theme. */
export const linuxSizes = [16, 24, 32, 48, 64, 128, 256, 512];

/** Every size that is drawn. */
export const drawnSizes = [...new Set([...icoSizes, ...linuxSizes, ...icnsTypes.map(([, size]) => size)])];

/** @param {readonly Picture[]} pictures @param {number} size */
function pictureOf(pictures, size) {
  const picture = pictures.find((each) => each.size === size);
  if (!picture) throw new Error(`No image of ${size} pixels was drawn: add it to the sizes.`);
  return picture.png;
}

/**
 * macOS: a header and entries of a name, their length and their bytes, all big-endian.
 * @param {readonly Picture[]} pictures
 */
export function icns(pictures) {
  const entries = icnsTypes.map(([type, size]) => {
    const png = pictureOf(pictures, size);
    const head = Buffer.alloc(8);
    head.write(type, "latin1");
    head.writeUInt32BE(png.length + 8, 4);
    return Buffer.concat([head, png]);
  });
  const body = Buffer.concat(entries);
  const head = Buffer.alloc(8);
  head.write("icns", "latin1");
  head.writeUInt32BE(body.length + 8, 4);
  return Buffer.concat([head, body]);
}

/**
 * Windows: a header, a directory with a place for each picture, the pictures, all little-endian.
 * @param {readonly Picture[]} pictures
 */
export function ico(pictures) {
  const head = Buffer.alloc(6);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(icoSizes.length, 4);
  let at = head.length + 16 * icoSizes.length;
  const directory = icoSizes.map((size) => {
    const entry = Buffer.alloc(16);
    // One byte holds up to 255; 256 is written as 0.
    entry.writeUInt8(size % 256, 0);
    entry.writeUInt8(size % 256, 1);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(pictureOf(pictures, size).length, 8);
    entry.writeUInt32LE(at, 12);
    at += pictureOf(pictures, size).length;
    return entry;
  });
  return Buffer.concat([head, ...directory, ...icoSizes.map((size) => pictureOf(pictures, size))]);
}
