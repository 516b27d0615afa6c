/** A text as it would be approved in the library, and its approval, which counts for exactly what was shown. */
import { createHash } from "node:crypto";
import type { PatternPreview } from "#shared/contract/views/pattern.ts";
import type { Journal } from "../../../../journal/journal.ts";
import { proposalOf } from "../../../../patterns/pattern-proposal.ts";
import { patternHash, renderPattern } from "../../../../patterns/pattern-text.ts";
import type { PatternProposal, PatternStore } from "../../../../patterns/patterns-interface.ts";
import { EngineRefusal, StaleAnswer } from "../../../engine-errors.ts";
import { finishedRuns } from "../../../run/recorded-runs.ts";
import { diffOf, type ListedPattern, listPatterns, patternNamed } from "./views.ts";

export interface LibraryParts {
  readonly journal: Journal;
  readonly store: PatternStore;
  readonly now: () => number;
}

interface Asked {
  readonly id: string;
  /** Left out: the text that stands on the branch. */
  readonly markdown?: string;
}

export async function previewPattern(parts: LibraryParts, asked: Asked): Promise<PatternPreview> {
  const { journal, store } = parts;
  const { known, proposal } = await askedFor(parts, asked);
  const text = renderPattern(proposal);
  const versions = known.record?.versions ?? [];
  const last = versions.at(-1);
  return {
    id: asked.id,
    text,
    version: last?.text === text ? last.version : (last?.version ?? 0) + 1,
    gates: await store.gate(proposal, finishedRuns(journal)),
    diff:
      last === undefined
        ? null
        : diffOf(
            asked.id,
            { label: `version ${last.version}`, text: last.text },
            { label: "text to approve", text },
          ),
    shown: shownOf(known, proposal),
  };
}

/** @throws StaleAnswer where text, branch or record are others than the preview showed */
export async function approvePattern(
  parts: LibraryParts,
  { shown, ...asked }: Asked & { readonly shown: string },
): Promise<{ readonly version: number }> {
  const { journal, store, now } = parts;
  const { known, proposal } = await askedFor(parts, asked);
  const counted = known.record?.versions.find(({ nonce }) => nonce === shown);
  // The same approval a second time, as from a client that heard no answer.
  if (counted?.text === renderPattern(proposal) && known.file?.version === counted.version)
    return { version: counted.version };
  if (shown !== shownOf(known, proposal))
    throw new StaleAnswer(
      `${asked.id} has changed since you approved it: its text, the branch or a decision on it.`,
      "Review it again and approve the current text.",
    );
  const { version } = await store.approve(proposal, finishedRuns(journal), {
    nonce: shown,
    shown: patternHash(proposal),
    at: now(),
  });
  return { version };
}

async function askedFor(
  { journal, store }: LibraryParts,
  { id, markdown }: Asked,
): Promise<{ readonly known: ListedPattern; readonly proposal: PatternProposal }> {
  const known = patternNamed(listPatterns(journal, await store.branch()), id);
  const text = markdown ?? known.file?.text;
  if (text === undefined)
    throw new EngineRefusal(`${id} is not on the branch.`, "Restore a version, or give a text to approve.");
  return { known, proposal: proposalOf(id, text, true) };
}

/** Of the text, and of the moment: what stands under its name, and what was decided about it. */
const shownOf = ({ file, record }: ListedPattern, proposal: PatternProposal): string =>
  createHash("sha256")
    .update(JSON.stringify([patternHash(proposal), file?.text ?? null, record]))
    .digest("hex");
