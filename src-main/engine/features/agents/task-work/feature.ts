import { endOf } from "#shared/domain/run/stage-state.ts";
import {
  type PromptText,
  pathLines,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import type { WorkerNote } from "#shared/domain/worker/worker-record.ts";
import { instructionsForTask } from "../../../conversations/project-instructions.ts";
import type { Feature } from "../../../kernel/feature.ts";
import type { Run } from "../../../ports.ts";
import { checkLines, checkNames, portLines } from "../../../prompts.ts";
import { siblingAttempts } from "../../../workers/attempts.ts";
import { parentOf, workersBelow } from "../../../workers/hierarchy.ts";
import { applyMergeRequestEvent } from "../../../workers/merge-request.ts";
import { withdrawQuestions } from "../../decisions/questions/feature.ts";

/** An agent's task in its prompt, and the handling of tasks that were never finished. */
export const taskWork: Feature<Run> = {
  name: "task-work",
  agents: {
    prompt: {
      task: (_, { heading, description, facts }) => [
        heading,
        promptLine`Iteration ${facts.iteration}.`,
        section("Task", description()),
      ],
      instructions: (run, { worker }) => [instructionsForTask(run, run.worker(worker).record)],
      handover: (run, { worker }) => noteSections(run.worker(worker).record.notes),
      checks: (run, { worker, checks }) => [
        section("Checks", checkNames(checks)),
        section("Ports", portLines(run.worker(worker).record.ports)),
      ],
      progress: (_, { diff, facts }) => [
        section("Your changes so far", diff === null ? [] : [quoteText(diff)]),
        section("Last checks", [
          ...checkLines(facts.failures),
          ...facts.notes.map((note) => promptLine`- ${note}`),
        ]),
      ],
    },
  },
  onGraph: (run) => () => readAbandonedTasks(run),
  atRunEnd: releaseUnfinishedTasks,
};

/** A task ends when the user abandons its change. */
async function readAbandonedTasks(run: Run): Promise<void> {
  for (const { record } of run.workers.values()) {
    const { task, changeId, status, name } = record;
    if (task === null || changeId === null || run.changes.has(changeId)) continue;
    // A rewrite by hand may have dropped the trailer; only a change that is gone was abandoned.
    const still = await run.repository.commitsNamed(changeId);
    if (still.length > 0 || status === "abandoned") continue;
    if (siblingAttempts(run, name).length === 0) abandonTask(run, name, task);
    else giveUpAttempt(run, name, task);
  }
}

/** Other attempts at the task continue. */
function giveUpAttempt(run: Run, worker: string, task: string): void {
  const orchestrator = parentOf(run, worker);
  run.append(
    { kind: "AttemptGivenUp", orchestrator, task, attempt: worker },
    { kind: "WorkAbandoned", worker },
  );
  leave(run, worker);
}

/** Ends the work on it and on its dependents, and withdraws their open questions. */
function abandonTask(run: Run, worker: string, task: string): void {
  run.dispatch({ kind: "TaskAbandoned", task }, parentOf(run, worker));
  const gone = [worker, ...workersBelow(run, worker).map(({ record }) => record.name)];
  for (const name of gone) {
    run.append({ kind: "WorkAbandoned", worker: name });
    leave(run, name);
  }
}

function leave(run: Run, name: string): void {
  applyMergeRequestEvent(run, name, { kind: "Withdrawn" });
  run.setActivity(name, "failed", "its task was abandoned");
  withdrawQuestions(run, name, "The task that the question came from was abandoned.");
  run.inbox.withdraw(
    (item) => (item.kind === "trouble" || item.kind === "protected") && item.worker === name,
    "The task was abandoned.",
  );
}

/** At a run's end unfinished tasks are marked, for the user or another run to take over. */
async function releaseUnfinishedTasks(run: Run): Promise<void> {
  // The state that the user has just restored must not be changed.
  if (endOf(run.state) === "restore") return;
  const changes = await run.repository.changesOfRun(run.id);
  const left = changes.filter(({ metadata, divergent }) => metadata.status === "in_progress" && !divergent);
  if (left.length === 0) return;
  await run.repository.setMetadata(
    left.map(({ changeId }) => ({ change: changeId, patch: { status: "open" } })),
    { actor: "hox" },
  );
}

/** Sections of a prompt, in the order in which things happened. */
const noteSections = (notes: readonly WorkerNote[]): readonly PromptText[] =>
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
