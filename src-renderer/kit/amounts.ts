/** How money, tokens and time are written everywhere on screen. */

/** Micro-dollars as dollars: two decimals from a dollar on, four below, so that small runs are not "$0.00". */
export const dollars = (micro: number): string => {
  const value = micro / 1_000_000;
  return `$${value.toFixed(value >= 1 || value === 0 ? 2 : value >= 0.01 ? 3 : 4)}`;
};

/** Tokens with a k or M, three figures at the most. */
export const tokens = (count: number): string => {
  if (count < 1_000) return String(count);
  if (count < 1_000_000) return `${trim(count / 1_000)}k`;
  return `${trim(count / 1_000_000)}M`;
};

const trim = (value: number): string =>
  value >= 100 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, "");

/** A span of time in its largest two units. */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
};

/** Parses an amount that a user typed in dollars; null for an empty field, undefined for what is not an amount. */
export const parseDollars = (text: string): number | null | undefined => {
  const trimmed = text.trim().replace(/^\$/, "").replace(",", ".");
  if (trimmed === "") return null;
  if (!/^\d+(\.\d{1,6})?$/.test(trimmed)) return undefined;
  const micro = Math.round(Number(trimmed) * 1_000_000);
  return micro > 0 ? micro : undefined;
};

/** Parses a token count that a user typed, with k or M allowed; null for an empty field, undefined otherwise. */
export const parseTokens = (text: string): number | null | undefined => {
  const match = /^(\d+(?:\.\d+)?)\s*([kKmM]?)$/.exec(text.trim().replaceAll(/[ _,](?=\d{3})/g, ""));
  if (text.trim() === "") return null;
  if (!match) return undefined;
  const factor = { "": 1, k: 1_000, m: 1_000_000 }[(match[2] ?? "").toLowerCase()] ?? 1;
  const count = Math.round(Number(match[1]) * factor);
  return count > 0 ? count : undefined;
};
