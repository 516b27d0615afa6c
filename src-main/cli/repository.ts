import { folderView } from "../api/folders.ts";
import { mistakeFoundByJj, RevsetRefusal, revsetForJj } from "../api/graph-filter.ts";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import type { Repository } from "../jj/ports/repository-interface.ts";
import { JjError } from "../jj/process/errors.ts";
import { CommandError, type CommonOptions, exitCode, folderOf } from "./command-line.ts";

/** The folder of `--repo`, whatever it is. @throws CommandError where it can't be used */
export async function rootOf(options: CommonOptions): Promise<string> {
  const view = await folderView(folderOf(options));
  if ("remedy" in view) throw new CommandError(view.reason, view.remedy);
  return view.root;
}

/** The same, of a jj repository. */
export async function jjRootOf(options: CommonOptions): Promise<string> {
  const view = await folderView(folderOf(options));
  if (view.kind === "jj") return view.root;
  throw "remedy" in view
    ? new CommandError(view.reason, view.remedy)
    : new CommandError(
        `${view.root} is not a jj repository.`,
        "Run `hox init` there, or choose another folder with --repo.",
      );
}

/** Where Hox keeps what it has of a repository. */
export const stateFolderOf = (root: string): string => repositoryStateFolder(defaultStateFolder(), root);

/** Opens the jj repository of `--repo` for one command. */
export async function withRepository<T>(
  options: CommonOptions,
  task: (repository: Repository) => Promise<T>,
): Promise<T> {
  const { openRepository } = await import("../jj/open.ts");
  const repository = await openRepository(await jjRootOf(options));
  try {
    return await task(repository);
  } finally {
    await repository.close();
  }
}

/**
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
