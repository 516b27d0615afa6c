/**
 * The project's instructions for agents: `AGENTS.md` and `CLAUDE.md`, in the root and in folders. Read from a
 * run's base commit, which the user made, and never from a workspace, where an agent could write one.
 */
import { createHash } from "node:crypto";
import { isInstructionFile, reachesAnyOf } from "#shared/domain/files/protected-files.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { type PromptText, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import { explain } from "../engine-errors.ts";
import { inform, warn } from "../kernel/notify.ts";
import { ownLog, type Run } from "../ports.ts";
import { parentOf } from "../workers/hierarchy.ts";

export interface Instruction {
  readonly path: string;
  /** Of the whole file. */
  readonly hash: string;
  /** As far as there is room for it. */
  readonly text: string;
  readonly isCut: boolean;
}

/** Every prompt of an agent carries them: they must leave room for the task. */
const limits = { files: 40, each: 16_000, fileBytes: 200_000 };
/** All that one prompt takes of them. */
const most = 48_000;

const step = "project-instructions";

/** What is known of them; nothing before `readInstructions`. */
const instructionsOf = (run: Run): readonly Instruction[] =>
  run.journal.step<readonly Instruction[]>(run.id, step)?.result ?? [];

/** Reads them once for a run, and shows the user those that are new or changed. */
export async function readInstructions(run: Run): Promise<void> {
  await run.step(step, async () => {
    const found = await find(run);
    show(run, found);
    return found;
  });
}

/** What a run has read it has shown, unless another one had before. */
function show(run: Run, found: readonly Instruction[]): void {
  const known = new Map(
    run.journal
      .runs()
      .flatMap(({ id }) => run.journal.step<readonly Instruction[]>(id, step)?.result ?? [])
      .map(({ path, hash }) => [`${path} ${hash}`, path]),
  );
  const unseen = found.filter(({ path, hash }) => !known.has(`${path} ${hash}`));
  if (unseen.length === 0) return;
  const changed = new Set(known.values());
  inform(
    run,
    `Agents get the instructions in ${unseen
      .map(
        ({ path, hash }) => `${shownName(path)} (${changed.has(path) ? "changed, " : ""}${hash.slice(0, 8)})`,
      )
      .join(", ")}.`,
    "Review it at the run's base commit. Hox shows this again when it changes.",
  );
  for (const { path, hash, text, isCut } of unseen)
    run.appendTranscript(ownLog, {
      kind: "notice",
      text: `Instructions of the project, ${shownName(path)} (${hash}):\n${text}${isCut ? "\n[the rest is left out]" : ""}`,
    });
}

async function find(run: Run): Promise<readonly Instruction[]> {
  const { onto } = run.facts;
  if (onto === null) return [];
  try {
    return await instructionsAt(run.repository, onto.commitId, run.runEnded.signal);
  } catch (error) {
    if (run.runEnded.signal.aborted) throw error;
    const { message } = explain(error);
    warn(
      run,
      `The project's instructions (AGENTS.md, CLAUDE.md) could not be read: ${message}`,
      "No action needed: the run continues without them.",
    );
    return [];
  }
}

/** Instructions in a commit, without a run. */
export async function instructionsAt(
  repository: Run["repository"],
  commit: string,
  signal?: AbortSignal,
): Promise<readonly Instruction[]> {
  const files = (await repository.listFiles(commit)).filter(isInstructionFile);
  if (files.length === 0) return [];
  const near = files.toSorted((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
  const texts = await repository.readTexts(commit, near.slice(0, limits.files), {
    maxFileBytes: limits.fileBytes,
    ...(signal ? { signal } : {}),
  });
  return [...texts].map(([path, whole]) => {
    const text = startOf(whole, limits.each);
    const hash = createHash("sha256").update(whole).digest("hex").slice(0, 16);
    return { path, hash, text, isCut: text.length < whole.length };
  });
}

/** What a run has read, as a section of a prompt. @param files as of `sectionOfInstructions` */
export const instructionSection = (run: Run, files: readonly string[] | null): PromptText =>
  sectionOfInstructions(instructionsOf(run), files);

/**
 * The section of a prompt that quotes them, outer folders before inner ones.
 *
 * @param files the reader's claims: instructions of other folders are left out; null: all
 */
export function sectionOfInstructions(
  instructions: readonly Instruction[],
  files: readonly string[] | null,
): PromptText {
  let room = most;
  const lines: PromptText[] = [];
  for (const { path, text, isCut } of instructions) {
    if (files !== null && !reachesAnyOf(path, files)) continue;
    const shown = startOf(text, room);
    room -= shown.length;
    if (lines.length > 0) lines.push(promptLine``);
    lines.push(promptLine`From ${shownName(path)}:`, quoteText(shown));
    if (isCut || shown.length < text.length) lines.push(promptLine`The rest is in the file.`);
    if (room <= 0) break;
  }
  return section("Instructions of the project", lines);
}

/** Those for the files of a worker's task; all of them for a worker without one. */
export function instructionsForTask(run: Run, { name, role, task }: WorkerRecord): PromptText {
  const files =
    roles[role].canWriteTask && task !== null
      ? (run.orchestratorFacts(parentOf(run, name)).plan?.tasks.find(({ id }) => id === task)?.files ?? null)
      : null;
  return instructionSection(run, files);
}
