/** Parses typed amounts. */

/**
 * US dollars: `2.50`.
 * @returns micro-dollars; null for what is no amount, and for more than a million
 */
export function parseDollars(text: string): number | null {
  const number = Number(text);
  return /^(?:\d+(?:\.\d+)?|\.\d+)$/u.test(text) && number > 0 && number <= 1_000_000
    ? Math.round(number * 1_000_000)
    : null;
}

/**
 * Tokens: `120,000`, `200k`, `1.5m`.
 * @returns null for what is no amount
 */
export function parseTokens(text: string): number | null {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)([km]?)$/iu.exec(text.replaceAll(",", "")) ?? [];
  const count = Math.round(Number(digits) * ({ k: 1e3, m: 1e6 }[unit.toLowerCase()] ?? 1));
  return digits !== "" && count > 0 ? count : null;
}
