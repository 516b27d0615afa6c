/** FNV-1a over UTF-16 units, from the given start. */
function fnv(text: string, start: number): number {
  let hash = start;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/**
 * Hash of a text in 16 hexadecimal digits, the same on every machine and in every version. Not cryptographic:
 * do not rely on collision resistance.
 */
export const contentHash = (text: string): string =>
  [fnv(text, 0x811c9dc5), fnv(`${text.length}:${text}`, 0x9747b28c)]
    .map((half) => half.toString(16).padStart(8, "0"))
    .join("");
