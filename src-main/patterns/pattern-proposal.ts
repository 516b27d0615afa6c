import { startOf } from "#shared/domain/text/cut-text.ts";
import { placeOfId, splitFrontMatter } from "./pattern-text.ts";
import { type PatternProposal, PatternRefused } from "./patterns-interface.ts";

/**
 * Parses a file as a proposal, e.g. when the user edits it or looks at one from another repository.
 *
 * @param id `<category>/<name>`
 * @throws PatternRefused if it has no confidence or no run
 */
export function proposalOf(id: string, markdown: string, isFromElsewhere: boolean): PatternProposal {
  const place = placeOfId(id);
  if (place === null)
    throw new PatternRefused(
      `"${startOf(id, 100)}" is not a pattern name: use <category>/<name>, such as decomposition/types-first.`,
    );
  const { fields } = splitFrontMatter(markdown);
  if (fields === null)
    throw new PatternRefused('The text has no front matter between two lines "---". Keep those lines.');
  const confidence = Number(fields.get("confidence"));
  if (!fields.has("confidence") || !(confidence >= 0 && confidence <= 1))
    throw new PatternRefused('The front matter must have "confidence: " with a number from 0 to 1.');
  const run = fields.get("run") ?? "";
  return { ...place, confidence, run, markdown, ...(isFromElsewhere ? { isFromElsewhere } : {}) };
}
