/** The workers of an active run: what each is doing and writing. Only transcripts are stored. */

import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { endOf, startOf } from "#shared/domain/text/format-text.ts";
import type { WorkerRecord } from "#shared/domain/worker/worker-record.ts";
import type { MetricsCollector } from "../../metrics/collector.ts";
import { createTranscripts } from "../conversations/transcript.ts";
import type { EngineEvent } from "../engine-interface.ts";
import { warnOf } from "../kernel/notify.ts";
import { ownLog, type Run, type Worker } from "../ports.ts";
import { nobodyCalled } from "./run-store.ts";

export interface LiveWorkers
  extends Pick<Run, "workers" | "worker" | "setActivity" | "appendTranscript" | "flush"> {
  /** Adds the workers that joined, and removes those that did not after all. */
  follow(names: readonly string[]): void;
}

export interface LiveWorkersOptions extends Pick<Run, "id" | "journal" | "now" | "monotonic"> {
  readonly metrics: MetricsCollector;
  readonly recordOf: (name: string) => WorkerRecord;
  /** Nobody can be asked while the provider has an outage. */
  readonly isOutage: () => boolean;
  readonly changed: () => void;
  readonly emit: (event: EngineEvent) => void;
}

export function createLiveWorkers(options: LiveWorkersOptions): LiveWorkers {
  const { metrics, recordOf, monotonic, changed, emit } = options;
  const workers = new Map<string, Worker>();
  const recorderOf = createTranscripts({
    journal: options.journal,
    run: options.id,
    now: options.now,
    emit,
    onError: (name, error) => warnOf({ emit }, error, `The transcript of ${name} can't be written`),
  });
  const log = recorderOf(ownLog);
  const asleep = (name: string): Worker => ({
    get record() {
      return recordOf(name);
    },
    activity: "",
    latestText: "",
    state: recordOf(name).status === "done" ? "done" : "sleeping",
    contextTokens: 0,
    lastActivityAt: monotonic(),
    silentAt: null,
    sleep: { since: null, lasted: [] },
    isInterrupted: false,
    signal: null,
    open: null,
    recorder: recorderOf(name),
  });

  const live: LiveWorkers = {
    workers,
    follow(names) {
      for (const name of names) if (!workers.has(name)) workers.set(name, asleep(name));
      for (const name of workers.keys()) if (!names.includes(name)) workers.delete(name);
    },
    worker(name) {
      const worker = workers.get(name);
      if (worker) return worker;
      throw nobodyCalled(name);
    },
    setActivity(name, state, activity) {
      const worker = live.worker(name);
      if (worker.state === state && worker.activity === activity) return;
      worker.state = state;
      worker.activity = activity;
      worker.lastActivityAt = monotonic();
      changed();
    },
    appendTranscript(name, entry) {
      if (name === ownLog) {
        log.entry(entry);
        return;
      }
      const worker = live.worker(name);
      metrics.entry(name, entry);
      worker.recorder.entry(entry);
      worker.lastActivityAt = monotonic();
      followActivity(worker, entry, options.isOutage());
      changed();
    },
    flush(name) {
      if (name === undefined) for (const { recorder } of workers.values()) recorder.flush();
      else workers.get(name)?.recorder.flush();
      if (name === undefined || name === ownLog) log.flush();
    },
  };
  return live;
}

/** A worker's current activity, from its conversation. */
export function followActivity(worker: Worker, entry: ConversationEntry, isOutage: boolean): void {
  worker.latestText = latestTextAfter(worker, entry);
  switch (entry.kind) {
    case "prompt":
    case "thinking":
    case "text":
      worker.state = "thinking";
      worker.activity = entry.kind === "text" ? "writing" : "thinking";
      return;
    case "tool-call":
      worker.state = "tools";
      worker.activity = activityOf(entry.tool, entry.input);
      return;
    case "retry":
      worker.state = "waiting";
      worker.activity = isOutage
        ? "waiting for the provider"
        : `retrying in ${Math.ceil(entry.waitMs / 1000)} s`;
      return;
    default:
      return;
  }
}

/** What a screen has room for, several times over: words come in pieces, and the last ones count. */
const maxLatestText = 600;

/** Deltas of one answer are joined; a call or a prompt starts a new text. */
function latestTextAfter({ latestText, activity }: Worker, entry: ConversationEntry): string {
  if (entry.kind !== "text") return latestText;
  const before = activity === "writing" ? latestText : "";
  return endOf(before + entry.text, maxLatestText);
}

const verbs: Readonly<Record<string, string>> = {
  read_file: "reading",
  write_file: "writing",
  edit_file: "editing",
  list_files: "listing",
  glob: "finding",
  move_file: "moving",
  delete_file: "deleting",
  search: "searching",
  run_command: "running",
  // What agents of other makes say of their calls.
  read: "reading",
  edit: "editing",
  delete: "deleting",
  move: "moving",
  execute: "running",
  fetch: "fetching",
};

function activityOf(tool: string, input: unknown): string {
  const fields: Record<string, unknown> = typeof input === "object" && input !== null ? { ...input } : {};
  const field = (name: string): string => (name in fields ? String(fields[name]) : "");
  const [place]: readonly unknown[] = Array.isArray(fields.locations) ? fields.locations : [];
  const located = typeof place === "object" && place !== null && "path" in place ? String(place.path) : "";
  const about =
    field("path") || field("from") || field("command") || field("pattern") || located || field("title");
  return startOf(`${verbs[tool] ?? tool.replaceAll("_", " ")} ${about}`.trim(), 120);
}
