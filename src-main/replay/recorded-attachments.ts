/** What was attached to a run's goal, as far as its recording holds it. */
import { type AttachmentLabel, attachmentProblem } from "#shared/domain/start/attachment.ts";
import type { StoredAttachment } from "../journal/run-rows.ts";
import { pictureTypeOf } from "../tools/picture.ts";

export const isPicture = ({ data }: StoredAttachment): boolean =>
  pictureTypeOf(Buffer.from(data, "base64")) !== null;

/** Why no run can have been begun with these; null where one can. */
export const recordedProblem = (attachments: readonly StoredAttachment[]): string | null =>
  attachmentProblem(attachments.map(labelOf));

/** As many of them, in their order, as a run can be begun with. */
export function thoseThatFit(attachments: readonly StoredAttachment[]): readonly StoredAttachment[] {
  const kept: StoredAttachment[] = [];
  for (const one of attachments) if (recordedProblem([...kept, one]) === null) kept.push(one);
  return kept;
}

const labelOf = (one: StoredAttachment): AttachmentLabel => ({
  name: one.name,
  kind: isPicture(one) ? "picture" : "text",
  bytes: Buffer.byteLength(one.data, "base64"),
});
