import { shortened } from "#shared/domain/text/cut-text.ts";
import { type PromptText, promptLine, section } from "#shared/domain/text/prompt-text.ts";
import {
  type Pattern,
  type PatternProposal,
  patternCategories,
  type RecordedRun,
} from "./patterns-interface.ts";

/** Below this confidence a pattern is kept but not suggested. (PLAN-9) */
const suggestAbove = 0.6;

/** Approved patterns as the prompt's section, grouped by category; empty without any worth suggesting. (HOX-8.3) */
export function learnedPatterns(patterns: readonly Pattern[]): PromptText {
  const worth = patterns.filter((pattern) => pattern.confidence > suggestAbove);
  const groups = patternCategories.flatMap((category) => {
    const own = worth.filter((pattern) => pattern.category === category);
    if (own.length === 0) return [];
    return [
      promptLine`### ${`${category[0]?.toUpperCase()}${category.slice(1)}`}`,
      ...own.map(
        (pattern) =>
          promptLine`- ${pattern.title} (confidence ${Math.round(pattern.confidence * 100)} %): ${gist(pattern)}`,
      ),
    ];
  });
  const about = promptLine`Suggestions from earlier runs. They bind nobody: task, contracts, decisions and rules come before them.`;
  return section("Learned patterns", groups.length === 0 ? [] : [about, promptLine``, ...groups]);
}

/** The first paragraph under the heading, at most 400 characters. */
function gist(pattern: Pattern): string {
  const paragraph = pattern.body
    .split(/\n{2,}/u)
    .map((part) => part.replace(/^#.*$/gmu, "").replace(/\s+/gu, " ").trim())
    .find((part) => part !== "");
  const text = paragraph ?? pattern.title;
  return shortened(text, 400);
}

/**
 * What a successful run teaches by its figures alone: it converged fast with its checks, an agent was effective.
 * Proposals like any other: both gates stand before them. (PLAN-9)
 */
export function extractPatterns(
  run: RecordedRun,
  checks: { readonly fast: readonly string[]; readonly slow: readonly string[] },
): readonly PatternProposal[] {
  if (run.outcome !== "complete") return [];
  const found: PatternProposal[] = [];
  const propose = (
    name: string,
    category: PatternProposal["category"],
    confidence: number,
    evidence: string,
    body: string,
  ): void => {
    const front = `---\nname: ${name}\ncategory: ${category}\nconfidence: ${confidence}\nrun: ${run.run}\nevidence: ${evidence}\n---\n`;
    found.push({ name, category, confidence, run: run.run, markdown: `${front}\n${body}\n` });
  };
  const { iterations, agents } = run.figures;
  const commands = [...checks.fast, ...checks.slow];
  if (iterations > 0 && iterations < 10 && commands.length > 0) {
    propose(
      "fast-convergence",
      "validation",
      0.7,
      `iterations < 10, agents = ${agents}`,
      `# Check every iteration with ${checks.fast.length > 0 ? "these fast checks" : "these checks"}\n\n` +
        `${agents} agents needed ${iterations} iterations together when these ran as checks:\n\n` +
        commands.map((command) => `- \`${command.replaceAll("`", "'")}\``).join("\n"),
    );
  }
  const best = run.agents.toSorted((a, b) => b.successRate - a.successRate || a.iterations - b.iterations)[0];
  if (best && best.successRate > 0.8) {
    const confidence = Math.round(best.successRate * 100) / 100;
    propose(
      "effective-agent",
      "decomposition",
      confidence,
      `agents = ${agents}`,
      `# Cut tasks like “${best.title.replaceAll(/[\r\n<>]/gu, " ")}”\n\n` +
        `${best.worker} finished it in ${best.iterations} iteration${best.iterations === 1 ? "" : "s"}, and ` +
        `${Math.round(best.successRate * 100)} % of its tool calls succeeded: a task of that size, with files of its own, suits one agent.`,
    );
  }
  return found;
}
