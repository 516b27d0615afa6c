import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WriteOptions } from "../ports/graph-writer.ts";
import { JjError } from "../process/errors.ts";
import { onlyVisible } from "../process/only-visible.ts";
import type { Jj, JjOutput } from "../process/process.ts";
import { newMark, writeMarks } from "../write/marks.ts";
import { exactFile, pinned } from "./read-access.ts";

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
async function withStaging<T>(task: (folder: string) => Promise<T>): Promise<T> {
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

/** What makes a text be a file's whole content when jj asks for it to be edited; jj appends that file's path. */
const shell = 'mkdir -p -- "$(dirname -- "$1")" && cat -- "$0" > "$1"';

/**
 * The same for Windows, as a batch file: it is in every Windows, and takes paths as they are. Hox's own program would
 * not do: packaged, it has given up running scripts (the fuse `runAsNode`), and would open a window for each file.
 */
const batch = [
  "@echo off",
  "setlocal disabledelayedexpansion",
  'if not exist "%~dp2" mkdir "%~dp2"',
  'copy /b /y "%~f1" "%~f2" >nul',
  "if errorlevel 1 exit 1",
  "exit 0",
  "",
].join("\r\n");

/**
 * The editor command that replaces what jj shows it by the content of a file. The folder of the file that jj names may
 * be new.
 * @param staged the file with the content
 * @param folder a private folder that stays until jj has ended
 * @returns program and arguments for `JjCall.editor`
 */
export async function replacingEditor(
  staged: string,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): Promise<readonly string[]> {
  if (platform !== "win32") return ["/bin/sh", "-c", shell, staged];
  const script = join(folder, "replace-file.cmd");
  await writeFile(script, batch);
  return [script, staged];
}

/** The change that `jj new` says it made; our settings make it say whole ids. */
export const createdIn = (output: JjOutput): Created =>
  parseCreated(output, /^Created new commit (?<commit>[0-9a-f]+) (?<change>[k-z]+)/mu);

/** The same of `jj duplicate`. */
export const duplicatedIn = (output: JjOutput): Created =>
  parseCreated(output, /^Duplicated [0-9a-f]+ as (?<commit>[0-9a-f]{40,}) (?<change>[k-z]{32})/mu);

interface Created {
  readonly changeId: string;
  readonly commitId: string;
}

function parseCreated(output: JjOutput, line: RegExp): Created {
  const { commit, change } = (line.exec(output.stderr) ?? line.exec(output.stdout))?.groups ?? {};
  if (commit === undefined || change === undefined)
    throw new JjError({
      kind: "failed",
      message: "jj did not report which change it created.",
      stderr: output.stderr,
      remedy: "Check the installed jj's version; Hox is developed against 0.46.",
    });
  return { commitId: commit, changeId: change };
}

/** The new description of a change. */
export interface NewText {
  readonly commit: string;
  readonly change: string;
  readonly text: string;
}

/**
 * Whether jj keeps the texts as they are when it describes several changes in one operation, which it does only through an
 * editor: of that it drops comment lines, empty texts, empty lines around a text, and carriage returns at the ends of lines.
 */
export const canDescribeTogether = (texts: readonly NewText[]): boolean =>
  texts.every(
    ({ text }) => text.trim() !== "" && !/^JJ:|^\n|\n\n$|\r\n|\r$/.test(text) && !/^JJ:/m.test(text),
  );

/**
 * Describes several changes with one process.
 * @param run runs the command with the editor that it is given
 */
export const describeTogether = <T>(
  texts: readonly NewText[],
  run: (args: readonly string[], editor: readonly string[]) => Promise<T>,
): Promise<T> =>
  withStaging(async (folder) => {
    const staged = join(folder, "descriptions");
    await writeFile(
      staged,
      texts.map(({ commit, text }) => `JJ: describe ${commit.slice(0, 12)} -------\n${text}\n`).join(""),
    );
    const commits = texts.flatMap(({ commit }) => ["-r", onlyVisible(commit)]);
    return run(["describe", ...commits], await replacingEditor(staged, folder));
  });

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
