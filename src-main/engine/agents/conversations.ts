import type { ConversationEntry, ConversationRow } from "#shared/domain/conversation.ts";
import type { Journal } from "../../journal/journal.ts";
import type { EngineEvent } from "../engine-interface.ts";

/** Text arrives in small pieces; a screen needs no more than one update per frame or two. */
const batchMs = 33;

const retries = 3;
const retryMs = 100;
/** Of a journal that takes nothing for long, the newest rows are kept. */
const mostUnwritten = 5_000;

/**
 * Records what a worker says and does, in the journal and on screen. A worker can do without: what cannot be written is
 * tried again, kept, and told of once. Nothing here throws. (PLAN-7)
 */
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
  /** Once for each time that rows could not be written in spite of trying again. */
  readonly onError: (error: unknown) => void;
}): Recorder {
  const { journal, run, worker } = options;
  let next = journal.rowCount(run, worker);
  let last: ConversationRow | null = null;
  let waiting: ConversationRow[] = [];
  let unwritten: readonly ConversationRow[] = [];
  let failures = 0;
  let timer: NodeJS.Timeout | null = null;

  const flush = () => {
    if (timer) clearTimeout(timer);
    timer = null;
    const rows = waiting;
    waiting = [];
    const all = [...unwritten, ...rows];
    if (all.length === 0) return;
    try {
      journal.setRows(run, worker, all);
      unwritten = [];
      failures = 0;
    } catch (error) {
      unwritten = all.slice(-mostUnwritten);
      failures += 1;
      if (failures <= retries) timer = setTimeout(flush, retryMs * failures);
      else if (failures === retries + 1) options.onError(error);
    }
    if (rows.length > 0) options.emit({ kind: "conversation", run, worker, rows });
  };

  const add = (row: ConversationRow) => {
    last = row;
    if (waiting.at(-1)?.index === row.index) waiting[waiting.length - 1] = row;
    else waiting.push(row);
    timer ??= setTimeout(flush, batchMs);
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
