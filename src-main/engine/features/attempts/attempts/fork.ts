/** "Fork from here": another agent continues from a turn of a conversation, on a parallel change. */

import type { ForkPreview } from "#shared/contract/commands/worker.ts";
import type { CommandInput } from "#shared/contract/commands.ts";
import type { ConversationTurn } from "#shared/domain/attempt/attempt-events.ts";
import { type TranscriptTurn, turnsOf } from "#shared/domain/conversation/conversation.ts";
import { isOver } from "#shared/domain/run/stage-state.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { reassignedTo, type WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { ResumeToken } from "../../../../agent/agent-interface.ts";
import { answersIn, forkPrefix } from "../../../../agent/message-history.ts";
import { refuseChoice, refuseUse } from "../../../conversations/agent-limits.ts";
import { checkChoice } from "../../../conversations/check-choice.ts";
import { modelOf } from "../../../conversations/conversation-factory.ts";
import { EngineRefusal, explain } from "../../../engine-errors.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isSetAside } from "../../../workers/attempts.ts";
import { beginsWith } from "../../../workers/inherited-context.ts";
import { mergeRequestOf } from "../../../workers/merge-request.ts";
import { save } from "../../../workspaces/save-workspace.ts";
import { addAttempt, createChange, isTaskOpen } from "./make-attempt.ts";

/** What a fork would do now. */
export async function previewFork(run: Run, at: ConversationTurn): Promise<ForkPreview> {
  const record = forkable(run, at.worker);
  const shown = { ...at, title: record.title, model: modelOf(run, at.worker) };
  try {
    const { files } = await beginning(run, record, at);
    return { ...shown, files, refusal: null };
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    const { message, remedy } = explain(error);
    return { ...shown, files: "", refusal: { reason: message, remedy: remedy ?? "" } };
  }
}

/** @returns the name of the new agent. @throws EngineRefusal for what cannot be */
export async function fork(
  run: Run,
  { worker, iteration, turn, words, model }: CommandInput<"attempt.fork">,
): Promise<string> {
  const record = forkable(run, worker);
  // A model without a price cannot be held to a budget.
  if (model !== null) checkChoice(run.config, model, "agent");
  if (model !== null) refuseChoice(run, model, "inherit");
  refuseTooMany(run);
  const { history, files, commit } = await beginning(run, record, { worker, iteration, turn });
  const name = addAttempt(run, record, {
    origin: { worker, iteration, turn, words, files, commit },
    history,
    model: model ?? record.model,
  });
  run.appendTranscript(worker, {
    kind: "notice",
    text: `You forked ${name} from turn ${turn} of iteration ${iteration}.`,
  });
  await createChange(run, name);
  run.schedule();
  return name;
}

/** Forks are workers of the run like any other. */
function refuseTooMany(run: RunReader): void {
  const most = run.config.limits.workersPerRun;
  const tried = [...run.workers.values()].filter(({ record }) => record.task !== null).length;
  if (tried >= most)
    throw new EngineRefusal(
      `This run has ${tried} workers; the maximum is ${most}.`,
      "Raise workers_per_run in [limits] of .hox/config.toml.",
    );
}

function forkable(run: RunReader, name: string): WorkerRecord {
  const record = run.workers.get(name)?.record;
  if (!record)
    throw new EngineRefusal(`No agent named ${name} in this run.`, "List its agents with `hox status`.");
  return record;
}

interface Beginning {
  readonly history: ResumeToken;
  readonly commit: string | null;
  /** As text, for the user and for the fork. */
  readonly files: string;
}

async function beginning(run: Run, record: WorkerRecord, at: ConversationTurn): Promise<Beginning> {
  refuseWho(run, record);
  const turns = turnsOf(run.journal.rows(run.id, record.name)).filter(
    ({ iteration }) => iteration === at.iteration,
  );
  const turn = turns.find((one) => one.turn === at.turn);
  if (!turn)
    throw new EngineRefusal(
      turns.length === 0
        ? `${record.name} has no iteration ${at.iteration}.`
        : `Iteration ${at.iteration} of ${record.name} has ${turns.length} ${turns.length === 1 ? "turn" : "turns"}.`,
      "See the turns in its transcript.",
    );
  const history = historyAt(run, record, turn);
  const isLast = turn.turn === turns.length;
  return { history, ...(await filesAt(run, record, turn, isLast)) };
}

