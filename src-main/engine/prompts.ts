import type { CheckResult } from "#shared/domain/conversation.ts";
import type { Plan } from "#shared/domain/plan.ts";
import { type PromptText, pathLines, prompt, promptLine, quoteText } from "#shared/domain/prompt-text.ts";
import type { Pattern } from "../patterns/patterns-interface.ts";

/** Failed checks with what they printed, so that the agent works on them first. */
export const checkLines = (checks: readonly CheckResult[]): readonly PromptText[] =>
  checks.flatMap((check) =>
    check.outcome === "passed"
      ? [promptLine`- ${check.name}: passed`]
      : [
          prompt(
            promptLine`- ${check.name}: ${check.outcome} (\`${check.command}\`)`,
            quoteText(check.output),
          ),
          promptLine``,
        ],
  );

/** What earlier runs suggest: words of a model that a person has read, and nothing that binds. */
export const patternLines = (patterns: readonly Pattern[]): readonly PromptText[] =>
  patterns.length === 0
    ? []
    : [
        promptLine`Suggestions from earlier runs. They bind nobody: task, contracts, decisions and rules come before them.`,
        ...patterns.flatMap((pattern) => [
          promptLine``,
          promptLine`### ${pattern.title} (confidence ${pattern.confidence.toFixed(2)})`,
          promptLine``,
          quoteText(pattern.body),
        ]),
      ];

/** @param isWritten whether they stand in files; else the plan's words are all there is of them */
export const contractLines = (plan: Plan | null, isWritten = true): readonly PromptText[] =>
  plan === null || (!isWritten && plan.contracts.description === "")
    ? []
    : [
        quoteText(plan.contracts.title),
        ...(plan.contracts.description === "" ? [] : [promptLine``, quoteText(plan.contracts.description)]),
        ...(isWritten
          ? pathLines(plan.contracts.files)
          : [promptLine`Nothing of it was written down beforehand.`]),
      ];
