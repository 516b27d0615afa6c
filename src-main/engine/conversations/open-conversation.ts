/** The conversation that a worker is in the middle of, kept so that a pause, a failure or a crash costs none of it. */
import type { Conversation, ResumeToken } from "../../agent/agent-interface.ts";
import type { RunJournal, RunReader } from "../ports.ts";
import type { StartConversation } from "./conversation-factory.ts";

export interface OpenConversation {
  readonly key: string;
  readonly token: ResumeToken;
  /** Change ids of the messages that its prompt brought. */
  readonly delivered: readonly string[];
  /** As this process knows it; null when an earlier one began it, or the settings of its tools have changed. */
  readonly conversation: Conversation | null;
}

/** The conversation that was left open for exactly this, in this process or an earlier one. */
export function openConversation(
  run: RunReader & RunJournal,
  worker: string,
  key: string,
): OpenConversation | null {
  const { open } = run.worker(worker);
  const stored = run.journal.openConversation(run.id, worker);
  if (stored?.key !== key) return null;
  return open?.key === key && open.config === run.config
    ? { ...stored, token: open.conversation.token, conversation: open.conversation }
    : { ...stored, conversation: null };
}

/** Resumes a conversation that was left open: `run(null)` repeats no answered request. */
export function resumeConversation(
  run: RunReader & RunJournal,
  worker: string,
  left: OpenConversation,
  start: StartConversation,
  iteration?: number,
): Conversation {
  const { key, token, conversation } = left;
  const open =
    conversation ?? start({ token, iteration, onTurn: persistTurns(run, worker, key, token, () => []) });
  run.worker(worker).open = { key, conversation: open, config: run.config };
  return open;
}

/** Starts another conversation, which replaces the one before in the journal from its prompt on. */
export function startConversation(
  run: RunReader & RunJournal,
  worker: string,
  key: string,
  start: StartConversation,
  options: {
    /** What it knows already. */
    readonly history?: ResumeToken | null;
    readonly iteration?: number;
    readonly delivered?: () => readonly string[];
  } = {},
): Conversation {
  const { history = null, iteration, delivered = () => [] } = options;
  const onTurn = persistTurns(run, worker, key, null, delivered);
  const conversation = start({ token: history, iteration, onTurn });
  run.worker(worker).open = { key, conversation, config: run.config };
  return conversation;
}

/** Writes what is new and nothing else; `written` is what the journal holds, null when that is another conversation. */
function persistTurns(
  run: RunReader & RunJournal,
  worker: string,
  key: string,
  written: ResumeToken | null,
  delivered: () => readonly string[],
): (token: ResumeToken) => void {
  let known = written;
  return (token) => {
    if (known === null) run.journal.beginConversation(run.id, worker, { key, delivered: delivered(), token });
    else {
      const before = known.parts;
      run.journal.growConversation(
        run.id,
        worker,
        key,
        [...token.parts.entries()].filter(([place, part]) => before[place] !== part),
      );
    }
    known = token;
  };
}