function refuseWho(run: RunReader, record: WorkerRecord): void {
  const { name, role, parent, task } = record;
  if (isOver(run.state))
    throw new EngineRefusal(
      "This run has ended.",
      "Start a new run from the change that you want to continue.",
    );
  if (!roles[role].canWriteTask)
    throw new EngineRefusal(
      roles[role].isLead
        ? `${name} is an orchestrator: a second one would decide about the same tasks.`
        : `${name} has no task in the plan.`,
      roles[role].isLead ? "Fork one of its agents, or send it a message." : "Fork an agent.",
    );
  refuseUse(run, name, "fork");
  const successor = reassignedTo(record);
  if (successor !== null)
    throw new EngineRefusal(
      `The task of ${name} was reassigned to ${successor}.`,
      `Fork ${successor} instead.`,
    );
  if (task === null || parent === null)
    throw new EngineRefusal(`${name} has no task.`, "Fork an agent that has a task.");
  if (isSetAside(run, name))
    throw new EngineRefusal(`The attempt of ${name} was abandoned.`, "Undo the choice first.");
  if (record.status === "abandoned")
    throw new EngineRefusal(`The task of ${name} was abandoned.`, "Restore its change with `jj undo`.");
  if (record.changeId === null)
    throw new EngineRefusal(`${name} has not started.`, "Wait until its change is in the graph.");
  if (mergeRequestOf(run, name).state.stage === "merged" || !isTaskOpen(run, parent, task))
    throw new EngineRefusal(
      `The task of ${name} is done, and other tasks build on it.`,
      `Undo the work of ${name}, then fork it.`,
    );
}

function historyAt(run: Run, { name, iteration: ended }: WorkerRecord, turn: TranscriptTurn): ResumeToken {
  const isOpen = turn.iteration > ended;
  const kept = isOpen
    ? run.journal.keptOpen(run.id, name)
    : run.journal.keptConversation(run.id, name, turn.iteration);
  if (kept === "made-way")
    throw new EngineRefusal(
      `The conversation of iteration ${turn.iteration} of ${name} was deleted to make room for newer ones.`,
      "Fork from a later iteration.",
    );
  // A fork's first conversation begins with its origin's answers, which are not its own turns.
  const before = turn.iteration === 1 ? beginsWith(run, name) : null;
  const nth = turn.turn + (before === null ? 0 : answersIn(before));
  const history = kept && forkPrefix(kept, { nth, calls: turn.calls });
  if (history) return history;
  throw new EngineRefusal(
    `The conversation of iteration ${turn.iteration} of ${name} is not available.`,
    "It was deleted when its task changed. Fork from a later turn.",
  );
}

/**
 * Files are saved at the end of an iteration; within one they are as at its start, unless it is the current
 * turn.
 */
async function filesAt(
  run: Run,
  { name, iteration: ended }: WorkerRecord,
  { iteration, turn }: TranscriptTurn,
  isLast: boolean,
): Promise<Omit<Beginning, "history">> {
  if (isLast) {
    const commit = iteration > ended ? await savedNow(run, name) : commitAfter(run, name, iteration);
    if (commit !== null)
      return {
        commit,
        files: `They are exactly as ${name} had them after turn ${turn} of iteration ${iteration}.`,
      };
  }
  const before = commitAfter(run, name, iteration - 1);
  return {
    commit: before,
    files:
      before === null
        ? `They are as ${name} found them when it began: none of what it wrote until turn ${turn} of iteration ${iteration} is in them. Read a file before you build on it.`
        : `They are as ${name} had them when iteration ${iteration} began: what it wrote in that iteration until turn ${turn} is not in them. Read a file before you build on it.`,
  };
}

function commitAfter(run: Run, name: string, iteration: number): string | null {
  const kept = run.journal.keptConversation(run.id, name, iteration);
  return kept === null || kept === "made-way" ? null : kept.commit;
}

async function savedNow(run: Run, name: string): Promise<string | null> {
  const workspace = run.workspaces.of(name);
  return workspace ? (await save(workspace)).commitId : null;
}
