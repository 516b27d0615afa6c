import { parseDescription } from "./trailers.ts";

/**
 * The words that a person edits: all but the trailer paragraph. A description without trailers is all words.
 */
export function bodyOf(description: string): string {
  const { subject, body, trailers } = parseDescription(description);
  if (trailers.length === 0) return description.trimEnd();
  return [subject, body]
    .filter((part) => part !== "")
    .join("\n\n")
    .trimEnd();
}

/** A new body above the unchanged trailers. */
export function withBody(description: string, words: string): string {
  const { trailers } = parseDescription(description);
  const text = words.trimEnd();
  if (trailers.length === 0) return text === "" ? "" : `${text}\n`;
  const lines = description.trimEnd().split("\n");
  let start = lines.length;
  while (start > 0 && lines[start - 1]?.trim() !== "") start -= 1;
  return `${text}\n\n${lines.slice(start).join("\n")}\n`;
}
