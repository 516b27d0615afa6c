import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isRepositoryOf, readNote, writeNote } from "../../config/repository-note.ts";
import { ToolMissing, type ToolName } from "../../config/tools.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { folderGone, JjError } from "../../jj/process/errors.ts";
import { repointWorkspaces } from "../../jj/workspaces/repoint-workspaces.ts";
import type { EngineEvent } from "../engine-interface.ts";
import { inform } from "../kernel/notify.ts";
import type { Run } from "../ports.ts";

/** The worker of its card: one question for all that are blocked. */
const repositoryTrouble = "repository";

/** The error where it is the repository itself that is not where it was, and not one agent's own folder; else null. */
function repositoryGone({ repository: { root } }: Run, error: unknown): JjError | null {
  if (error instanceof JjError && error.kind === "folder-gone" && error.folder === root) return error;
  // jj, Git and the system say a dozen different things of a folder that is not there.
  return existsSync(root) ? null : folderGone(root, { cause: error });
}

interface Problem {
  readonly of: string;
  readonly worker: string | null;
  readonly title: string;
  readonly error: unknown;
}

/** A program that every agent needs and that is not there, or null. */
const missingTool = (error: unknown): ToolName | null =>
  error instanceof ToolMissing
    ? error.tool
    : error instanceof JjError && error.kind === "jj-missing"
      ? "jj"
      : null;

const missingToolTrouble = "missing-tool/";
const missingTitle = (tool: ToolName): string =>
  tool === "sandbox" ? "The sandbox program is missing" : `${tool} is missing`;

/** One card for all agents where the repository or a program is gone; else the trouble as it is. */
export function troubleOfAll<P extends Problem>(run: Run, problem: P): P {
  const tool = missingTool(problem.error);
  if (tool !== null)
    return { ...problem, of: `${missingToolTrouble}${tool}`, worker: null, title: missingTitle(tool) };
  const error = repositoryGone(run, problem.error);
  return error === null
    ? problem
    : {
        ...problem,
        of: repositoryTrouble,
        worker: null,
        title: "The repository was moved or deleted",
        error,
      };
}

/** Withdraws the cards when the repository and its programs are available again. */
export function settleWhatWasGone(run: Run): void {
  const prefix = `${run.id}/trouble/`;
  const gone = run.inbox
    .items()
    .filter(({ id }) => id.startsWith(prefix))
    .map(({ id }) => id.slice(prefix.length, id.lastIndexOf("/")))
    .filter((of) => of === repositoryTrouble || of.startsWith(missingToolTrouble));
  for (const of of new Set(gone)) {
    // First, so that the answer is not applied to the next one.
    run.append({ kind: "TroubleAnswered", of });
    run.inbox.withdraw(({ id }) => id.startsWith(`${prefix}${of}/`), "It is available again.");
  }
}

/**
 * Records whose state this is, and repoints the workspaces of agents if the repository was moved, before they
 * are used. Idempotent.
 */
export async function followMove(
  repository: Pick<Repository, "root" | "currentOperation">,
  stateFolder: string,
  emit: (event: EngineEvent) => void,
): Promise<void> {
  const { root } = repository;
  const before = readNote(stateFolder);
  const mended = await repointWorkspaces(root, await workspacesIn(join(stateFolder, "workspaces")));
  if (before?.root !== root || !isRepositoryOf(before, root))
    await writeNote(stateFolder, { root, operation: await repository.currentOperation() });
  if (before === null || before.root === root) return;
  const followed = mended.length === 0 ? "" : ` ${mended.length} agent workspaces were updated.`;
  inform(
    { emit },
    `This repository was moved here from ${before.root}. Its runs are available again.${followed}`,
  );
}

async function workspacesIn(all: string): Promise<readonly string[]> {
  if (!existsSync(all)) return [];
  const runs = await readdir(all, { withFileTypes: true });
  const found = await Promise.all(
    runs
      .filter((run) => run.isDirectory())
      .map(async ({ name: run }) =>
        (await readdir(join(all, run), { withFileTypes: true }))
          .filter((one) => one.isDirectory())
          .map(({ name }) => join(all, run, name)),
      ),
  );
  return found.flat();
}
