import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { icns, ico, icoSizes, linuxSizes } from "./icon-containers.mjs";

const read = (name: string): Buffer => readFileSync(fileURLToPath(new URL(name, import.meta.url)));

/** Width of a PNG, from the header that stands right behind its signature. */
function widthOf(png: Buffer): number {
  expect(png.subarray(1, 4).toString("latin1")).toBe("PNG");
  expect(png.readUInt32BE(16)).toBe(png.readUInt32BE(20));
  return png.readUInt32BE(16);
}

function inIcns(file: Buffer): Record<string, number> {
  expect(file.toString("latin1", 0, 4)).toBe("icns");
  expect(file.readUInt32BE(4)).toBe(file.length);
  const widths: Record<string, number> = {};
  for (let at = 8; at < file.length; at += file.readUInt32BE(at + 4))
    widths[file.toString("latin1", at, at + 4)] = widthOf(file.subarray(at + 8));
  return widths;
}

function inIco(file: Buffer): readonly number[] {
  expect(file.readUInt32LE(0)).toBe(0x10000);
  return Array.from({ length: file.readUInt16LE(4) }, (_, index) => {
    const entry = 6 + 16 * index;
    const [length, at] = [file.readUInt32LE(entry + 8), file.readUInt32LE(entry + 12)];
    const width = widthOf(file.subarray(at, at + length));
    expect(file.readUInt8(entry)).toBe(width % 256);
    return width;
  });
}

it("the icons are those of today's drawing, in every size that each system asks for", () => {
  const { "icon.svg": drawnFrom } = JSON.parse(read("icons/drawn-from.json").toString());
  const svg = read("icon.svg").toString().replaceAll("\r\n", "\n");
  // Another drawing: run `node build/icons.mjs`.
  expect(drawnFrom).toBe(createHash("sha256").update(svg).digest("hex"));
  for (const size of linuxSizes) expect(widthOf(read(`icons/${size}x${size}.png`))).toBe(size);
  expect(inIco(read("icons/icon.ico"))).toEqual(icoSizes);
  expect(inIcns(read("icons/icon.icns"))).toEqual({
    ic11: 32,
    ic12: 64,
    ic07: 128,
    ic13: 256,
    ic08: 256,
    ic14: 512,
    ic09: 512,
    ic10: 1024,
  });
});

it("names a missing size instead of skipping it", () => {
  expect(() => icns([])).toThrow("32 pixels");
  expect(() => ico([])).toThrow("16 pixels");
});
