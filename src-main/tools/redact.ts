import { existsSync } from "node:fs";

/** Replaces a known secret. */
const mask = "[redacted]";
/** Shorter values are words, not secrets, and would blacken everything. */
const shortest = 8;

export type Redactor = ReturnType<typeof createRedactor>;

/** Hides secrets in the spellings in which they get printed: as they are, URL-encoded, and in base64. */
export function createRedactor(secrets: readonly string[]) {
  const needles = [...new Set(secrets.filter((secret) => secret.length >= shortest).flatMap(spellings))];
  // The longest first, or a secret that contains another would leave its rest readable.
  needles.sort((a, b) => b.length - a.length);
  const redact = (text: string): string =>
    needles.reduce((left, needle) => (left.includes(needle) ? left.replaceAll(needle, mask) : left), text);

  return {
    /** A whole text at once. */
    redact,
    /** A stream: a secret may be cut between two chunks, so what could be the beginning of one is held back. */
    stream(): { push(chunk: string): string; end(): string } {
      let held = "";
      return {
        push(chunk) {
          const text = redact(held + chunk);
          const keep = openEnd(text, needles);
          held = text.slice(text.length - keep);
          return text.slice(0, text.length - keep);
        },
        end() {
          const rest = redact(held);
          held = "";
          return rest;
        },
      };
    },
  };
}

/**
 * Hides secrets in all texts of plain data: as JSON, secrets with quotes would be missed, and an escape could be halved.
 *
 * @param redact of a text
 */
export function redactTexts<Value>(value: Value, redact: (text: string) => string): Value {
  if (typeof value === "string") return redact(value) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => redactTexts(one, redact)) as Value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [redact(name), redactTexts(one, redact)]),
  ) as Value;
}

function spellings(secret: string): readonly string[] {
  const base64 = Buffer.from(secret)
    .toString("base64")
    .replace(/={1,2}$/, "");
  return [secret, encodeURIComponent(secret), base64.slice(0, -1)].filter((one) => one.length >= shortest);
}

/** Length of the longest end of the text that begins one of the needles. */
function openEnd(text: string, needles: readonly string[]): number {
  let longest = 0;
  for (const needle of needles) {
    for (let length = Math.min(needle.length - 1, text.length); length > longest; length--) {
      if (text.endsWith(needle.slice(0, length))) longest = length;
    }
  }
  return longest;
}

/** Secrets of this process that no agent should ever print: the environment's keys and tokens, and not the files they are in. */
export const secretsOf = (environment: NodeJS.ProcessEnv): readonly string[] =>
  Object.entries(environment).flatMap(([name, value]) =>
    value && /(API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)/i.test(name) && !existsSync(value)
      ? [value]
      : [],
  );
