/** What a judge of a change is told beside it: what was there before, and never what the change itself says. */
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import { parseDescription } from "#shared/domain/graph-words/trailers.ts";
import { contextOf } from "#shared/domain/patterns/pattern-context.ts";
import type { PromptText } from "#shared/domain/text/prompt-text.ts";
import type { Config } from "../../../../config/config-interface.ts";
import type { Repository } from "../../../../jj/repository-interface.ts";
import { learnedPatterns } from "../../../../patterns/learned.ts";
import type { PatternStore } from "../../../../patterns/patterns-interface.ts";
import { instructionsAt, sectionOfInstructions } from "../../../conversations/project-instructions.ts";

/** A prompt has no room for more; the last ones bind first. */
const maxDecisions = 50;

export interface SeatContext {
  readonly decisions: readonly { readonly title: string; readonly reason: string }[];
  readonly instructions: PromptText;
  readonly learned: PromptText;
}

/** @param bases commits that the change stands on, or is compared with */
export async function seatContext(
  { repository, patterns, config }: ContextParts,
  { bases, diff, goal }: { readonly bases: readonly string[]; readonly diff: string; readonly goal: string },
  signal: AbortSignal,
): Promise<SeatContext> {
  const files = filesOfDiff(diff).map(({ path }) => path);
  const [first] = bases;
  const instructions = first === undefined ? [] : await instructionsAt(repository, first, signal);
  const { patterns: trusted } = await patterns.trusted();
  return {
    decisions: await decisionsBelow(repository, bases),
    instructions: sectionOfInstructions(instructions, files),
    learned: learnedPatterns(trusted, {
      reader: "validator",
      work: contextOf(goal, files),
      maxCharacters: config.patterns.maxPromptCharacters,
    }).text,
  };
}

interface ContextParts {
  readonly repository: Repository;
  readonly patterns: PatternStore;
  readonly config: Config;
}

/** Decisions that were made below it and stand on the graph, the oldest first. (HYLO-5) */
async function decisionsBelow(
  repository: Repository,
  bases: readonly string[],
): Promise<SeatContext["decisions"]> {
  const found = await repository.decisionsBelow(bases, { limit: maxDecisions });
  return found.map(({ description }) => {
    const { subject, body } = parseDescription(description);
    return { title: subject, reason: body.replace(/\s+/gu, " ").trim() };
  });
}
