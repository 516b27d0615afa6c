import { defaultFilter } from "cmdk";

/** Before a character that begins a word. */
const wordEdge = /[\s/:.,–—-]/u;

/**
 * How well a command answers what was typed: 0 not at all, 1 best. Words that stand there come before letters that can be
 * picked from it, and its name before its keywords: whoever types the name of a repository means that one.
 */
export function paletteRank(title: string, typed: string, keywords: readonly string[] = []): number {
  const wanted = typed.trim().toLowerCase();
  const fuzzy = defaultFilter(title, typed, [...keywords]);
  if (wanted === "") return fuzzy;
  const literal = placeOf(title.toLowerCase(), wanted);
  if (literal > 0) return literal;
  if (keywords.some((word) => word.toLowerCase().startsWith(wanted))) return 0.5 + 0.1 * fuzzy;
  return 0.4 * fuzzy;
}

/** From the beginning, from the beginning of a word, or anywhere; 0: it does not stand there. */
function placeOf(text: string, wanted: string): number {
  const at = text.indexOf(wanted);
  if (at < 0) return 0;
  if (at === 0) return 1;
  return startsOf(text, wanted).some((start) => wordEdge.test(text[start - 1] ?? "")) ? 0.9 : 0.7;
}

function startsOf(text: string, wanted: string): readonly number[] {
  const starts: number[] = [];
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) starts.push(at);
  return starts;
}
