import { z } from "zod";
import type { ConversationRow } from "../../domain/conversation/conversation.ts";
import type { GraphSnapshot } from "../../graph/change.ts";
import type { RecordedEvent } from "../../run/events.ts";
import { line, operationId } from "../fields.ts";
import type { MomentDifference, ReplayFrame, ReplayView, RunOperations } from "../views/replay.ts";
import { answers, appCommand, hostCommand, nothing } from "./command.ts";

/** A run as a file for others. */
export interface ExportedRun {
  readonly name: string;
  /** Base64. */
  readonly content: string;
}

const replay = line(100).min(1);
const run = line(100).min(1);
const upload = line(100).min(1);
/** Size limit of a recording's file. */
export const maxRecordingBytes = 64 * 1024 * 1024;
/** Size of a part in one message. */
export const uploadPartBytes = 1_500_000;

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
