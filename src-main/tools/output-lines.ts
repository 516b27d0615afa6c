import { startOf } from "#shared/domain/text/cut-text.ts";

/** Limit of a tool's list, so that it does not fill the conversation. */
const maxCharacters = 60_000;

/**
 * Lines as one answer, up to the limit.
 *
 * @param more replaces the rest, if there is one
 */
export function outputLines(lines: readonly string[], more: string): string {
  let size = 0;
  const shown: string[] = [];
  for (const line of lines) {
    size += line.length + 1;
    if (size > maxCharacters) {
      if (shown.length === 0) shown.push(startOf(line, maxCharacters));
      shown.push(more);
      break;
    }
    shown.push(line);
  }
  return shown.join("\n");
}
