import { canDescribeTogether, describeTogether, type NewText } from "./describe-together.ts";
import { onlyVisible } from "./only-visible.ts";
import type { WriteOptions } from "./ports/graph-writer.ts";
import { beginUnpublished } from "./unpublished.ts";
import { leaveFiles, publish, type WriterParts } from "./writer-parts.ts";

/**
 * Describes changes in as few operations as jj allows, on top of whatever stands now; to be called from inside the queue.
 * @returns the operation that holds them all
 * @throws JjError `rewritten` where one of the commits is hidden by now
 */
export async function writeTexts(
  parts: WriterParts,
  texts: readonly [NewText, ...NewText[]],
  operation: string,
  options: WriteOptions | undefined,
): Promise<string> {
  const { root, queue } = parts;
  const writeOptions = { folder: root, options, describes: texts.map(({ change }) => change) };
  const [{ commit, text }, ...others] = texts;
  if (others.length === 0) {
    const args = [leaveFiles, "describe", "--stdin", "-r", onlyVisible(commit)];
    return (await queue.write({ ...writeOptions, args, input: text })).operation;
  }
  if (!canDescribeTogether(texts)) return writeUnpublishedTexts(parts, texts, operation, options);
  return describeTogether(texts, async (args, editor) => {
    const done = await queue.write({ ...writeOptions, args: [leaveFiles, ...args], editor });
    return done.operation;
  });
}

/** The same at the operation where the changes were read, and not on top of what came since: jj merges the two. */
export async function writeUnpublishedTexts(
  parts: WriterParts,
  texts: readonly NewText[],
  operation: string,
  options: WriteOptions | undefined,
): Promise<string> {
  const row = beginUnpublished(parts.jj, parts.root, operation, options);
  for (const { change, text } of texts) await row.run(["describe", "--stdin", "-r", change], { input: text });
  return publish(parts, row, options);
}
