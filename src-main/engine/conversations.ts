import type { ConversationEntry, ConversationRow } from "#shared/domain/conversation.ts";
import type { Journal } from "../journal/journal.ts";
import type { EngineEvent } from "./engine-interface.ts";

/** Text arrives in small pieces; a screen needs no more than one update per frame or two. */
const batchMs = 33;

/** Records what a worker says and does: first in the journal, then on screen. */
export interface Recorder {
  entry(entry: ConversationEntry): void;
  flush(): void;
}

export function createRecorder(options: {
  readonly journal: Journal;
  readonly run: string;
  readonly worker: string;
  readonly now: () => number;
  readonly emit: (event: EngineEvent) => void;
  readonly onError: (error: unknown) => void;
}): Recorder {
  const { journal, run, worker } = options;
  let next = journal.rowCount(run, worker);
  let last: ConversationRow | null = null;
  let waiting: ConversationRow[] = [];
  let timer: NodeJS.Timeout | null = null;

  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    if (waiting.length === 0) return;
    const rows = waiting;
    waiting = [];
    journal.setRows(run, worker, rows);
    options.emit({ kind: "conversation", run, worker, rows });
  };

  const add = (row: ConversationRow) => {
    last = row;
    if (waiting.at(-1)?.index === row.index) waiting[waiting.length - 1] = row;
    else waiting.push(row);
    timer ??= setTimeout(() => {
      try {
        flush();
      } catch (error) {
        options.onError(error);
      }
    }, batchMs);
  };

  return {
    entry(entry) {
      if ((entry.kind === "text" || entry.kind === "thinking") && last?.kind === entry.kind) {
        add({ ...last, text: last.text + entry.text });
        return;
      }
      add({ index: next, at: options.now(), ...entry });
      next += 1;
    },
    flush,
  };
}
