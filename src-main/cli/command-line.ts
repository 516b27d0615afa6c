import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import { parseDollars } from "#shared/domain/text/parse-amount.ts";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";

/** What the exit code of `hox` says. */
export const exitCode = {
  done: 0,
  error: 1,
  usage: 2,
  waits: 3,
  budget: 4,
  rejected: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

export interface CommonOptions {
  readonly repo?: string;
  /** Which active run: its root, its id, or a prefix of that. */
  readonly run?: string;
  readonly json?: boolean;
}

/** Ends the command with a message for the user; `code` is the exit code. */
export class CommandError extends RemediedError<string | null> {
  override readonly name = "CommandError";
  readonly code: ExitCode;
  constructor(message: string, remedy: string | null = null, code: ExitCode = exitCode.error) {
    super(message, remedy);
    this.code = code;
  }
}

/** The user's current directory: npm changes to the project's folder and sets this variable. */
export const invocationFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  (env.npm_lifecycle_event && env.INIT_CWD) || process.cwd();

export const folderOf = ({ repo }: CommonOptions): string => resolve(invocationFolder(), repo ?? ".");

/** Writes a file that does not exist yet, for the user alone. @returns its full path */
export async function writeNewFile(to: string, content: string | Uint8Array): Promise<string> {
  const file = resolve(invocationFolder(), to);
  await writeFile(file, content, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST")
      throw new CommandError(`${to} already exists.`, "Choose another name, or move the file.");
    throw new CommandError(`Can't write ${to}: ${error.message}`, "Choose another folder or name.");
  });
  return file;
}

/** One of some words; a near miss is named. */
export const oneOf =
  <Word extends string>(words: readonly Word[]) =>
  (value: string): Word => {
    const found = words.find((word) => word === value);
    if (found) return found;
    const near = nearestWord(value, words);
    throw new InvalidArgumentError(`${near ? `Did you mean ${near}? ` : ""}Use one of: ${words.join(", ")}.`);
  };

/** A list of words with commas between. */
export const someOf =
  <Word extends string>(words: readonly Word[]) =>
  (value: string): readonly Word[] => {
    const found = value.split(",").filter((word) => word.trim() !== "");
    if (found.length === 0) throw new InvalidArgumentError(`Give one or more of: ${words.join(", ")}.`);
    return found.map((word) => oneOf(words)(word.trim()));
  };

/** Any words with commas between. */
export const words = (value: string): readonly string[] => {
  const found = oneLine(value)
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  if (found.length === 0) throw new InvalidArgumentError("Give one or more values, separated by commas.");
  return found;
};

export const wholeNumber =
  (least: number, most: number) =>
  (value: string): number => {
    const number = Number(value);
    if (!/^\d+$/u.test(value) || number < least || number > most) {
      throw new InvalidArgumentError(`Must be a whole number from ${least} to ${most}.`);
    }
    return number;
  };

/** A value, or the word that takes it away. */
export function orNone<T>(parse: (value: string) => T): (value: string) => T | "none" {
  return (value) => (value === "none" ? value : parse(value));
}

/** Typed dollars, in micro-dollars. */
export const microDollars = (value: string): number => {
  const amount = parseDollars(value);
  if (amount === null) throw new InvalidArgumentError("Must be an amount in US dollars, such as 2.50.");
  return amount;
};

export const oneLine = (value: string): string => {
  if (value === "" || /[\r\n\0]/u.test(value)) throw new InvalidArgumentError("Must be one line of text.");
  return value;
};

/** `none` removes a limit, or restores the configured one. */
export const orNull = (limit: number | "none"): number | null => (limit === "none" ? null : limit);

/** The limits of `--max-tokens` and `--max-budget-usd`, as the host takes them. */
export const spendingLimits = ({
  maxTokens,
  maxBudgetUsd,
}: {
  readonly maxTokens?: number | "none";
  readonly maxBudgetUsd?: number | "none";
}) => ({
  ...(maxTokens === undefined ? {} : { maxTokens: orNull(maxTokens) }),
  ...(maxBudgetUsd === undefined ? {} : { maxMicroDollars: orNull(maxBudgetUsd) }),
});

/** Lets a signal that asks the process to end cancel a task instead. */
export async function cancellable<T>(task: (cancel: AbortController) => Promise<T>): Promise<T> {
  const cancel = new AbortController();
  const interrupt = (): void => cancel.abort();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, interrupt);
  try {
    return await task(cancel);
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}
