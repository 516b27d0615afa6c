import { z } from "zod";
import type { ConversationRow } from "../../domain/conversation/conversation.ts";
import type { GraphSnapshot } from "../../graph/change.ts";
import { line, operationId } from "../fields.ts";
import type { MomentDifference, ReplayFrame, ReplayView, RunOperations } from "../views/replay.ts";
import { answers, nothing, toHost } from "./command.ts";

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
  "replay.open": toHost(z.strictObject({ run }), answers<ReplayView>()),
  /** A file that was exported, of whatever machine, comes in parts: this one says how large it is. */
  "replay.beginUpload": toHost(
    z.strictObject({ name: line(255), bytes: z.number().int().min(1).max(maxRecordingBytes) }),
    answers<{ upload: string }>(),
  ),
  /** The next part, in base64. */
  "replay.upload": toHost(
    z.strictObject({ upload, content: z.base64().max(Math.ceil(uploadPartBytes / 3) * 4) }),
    nothing,
  ),
  /** Opens what has come whole. */
  "replay.openFile": toHost(z.strictObject({ upload }), answers<ReplayView>()),
  /** `at` in ms since 1970; `has`: track → number of its marks that were already sent. */
  "replay.frame": toHost(
    z.strictObject({
      replay,
      at: z.number(),
      has: z.record(z.string().max(2_000), z.number().int().nonnegative()).default({}),
    }),
    answers<ReplayFrame>(),
  ),
  "replay.graph": toHost(z.strictObject({ replay, operation: operationId }), answers<GraphSnapshot>()),
  /** The whole transcript of a worker. */
  "replay.conversation": toHost(
    z.strictObject({ replay, worker: line(200) }),
    answers<readonly ConversationRow[]>(),
  ),
  /** What jj did from one time to another (ms since 1970; `to` null: until now). */
  "replay.operations": toHost(
    z.strictObject({ from: z.number(), to: z.number().nullable() }),
    answers<RunOperations>(),
  ),
  /** What changed between two moments (ms since 1970). */
  "replay.compare": toHost(
    z.strictObject({ replay, from: z.number(), to: z.number() }),
    answers<MomentDifference>(),
  ),
  "replay.close": toHost(z.strictObject({ replay }), nothing),
  /** A run as one file. */
  "replay.export": toHost(z.strictObject({ run }), answers<ExportedRun>()),
};
