import {
  type Pattern,
  type PatternCategory,
  type PatternFile,
  patternCategories,
} from "#shared/domain/patterns/pattern.ts";
import {
  extractKeywords,
  languagesOf,
  minConfidence,
  type Relevance,
  relevanceOf,
  taskTypeOf,
  type WorkContext,
} from "#shared/domain/patterns/pattern-context.ts";
import type { InjectedPattern } from "#shared/domain/patterns/pattern-record.ts";
import { shortened } from "#shared/domain/text/format-text.ts";
import { type PromptText, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";

/** Whoever reads patterns in a prompt. */
export type PatternReader = "planner" | "agent" | "integrator" | "validator";

/** What each reads first; where room is short the others stay out. */
const readFirst: Readonly<Record<PatternReader, readonly PatternCategory[]>> = {
  planner: ["decomposition", "integration", "communication", "validation"],
  agent: ["communication", "decomposition", "validation", "integration"],
  integrator: ["integration", "communication", "validation", "decomposition"],
  validator: ["validation", "integration", "decomposition", "communication"],
};

export interface FittingPattern {
  readonly pattern: Pattern;
  readonly relevance: Relevance;
}

/** Those that are worth telling for a piece of work, the best first. (PLAN-9) */
export const fittingPatterns = (patterns: readonly Pattern[], work: WorkContext): readonly FittingPattern[] =>
  patterns
    .filter(({ confidence }) => confidence > minConfidence)
    .map((pattern) => ({ pattern, relevance: relevanceOf(pattern, work) }))
    .filter(({ relevance }) => relevance.isRelevant)
    .toSorted(
      (a, b) =>
        b.relevance.share * b.pattern.confidence - a.relevance.share * a.pattern.confidence ||
        (a.pattern.id < b.pattern.id ? -1 : 1),
    );

export interface Learned {
  /** A section of a prompt; empty where nothing fits. */
  readonly text: PromptText;
  /** The patterns in it. */
  readonly injected: readonly InjectedPattern[];
}

export interface LearnedOptions {
  readonly reader: PatternReader;
  readonly work: WorkContext;
  /** Of the section's text, about. */
  readonly maxCharacters: number;
}

/**
 * Patterns that match a piece of work, as a prompt's section: grouped by category, complete if they fit, else
 * with the first paragraph, else left out. Read by the user, but untrusted and not binding. (HOX-8.3)
 */
export function learnedPatterns(
  patterns: readonly Pattern[],
  { reader, work, maxCharacters }: LearnedOptions,
): Learned {
  let left = maxCharacters;
  const chosen: { readonly pattern: Pattern; readonly lines: readonly PromptText[] }[] = [];
  const fitting = fittingPatterns(patterns, work);
  for (const category of readFirst[reader])
    for (const { pattern } of fitting) {
      if (pattern.category !== category) continue;
      const lines = [pattern.body, gist(pattern)]
        .map((words) => linesFor(pattern, words))
        .find((some) => lengthOf(some) <= left);
      if (lines === undefined) continue;
      left -= lengthOf(lines);
      chosen.push({ pattern, lines });
    }
  if (chosen.length === 0) return { text: section("Learned patterns", []), injected: [] };
  const groups = patternCategories.flatMap((category) => {
    const own = chosen.filter(({ pattern }) => pattern.category === category);
    if (own.length === 0) return [];
    const heading = `${category[0]?.toUpperCase()}${category.slice(1)}`;
    return [promptLine``, promptLine`### ${heading}`, ...own.flatMap(({ lines }) => lines)];
  });
  const about = promptLine`Suggestions from earlier runs. They are optional: task, contracts, decisions and rules take precedence.`;
  return {
    text: section("Learned patterns", [about, ...groups]),
    injected: chosen.map(({ pattern: { id, version } }) => ({ id, version })),
  };
}

const linesFor = ({ title, confidence }: Pattern, words: string): readonly PromptText[] => [
  promptLine``,
  promptLine`- ${title} (confidence ${Math.round(confidence * 100)} %):`,
  quoteText(withoutTitle(words)),
];

const withoutTitle = (body: string): string => body.replace(/^#\s.*$/mu, "").trim();

const lengthOf = (lines: readonly PromptText[]): number =>
  lines.reduce((sum, line) => sum + line.length + 1, 0);

/** The first paragraph under the heading, at most 400 characters. */
export function gist(pattern: Pick<PatternFile, "body" | "title">): string {
  const paragraph = pattern.body
    .split(/\n{2,}/u)
    .map((part) => part.replace(/^#.*$/gmu, "").replace(/\s+/gu, " ").trim())
    .find((part) => part !== "");
  return shortened(paragraph ?? pattern.title, 400);
}

/** One task of a run: what its own words and files do not say, the run's goal does. */
export function contextOfTask(
  goal: WorkContext,
  task: { readonly title: string; readonly description: string; readonly files: readonly string[] },
  folders: readonly string[],
): WorkContext {
  const words = `${task.title}\n${task.description}`;
  const languages = languagesOf(task.files);
  return {
    taskType: taskTypeOf(words) ?? goal.taskType,
    languages: languages.length > 0 ? languages : goal.languages,
    folders,
    words: [...new Set([...goal.words, ...extractKeywords(words)])],
  };
}
