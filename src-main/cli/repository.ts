import { folderView } from "../api/folders.ts";
import { mistakeFoundByJj, RevsetRefusal, revsetForJj } from "../api/graph-filter.ts";
import { JjError } from "../jj/errors.ts";
import { openRepository } from "../jj/open.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { CommandError, type CommonOptions, exitCode, folderOf } from "./command-line.ts";

/** Opens the jj repository of `--repo` for one command. */
export async function withRepository<T>(
  options: CommonOptions,
  task: (repository: Repository) => Promise<T>,
): Promise<T> {
  const view = await folderView(folderOf(options));
  switch (view.kind) {
    case "jj":
      break;
    case "git":
    case "plain":
      throw new CommandError(
        `${view.root} is not a jj repository.`,
        "Run `hox init` there, or choose another folder with --repo.",
      );
    default:
      throw new CommandError(view.reason, view.remedy);
  }
  const repository = await openRepository(view.root);
  try {
    return await task(repository);
  } finally {
    await repository.close();
  }
}

/**
 * A revset on the command line: translated for jj, with errors at their position.
 *
 * A mistake in the revset that only jj could find; every other error stays what it is.
 *
 * @param remedy where no name is near
 */
export function mistaken(revset: string | undefined, error: unknown, remedy: string | null = null): unknown {
  if (!(error instanceof JjError) || (error.kind !== "revset" && error.kind !== "no-such-revision"))
    return error;
  const found = revset === undefined ? null : mistakeFoundByJj(revset, error);
  const near = found?.expected?.[0];
  // jj draws the place of a mistake itself.
  return new CommandError(
    error.stderr.trim().replace(/^Error: /u, ""),
    near ? `Did you mean ${near}?` : remedy,
    exitCode.usage,
  );
}

/** The revset for jj, or an error that draws a caret under the mistake. */
export async function translated(repository: Pick<Repository, "notes">, revset: string): Promise<string> {
  try {
    return await revsetForJj(repository, revset);
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
function caret(text: string, start: number, end: number): string {
  const from = text.lastIndexOf("\n", start - 1) + 1;
  const newline = text.indexOf("\n", start);
  const line = text.slice(from, newline < 0 ? text.length : newline);
  const before = line.slice(0, start - from).replace(/[^\t]/gu, " ");
  return `  ${line}\n  ${before}${"^".repeat(Math.max(1, Math.min(end, from + line.length) - start))}`;
}
