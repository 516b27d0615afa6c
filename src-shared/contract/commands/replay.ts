import { z } from "zod";
import type { Status } from "../../domain/change-metadata/metadata.ts";
import type { ConversationRow } from "../../domain/conversation/conversation.ts";
import type { TimelineBreak } from "../../domain/timeline/timeline.ts";
import type { GraphSnapshot, Operation } from "../../graph/change.ts";
import type { RecordedEvent } from "../../run/events.ts";
import type { RunSnapshot } from "../../run/live.ts";
import type { InboxItem } from "../cards.ts";
import { line, operationId } from "../fields.ts";
import type { Stage } from "../views/run.ts";
import { answers, appCommand, hostCommand, nothing } from "./command.ts";

const replay = line(100).min(1);
const run = line(100).min(1);
const upload = line(100).min(1);
/** Size limit of a recording's file. */
export const maxRecordingBytes = 64 * 1024 * 1024;
/** Size of a part in one message. */
export const uploadPartBytes = 1_500_000;

/** A run as a file for others. */
export interface ExportedRun {
  readonly name: string;
  /** Base64. */
  readonly content: string;
}

/** An event to jump to in a replay. */
export interface ReplayMoment {
  /** ms since 1970. */
  readonly at: number;
  /** A worker or an orchestrator; `you` for the user's decisions; null: the run. */
  readonly who: string | null;
  /** In one line, with untrusted text in it. */
  readonly text: string;
  readonly tone: "stage" | "work" | "decision" | "user" | "trouble";
  /** How it is highlighted on the track of a replay; null: not at all. */
  readonly mark: ReplayMark | null;
}

/** Something was decided or asked for, votes were counted, work met in conflict. */
export type ReplayMark = "decision" | "votes" | "conflict";

/** A recorded run that is open for watching. */
export interface ReplayView {
  /** Of this opening. */
  readonly id: string;
  readonly run: string;
  readonly goal: string;
  /** Its root orchestrator. */
  readonly root: string;
  /** When the run was started, in ms since 1970. */
  readonly startedAt: number;
  readonly model: string;
  readonly rehearsal: string | null;
  /** Its stage at its end, or when it was recorded. */
  readonly stage: Stage;
  /** Name of the file that it was read from; null: this repository's own journal. */
  readonly file: string | null;
  /** When it began and when the last of it happened, in ms since 1970. */
  readonly from: number;
  readonly to: number;
  readonly moments: readonly ReplayMoment[];
  /** Recorded periods without work, oldest first. */
  readonly breaks: readonly TimelineBreak[];
  /** Number of events in each of equal parts of its displayed time. */
  readonly density: readonly number[];
}

/** The run at a moment, beside its events: `replay.events` sends those once. */
export interface ReplayFrame extends Pick<RunSnapshot, "count" | "live" | "spendingHistory"> {
  /** ms since 1970. */
  readonly at: number;
  readonly inbox: readonly InboxItem[];
  /** The operation whose graph belongs to it; null: jj has none of that time any more, and the recording none either. */
  readonly operation: string | null;
  /** Its graph, the first time that this replay shows it; a client that lost it requests it separately. */
  readonly graph: GraphSnapshot | null;
}

/** What jj did in the time of a run. */
export interface RunOperations {
  /** The first first. */
  readonly operations: readonly Operation[];
  /** Commit id, as their descriptions name it → title of the commit. */
  readonly titles: Readonly<Record<string, string>>;
}

/** What changed from one moment of a run to another. */
export interface MomentDifference {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly {
    readonly changeId: string;
    readonly title: string;
    /** `moved`: it has other parents; its files may differ as well. */
    readonly how: "new" | "gone" | "edited" | "described" | "moved";
    /** Commit ids; null: it was not there. */
    readonly from: string | null;
    readonly to: string | null;
  }[];
  readonly workers: readonly {
    readonly name: string;
    readonly title: string;
    /** Null: it was not there. */
    readonly before: Status | null;
    readonly after: Status;
    /** How many more. */
    readonly iterations: number;
  }[];
  /** Null if their content is gone. */
  readonly files: readonly { readonly path: string; readonly titles: readonly string[] }[] | null;
}

/** Recorded runs, read only: no command here changes anything but what the host has in its memory. */
export const replayCommands = {
  /** One of the open repository's own runs. */
  "replay.open": hostCommand({ run }, answers<ReplayView>()),
  /** A file that was exported, of whatever machine, comes in parts: this one says how large it is. */
  "replay.beginUpload": appCommand(
    z.strictObject({ name: line(255), bytes: z.number().int().min(1).max(maxRecordingBytes) }),
    answers<{ upload: string }>(),
  ),
  /** The next part, in base64. */
  "replay.upload": appCommand(
    z.strictObject({ upload, content: z.base64().max(Math.ceil(uploadPartBytes / 3) * 4) }),
    nothing,
  ),
  /** Opens what has come whole. */
  "replay.openFile": appCommand(z.strictObject({ upload }), answers<ReplayView>()),
  /** All that happened in the run, the first first. */
  "replay.events": appCommand(z.strictObject({ replay }), answers<readonly RecordedEvent[]>()),
  /** `at` in ms since 1970. */
  "replay.frame": appCommand(z.strictObject({ replay, at: z.number() }), answers<ReplayFrame>()),
  "replay.graph": appCommand(z.strictObject({ replay, operation: operationId }), answers<GraphSnapshot>()),
  /** The whole transcript of a worker. */
  "replay.conversation": appCommand(
    z.strictObject({ replay, worker: line(200) }),
    answers<readonly ConversationRow[]>(),
  ),
  /** What jj did from one time to another (ms since 1970; `to` null: until now). */
  "replay.operations": hostCommand({ from: z.number(), to: z.number().nullable() }, answers<RunOperations>()),
  /** What changed between two moments (ms since 1970). */
  "replay.compare": appCommand(
    z.strictObject({ replay, from: z.number(), to: z.number() }),
    answers<MomentDifference>(),
  ),
  "replay.close": appCommand(z.strictObject({ replay }), nothing),
  /** A run as one file. */
  "replay.export": hostCommand({ run }, answers<ExportedRun>()),
};
