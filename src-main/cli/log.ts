import { homeWorkspaceName } from "#shared/domain/graph-words/checkout-name.ts";
import { createJj } from "../jj/process.ts";
import { withRevset } from "../jj/unpublished.ts";
import { type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { print, printColoured, printError, printJson } from "./output.ts";
import { withRepository } from "./repository.ts";
import { mistaken, translated } from "./revset-argument.ts";

export interface LogOptions extends CommonOptions {
  readonly revisions?: string;
  readonly limit?: number;
}

/** jj's own drawing, in the user's template; only the revset is translated. */
export function log(options: LogOptions): Promise<ExitCode> {
  return withRepository(options, async (repository) => {
    // What was committed or pulled with Git since jj last looked belongs into it.
    await repository.importGit();
    const revset = options.revisions === undefined ? null : await translated(repository, options.revisions);
    // Hox's own workspace without files, used when Git manages the folder, is not work.
    const shown = revset ?? `(${await ordinary(repository.root)}) ~ present(${homeWorkspaceName}@)`;
    if (options.json) {
      const changes = await repository
        .query(shown, options.limit === undefined ? {} : { limit: options.limit })
        .catch((error: unknown) => {
          throw mistaken(options.revisions, error);
        });
      for (const change of changes) printJson(change);
      return exitCode.done;
    }
    const isColoured = process.stdout.isTTY === true && !process.env.NO_COLOR;
    const { stdout, stderr } = await withRevset(shown, (settings, short) =>
      createJj().run({
        args: [
          "-R",
          repository.root,
          "--ignore-working-copy",
          `--color=${isColoured ? "always" : "never"}`,
          ...settings,
          "log",
          "-r",
          short,
          ...(options.limit === undefined ? [] : [`--limit=${options.limit}`]),
        ],
        cwd: repository.root,
      }),
    ).catch((error: unknown) => {
      throw mistaken(options.revisions, error);
    });
    if (stderr !== "") printError(stderr.replace(/\n$/u, ""));
    if (stdout !== "") (isColoured ? printColoured : print)(stdout.replace(/\n$/u, ""));
    return exitCode.done;
  });
}

/** jj's default revset: the user's setting, or its own. */
async function ordinary(root: string): Promise<string> {
  const { stdout } = await createJj().run({
    args: ["-R", root, "--ignore-working-copy", "config", "get", "revsets.log"],
    cwd: root,
  });
  return stdout.trim();
}
