/**
 * The application log: what Hox did and what failed. An entry is an event that the code names, with a few fields. It never
 * holds what users, models or files say: texts lose whatever they quote, and an error that repeats a foreign text loses its
 * message.
 */
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

const levels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof levels)[number];

/** `error` may be anything that was thrown. */
type Fields = Readonly<Record<string, unknown>>;

const files = new Set<(level: LogLevel, entry: string) => void>();

const write =
  (level: LogLevel) =>
  (event: string, fields: Fields = {}): void => {
    if (files.size === 0) return;
    const entry = [event, ...Object.entries(fields).map(([name, value]) => fieldText(name, value))].join(" ");
    for (const file of files) file(level, entry);
  };

/** Writes to every open log file; without one, entries are dropped. */
export const log = {
  debug: write("debug"),
  info: write("info"),
  warn: write("warn"),
  error: write("error"),
} as const;

/** Prints an error of the host in its terminal, whole, and logs it. */
export function printError(event: string, error: unknown): void {
  console.error(`Hox: ${event}:`, error);
  log.error(event, { error });
}

const maxFileBytes = 1_000_000;
const keptFiles = 4;
const maxTextLength = 300;

export const logFolder = (stateFolder: string): string => join(stateFolder, "logs");

const logPath = (folder: string, age: number): string =>
  join(folder, age === 0 ? "hox.log" : `hox.${age}.log`);

/**
 * Opens the log file of a state folder. Several processes may write to it.
 * @param redact removes keys from an entry
 * @returns closes it
 */
export function openLogFile(
  stateFolder: string,
  redact: (text: string) => string,
  {
    minLevel = process.env.HOX_DEBUG ? "debug" : "info",
    maxBytes = maxFileBytes,
  }: { readonly minLevel?: LogLevel; readonly maxBytes?: number } = {},
): () => void {
  const folder = logFolder(stateFolder);
  let failure: string | null = null;
  const attempt = (work: () => void): void => {
    try {
      work();
      failure = null;
    } catch (error) {
      const { message } = error as Error;
      if (failure !== message) console.error(`Hox: could not write the log: ${message}`);
      failure = message;
    }
  };
  attempt(() => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const file = (level: LogLevel, entry: string): void => {
    if (levels.indexOf(level) < levels.indexOf(minLevel)) return;
    const line = `${new Date().toISOString()} ${level.padEnd(5)} ${process.pid} ${redact(entry)}\n`;
    attempt(() => {
      if ((statSync(logPath(folder, 0), { throwIfNoEntry: false })?.size ?? 0) > maxBytes) rotate(folder);
      appendFileSync(logPath(folder, 0), line, { mode: 0o600 });
    });
  };
  files.add(file);
  return () => files.delete(file);
}

function rotate(folder: string): void {
  for (let age = keptFiles - 1; age >= 0; age--)
    if (statSync(logPath(folder, age), { throwIfNoEntry: false }))
      renameSync(logPath(folder, age), logPath(folder, age + 1));
}

/** The newest lines of the log, the oldest first; none where nothing was logged yet. */
export function readLogTail(stateFolder: string, maxLines: number): readonly string[] {
  const lines: string[] = [];
  for (let age = 0; age <= keptFiles && lines.length < maxLines; age++) {
    const path = logPath(logFolder(stateFolder), age);
    if (!statSync(path, { throwIfNoEntry: false })) break;
    lines.unshift(...readFileSync(path, "utf8").trimEnd().split("\n"));
  }
  return lines.slice(-maxLines);
}

function fieldText(name: string, value: unknown): string {
  if (name === "error") return errorText(value);
  const text = typeof value === "string" ? withoutQuotes(value) : String(value);
  return `${name}=${/^[^\s"]+$/u.test(text) ? text : JSON.stringify(text)}`;
}

/** The first line of a text, without what it quotes: that may come from a file, a prompt or an answer. */
const withoutQuotes = (text: string): string =>
  (text.split("\n", 1)[0] ?? "")
    .replaceAll(/"[^"]*"?|`[^`]*`?|“[^”]*”?|(?<!\w)'[^']*'?/gu, "…")
    .slice(0, maxTextLength);

/** Their messages repeat what a parser read or a provider answered. */
const foreignMessages: ReadonlySet<string> = new Set(["SyntaxError", "ZodError", "TomlError", "ModelError"]);

/** What an error is and where it comes from: its kind, its message where that is of Hox or the system, and its frames. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return `error=${typeof error}`;
  const { name, message, stack = "" } = error;
  const details = ["kind", "code", "status", "exitCode"].flatMap((key) => {
    const value = (error as unknown as Readonly<Record<string, unknown>>)[key];
    return typeof value === "number" || (typeof value === "string" && /^[\w-]{1,40}$/u.test(value))
      ? [`${key}=${value}`]
      : [];
  });
  const shown = foreignMessages.has(name) ? [] : [`message=${JSON.stringify(withoutQuotes(message))}`];
  const frames = stack.split("\n").filter((line) => /^ {4}at /u.test(line));
  // What has a remedy is an answer to the user; where it was made helps nobody.
  const at = "remedy" in error ? [] : frames.slice(0, 12).map((frame) => `\n  ${frame.trim()}`);
  return [[`error=${name}`, ...details, ...shown].join(" "), ...at].join("");
}
