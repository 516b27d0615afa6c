import { RevsetRefusal, revsetForJj } from "../api/graph-filter.ts";
import { mistakeFoundByJj } from "../api/revset-mistake.ts";
import { JjError } from "../jj/errors.ts";
import { createJj } from "../jj/process.ts";
import {
  CommandError,
  type CommonOptions,
  type ExitCode,
  exitCode,
  print,
  printJson,
} from "./command-line.ts";
import { withRepository } from "./repository.ts";

export interface LogOptions extends CommonOptions {
  readonly revisions?: string;
  readonly limit?: number;
}

/** jj's own drawing, in the person's own template; only the revset is translated. */
export function log(options: LogOptions): Promise<ExitCode> {
  return withRepository(options, async (repository) => {
    const revset = options.revisions === undefined ? null : translated(options.revisions);
    if (options.json) {
      const changes = await repository
        .query(
          revset ?? "present(@) | ancestors(immutable_heads().., 2) | present(trunk())",
          options.limit === undefined ? {} : { limit: options.limit },
        )
        .catch((error: unknown) => {
          throw mistaken(options.revisions, error);
        });
      for (const change of changes) printJson(change);
      return exitCode.done;
    }
    const { stdout, stderr } = await createJj()
      .run({
        args: [
          "-R",
          repository.root,
          "--ignore-working-copy",
          `--color=${process.stdout.isTTY && !process.env.NO_COLOR ? "always" : "never"}`,
          "log",
          ...(revset === null ? [] : ["-r", revset]),
          ...(options.limit === undefined ? [] : [`--limit=${options.limit}`]),
        ],
        cwd: repository.root,
      })
      .catch((error: unknown) => {
        throw mistaken(options.revisions, error);
      });
    process.stderr.write(stderr);
    if (stdout !== "") print(stdout.replace(/\n$/u, ""));
    return exitCode.done;
  });
}

/** A mistake in the revset that only jj could find; every other error stays what it is. */
function mistaken(revset: string | undefined, error: unknown): unknown {
  if (!(error instanceof JjError) || (error.kind !== "revset" && error.kind !== "no-such-revision"))
    return error;
  const found = revset === undefined ? null : mistakeFoundByJj(revset, error);
  const near = found?.expected?.[0];
  // jj draws the place of a mistake itself.
  return new CommandError(
    error.stderr.trim().replace(/^Error: /u, ""),
    near ? `Did you mean ${near}?` : null,
    exitCode.usage,
  );
}

/** The revset for jj, or an error that draws a caret under the mistake. */
function translated(revset: string): string {
  try {
    return revsetForJj(revset);
  } catch (error) {
    if (!(error instanceof RevsetRefusal)) throw error;
    throw new CommandError(
      `${error.message}\n${caret(revset, error.start, error.end)}`,
      error.remedy,
      exitCode.usage,
    );
  }
}

/** The line of the text that holds the place, and a caret under every character of it. */
export function caret(text: string, start: number, end: number): string {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const newline = text.indexOf("\n", start);
  const line = text.slice(from, newline < 0 ? text.length : newline);
  const before = line.slice(0, start - from).replace(/[^\t]/gu, " ");
  return `  ${line}\n  ${before}${"^".repeat(Math.max(1, Math.min(end, from + line.length) - start))}`;
}
