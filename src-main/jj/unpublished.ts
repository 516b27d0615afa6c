import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JjError } from "./errors.ts";
import { newMark, writeMarks } from "./marks.ts";
import type { WriteOptions } from "./ports/graph-writer.ts";
import type { Jj, JjOutput } from "./process.ts";
import { exactFile, pinned } from "./read-access.ts";
import { replacingEditor } from "./replacing-editor.ts";

type Files = Readonly<Record<string, string | Uint8Array | null>>;

/**
 * A series of unpublished operations: each is computed on the one before and none is a head. The outcome can
 * be read with `--at-op`, dropped, or published at once by `jj op integrate`.
 */
export interface Unpublished {
  /** The last operation of the row. */
  operation(): string;
  run(args: readonly string[], more?: { input?: string; editor?: readonly string[] }): Promise<JjOutput>;
  /** Writes files into a change; descendants are rebased. */
  writeFiles(change: string, files: Files): Promise<void>;
  /** The commit that a change is at the end of the row. */
  commitOf(change: string): Promise<string>;
}

/** A description as one argument: apart from its option, one that begins with a hyphen would be taken for another. */
export const messageArgument = (description: string): string => `--message=${description}`;

/** Runs with a private folder that is removed afterwards. */
export async function withStaging<T>(task: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "hox-jj-"));
  try {
    return await task(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function checkPath(path: string): void {
  const parts = path.split("/");
  const wrong = parts.some((part) => part === "" || part === "." || part === "..");
  const protectedFolder = parts.some((part) => /^\.(?:jj|git)$/i.test(part));
  if (!wrong && !protectedFolder && !path.includes("\0")) return;
  throw new JjError({
    kind: "usage",
    message: `Can't write ${JSON.stringify(path)} to a change.`,
    remedy: "Give a path inside the repository, with forward slashes, outside .jj and .git.",
  });
}

const leftOut = /--no-integrate-operation was requested: ([0-9a-f]+)/;

/** Begins a row on `operation`. */
export function beginUnpublished(
  jj: Jj,
  root: string,
  operation: string,
  options: WriteOptions = {},
): Unpublished {
  let last = operation;

  const run: Unpublished["run"] = async (args, more = {}) => {
    const output = await jj.run({
      head: writeMarks(newMark(), options),
      args: ["-R", root, `--at-op=${last}`, "--ignore-working-copy", "--no-integrate-operation", ...args],
      cwd: root,
      ...more,
    });
    last = leftOut.exec(output.stderr + output.stdout)?.[1] ?? last;
    return output;
  };

  return {
    operation: () => last,
    run,
    async writeFiles(change, files) {
      for (const path of Object.keys(files)) checkPath(path);
      await withStaging(async (folder) => {
        const staged = join(folder, "content");
        const editor = await replacingEditor(staged, folder);
        for (const [path, content] of Object.entries(files)) {
          if (content === null) continue;
          await writeFile(staged, content);
          await run(["file", "edit", "-r", change, "--", path], { editor });
        }
      });
      const deleted = Object.keys(files).filter((path) => files[path] === null);
      if (deleted.length > 0)
        await run(["file", "delete", "-r", change, "--", ...deleted.map((path) => exactFile(path))]);
    },
    async commitOf(change) {
      const { stdout } = await jj.run({
        args: [...pinned(root, last), "log", "--no-graph", "-r", change, "-T", "self.commit_id()"],
        cwd: root,
      });
      return stdout;
    },
  };
}
