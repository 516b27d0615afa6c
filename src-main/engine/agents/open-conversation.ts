/** The conversation that a worker is in the middle of, kept so that a pause, a failure or a crash costs none of it. */
import type { Conversation } from "../../agent/agent-interface.ts";
import type { ModelMessage } from "../../model/driver-interface.ts";
import type { Run } from "../ports.ts";

export interface LeftOpen {
  readonly key: string;
  readonly messages: readonly ModelMessage[];
  /** Change ids of the messages that its prompt brought. */
  readonly delivered: readonly string[];
  /** As this process knows it; null when an earlier one began it, or the settings of its tools have changed. */
  readonly conversation: Conversation | null;
}

/** What was left open for exactly this, in this process or in an earlier one. */
export function leftOpen(run: Run, worker: string, key: string): LeftOpen | null {
  const { open } = run.worker(worker);
  const stored = run.journal.openConversation(run.id, worker);
  if (stored?.key !== key) return null;
  return open?.key === key && open.config === run.config
    ? { ...stored, messages: open.conversation.messages, conversation: open.conversation }
    : { ...stored, conversation: null };
}

/** Goes on in what was left open: `run(null)` asks for nothing that was answered already. */
export function goOn(
  run: Run,
  worker: string,
  left: LeftOpen,
  begin: Begin,
  iteration?: number,
): Conversation {
  const { key, messages, conversation } = left;
  const open =
    conversation ?? begin({ history: messages, iteration, onTurn: keeper(run, worker, key, messages) });
  run.worker(worker).open = { key, conversation: open, config: run.config };
  return open;
}

/** Begins another conversation; from its prompt on it stands in the journal in place of the one before. */
export function beginAnew(
  run: Run,
  worker: string,
  key: string,
  begin: Begin,
  options: {
    readonly history?: readonly ModelMessage[];
    readonly iteration?: number;
    readonly delivered?: () => readonly string[];
  } = {},
): Conversation {
  const { history = [], iteration, delivered = () => [] } = options;
  const conversation = begin({ history, iteration, onTurn: keeper(run, worker, key, null, delivered) });
  run.worker(worker).open = { key, conversation, config: run.config };
  return conversation;
}

/** Writes what grew and nothing else; `written` is what the journal holds, null when that is another conversation. */
export function keeper(
  run: Run,
  worker: string,
  key: string,
  written: readonly ModelMessage[] | null,
  delivered: () => readonly string[] = () => [],
): (messages: readonly ModelMessage[]) => void {
  let known = written;
  return (messages) => {
    if (known === null)
      run.journal.beginConversation(run.id, worker, { key, delivered: delivered(), messages });
    else {
      const before = known;
      run.journal.growConversation(
        run.id,
        worker,
        key,
        [...messages.entries()].filter(([place, message]) => before[place] !== message),
      );
    }
    known = [...messages];
  };
}

/** Begins a conversation, or goes on in the one that `history` tells of. */
export type Begin = (begin?: {
  readonly history?: readonly ModelMessage[];
  readonly iteration?: number | undefined;
  readonly onTurn?: (messages: readonly ModelMessage[]) => void;
}) => Conversation;
