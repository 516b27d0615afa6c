import { startOf } from "#shared/domain/text/cut-text.ts";
import {
  type PromptText,
  pathLines,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import type { WorkerNote } from "#shared/domain/worker/worker-record.ts";
import { checkLines } from "../prompts.ts";

/** Every later prompt carries it, so it must leave room for the task. */
export const maxDiffLength = 12_000;

/** Sections of a prompt, in the order in which things happened. */
export const noteSections = (notes: readonly WorkerNote[]): readonly PromptText[] =>
  notes.map((note) =>
    note.kind === "handed-over"
      ? section(`Handed over by ${note.from}`, handedOver(note))
      : section("Changed by the user by hand", byHand(note)),
  );

const handedOver = (note: Extract<WorkerNote, { kind: "handed-over" }>): readonly PromptText[] => [
  promptLine`${note.from} worked on this task for ${note.iterations} ${note.iterations === 1 ? "iteration" : "iterations"}, and ${note.by ?? "the user"} gave it to you. Its work is in your files; keep what is good.`,
  ...(note.files.length === 0
    ? [promptLine`It has changed no file.`]
    : [promptLine`Files it has changed:`, ...pathLines(note.files)]),
  ...(note.summary === "" ? [] : [promptLine``, promptLine`It said of its work: ${note.summary}`]),
  ...(note.questions.length === 0
    ? []
    : [
        promptLine``,
        promptLine`Its open questions:`,
        ...note.questions.map((question) => promptLine`- ${question}`),
      ]),
  ...(note.checks.length === 0
    ? []
    : [promptLine``, promptLine`Its last checks:`, ...checkLines(note.checks)]),
  ...(note.words === ""
    ? []
    : [
        promptLine``,
        note.by === undefined
          ? promptLine`The user says: ${note.words}`
          : promptLine`${note.by} says: ${note.words}`,
      ]),
];

const byHand = (note: Extract<WorkerNote, { kind: "by-hand" }>): readonly PromptText[] => [
  note.files.length === 0
    ? promptLine`The user had your task in hand and changed no file.`
    : promptLine`The user worked on your task and changed these files. Do not take that back; go on from it.`,
  ...pathLines(note.files),
  ...(note.words === "" ? [] : [promptLine``, promptLine`The user says: ${note.words}`]),
  ...(note.diff === "" ? [] : [promptLine``, quoteText(note.diff)]),
];

/** A diff that leaves room for the task: cut at a line, and says that it was cut. */
export function shortenedDiff(diff: string): string {
  if (diff.length <= maxDiffLength) return diff.trimEnd();
  const end = diff.lastIndexOf("\n", maxDiffLength);
  return `${startOf(diff, end > 0 ? end : maxDiffLength)}\n[cut: read the files for the rest]`;
}
