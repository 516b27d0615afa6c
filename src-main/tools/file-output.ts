import { createHash } from "node:crypto";

/** Enough of SHA-256 to tell versions of a file apart, short enough for a prompt. */
export const hashOf = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

/**
 * The first line of what the file tools answer. A conversation reads it back from its history, so the two functions
 * below belong together.
 */
export const fileHeader = (path: string, hash: string, detail: string): string =>
  `${JSON.stringify(path)} hash ${hash} (${detail})`;

const header = /^("(?:[^"\\\n]|\\.)*") hash ([0-9a-f]{16}) \(/;

export function hashInOutput(output: string): { path: string; hash: string } | null {
  const found = header.exec(output);
  if (!found?.[1] || !found[2]) return null;
  return { path: String(JSON.parse(found[1])), hash: found[2] };
}
