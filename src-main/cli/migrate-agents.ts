/** `hox agents migrate`: files of the tool before, as this version reads them. (HIVE-12) */
import { lstat } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { type LineChange, migrateAgentText } from "#shared/domain/agent-file/migrate-agent-text.ts";
import { maxAgentFileBytes } from "#shared/domain/agent-file/named-agent.ts";
import { parseAgentFile } from "#shared/domain/agent-file/parse-agent-file.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { judgeModel, markdownIn } from "../agent-files/read-agent-files.ts";
import { writeFileAtomically } from "../config/atomic-file.ts";
import { FileRefused, readRepositoryFile, writablePath } from "../disk/repository-files.ts";
import { agentsPlace, problemText } from "./agents.ts";
import {
  CommandError,
  type CommonOptions,
  type ExitCode,
  exitCode,
  invocationFolder,
} from "./command-line.ts";
import { print, printError, printJson } from "./output.ts";

export interface MigrateOptions extends CommonOptions {
  /** A folder of the tool before; left out: that of the repository's own agents. */
  readonly from?: string;
  readonly write?: boolean;
}

/** One file that would be written. */
interface Move {
  /** Absolute. */
  readonly source: string;
  readonly target: string;
  /** As people know the target, from the root. */
  readonly path: string;
  readonly text: string;
  readonly changes: readonly LineChange[];
}

/** Shows what would be written; with `write` it is, all of it or nothing. */
export async function migrateAgents(options: MigrateOptions): Promise<ExitCode> {
  const { root, folder } = await agentsPlace(options);
  const [top, inTop] =
    options.from === undefined ? [root, folder] : [resolve(invocationFolder(), options.from), ""];
  const from = join(top, inTop);
  const names = (await markdownIn(top, inTop)).filter((name) => basename(name).toLowerCase() !== "readme.md");
  if (names.length === 0)
    throw new CommandError(`No agent files in ${from}.`, "Give their folder: --from <folder>");
  const moves: Move[] = [];
  for (const name of names) {
    const source = join(top, name);
    const { text, changes } = migrateAgentText(basename(name), textOf(top, name));
    const target = writable(root, join(folder, basename(name)));
    if (changes.length > 0 || source !== target)
      moves.push({ source, target, path: relative(root, target).replaceAll("\\", "/"), text, changes });
  }
  if (options.write) await refuseOverwriting(moves);
  for (const move of moves) tell(move, options);
  if (options.write) for (const { target, text } of moves) await writeFileAtomically(target, text);
  if (!options.json) print(formatSummary(moves, names.length, options));
  return exitCode.done;
}

const textOf = (root: string, path: string): string =>
  orCommandError(() => readRepositoryFile(root, path, maxAgentFileBytes) ?? "");

const writable = (root: string, path: string): string => orCommandError(() => writablePath(root, path));

function orCommandError<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FileRefused)
      throw new CommandError(`${error.message} Nothing was written.`, error.remedy);
    throw error;
  }
}

/** Overwrites its own file, or creates a new one. */
async function refuseOverwriting(moves: readonly Move[]): Promise<void> {
  for (const { source, target, path } of moves) {
    if (source === target) continue;
    const isThere = await lstat(target).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return false;
        throw error;
      },
    );
    if (isThere)
      throw new CommandError(
        `${path} already exists. Nothing was written.`,
        "Remove or rename one of the two files, then try again.",
      );
  }
}

function tell({ source, target, path, text, changes }: Move, options: MigrateOptions): void {
  const { problems } = parseAgentFile({ path, kind: "hox", text }, judgeModel);
  if (options.json) {
    printJson({ kind: "move", from: source, path, isWritten: options.write === true, changes, problems });
    return;
  }
  print(`${shownName(path)}${source === target ? "" : `  from ${shownName(source)}`}`);
  for (const { line, before, after } of changes) {
    if (before !== null) print(`  ${line}: - ${shownLine(before)}`);
    if (after !== null) print(`  ${line}: + ${shownLine(after)}`);
  }
  for (const problem of problems) printError(problemText(problem));
}

function formatSummary(moves: readonly Move[], count: number, { write }: MigrateOptions): string {
  if (moves.length === 0) return `${counted(count, "file")}, none in the old format. Nothing to do.`;
  const files = counted(moves.length, "file");
  return write ? `${files} written.` : `Nothing was written. To write ${files}: hox agents migrate --write`;
}
