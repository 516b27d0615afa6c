import { startOf } from "./cut-text.ts";

/**
 * A long text as parts that can be read one after another: whole lines, and whole signs where a line is longer than a
 * part.
 *
 * @param size units of the string that a part may have
 * @returns at least one part; all of them together are the text
 */
export function partsOf(text: string, size: number): readonly string[] {
  const parts: string[] = [];
  for (let rest = text; rest !== ""; ) {
    const room = startOf(rest, size);
    const end = room.length < rest.length ? room.lastIndexOf("\n") + 1 : 0;
    const part = end > 0 ? room.slice(0, end) : room;
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts.length === 0 ? [""] : parts;
}
