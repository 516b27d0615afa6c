/** Files that the user attached to a run, as models receive them. */
import type { AttachmentLabel } from "#shared/domain/start/attachment.ts";
import { formatAttachment } from "#shared/domain/start/attachment.ts";
import { type PromptText, promptLine } from "#shared/domain/text/prompt-text.ts";
import type { StoredAttachment } from "../journal/run-rows.ts";
import type { ToolOutcome } from "../tools/tool-interface.ts";
import { pictureTypeOf } from "../tools/workspace-place.ts";
import { EngineRefusal } from "./engine-errors.ts";
import type { RunReader } from "./ports.ts";

/** Bytes in which a text would show that it is none. */
const lookedAt = 8_000;

/**
 * What a file is, by its bytes.
 * @throws EngineRefusal for what no model can be shown
 */
export function labelledAttachment({ name, data }: StoredAttachment): {
  readonly label: AttachmentLabel;
  readonly data: string;
} {
  const bytes = Buffer.from(data, "base64");
  const isPicture = pictureTypeOf(bytes) !== null;
  if (!isPicture && (bytes.subarray(0, lookedAt).includes(0) || !bytes.toString("utf8").isWellFormed()))
    throw new EngineRefusal(
      `${name} is not a text file or a PNG, JPEG, GIF or WebP image.`,
      "Attach its content as text or as an image.",
    );
  return { label: { name, kind: isPicture ? "picture" : "text", bytes: bytes.length }, data };
}

/** What there is, for a prompt; empty where nothing was attached. */
export function attachmentLines(run: RunReader): readonly PromptText[] {
  const { attachments } = run.row.input;
  if (attachments.length === 0) return [];
  return [
    promptLine`The user attached these to the goal. read_attachment shows one.`,
    ...attachments.map((one) => promptLine`- ${formatAttachment(one)}, a ${one.kind}`),
  ];
}

/** One of them as a tool's result. */
export function shownAttachment(attached: readonly StoredAttachment[], name: string): ToolOutcome {
  const found = attached.find((one) => one.name === name);
  if (!found)
    return {
      ok: false,
      error: "not-found",
      output: `Nothing called ${name} is attached. There are: ${attached.map((one) => one.name).join(", ")}.`,
    };
  const bytes = Buffer.from(found.data, "base64");
  const mediaType = pictureTypeOf(bytes);
  return mediaType === null
    ? { ok: true, output: bytes.toString("utf8") }
    : { ok: true, output: `${name} is a picture:`, images: [{ mediaType, data: found.data }] };
}
