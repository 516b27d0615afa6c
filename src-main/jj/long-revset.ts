import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { withStaging } from "./unpublished.ts";

/** One argument may have 128 kB on Linux, and a whole command line 32 kB on Windows. */
const maxArgument = 20_000;

/**
 * Runs a command with a revset of any length: a long one, such as one that names many noted commits, goes through a
 * file of settings.
 * @param run gets the arguments for jj's own settings and the revset to write
 */
export const withRevset = <T>(
  revset: string,
  run: (settings: readonly string[], revset: string) => Promise<T>,
): Promise<T> =>
  revset.length <= maxArgument
    ? run([], revset)
    : withStaging(async (folder) => {
        const file = join(folder, "revset.toml");
        await writeFile(file, `[revset-aliases]\n"hox_long_revset()" = ${JSON.stringify(revset)}\n`);
        return run(["--config-file", file], "hox_long_revset()");
      });
