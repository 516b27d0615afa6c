import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import type { Plan } from "#shared/domain/plan/plan.ts";
import { isBlocking, outcomeText } from "#shared/domain/project/preflight.ts";
import {
  type PromptText,
  pathLines,
  prompt,
  promptLine,
  quoteText,
} from "#shared/domain/text/prompt-text.ts";
import type { Checks } from "../checks/found-checks.ts";

/** Failed checks with what they printed, so that the agent works on them first. */
export const checkLines = (checks: readonly CheckResult[]): readonly PromptText[] =>
  checks.flatMap((check) =>
    !isBlocking(check)
      ? [
          check.outcome === "passed"
            ? promptLine`- ${check.name}: passed`
            : check.outcome === "unproven"
              ? promptLine`- ${check.name}: proves nothing. ${check.why ?? ""}`
              : promptLine`- ${check.name}: fails as it did before the run began, which does not count`,
        ]
      : [
          prompt(
            promptLine`- ${check.name}: ${outcomeText[check.outcome]} (\`${check.command}\`)`,
            quoteText(check.output),
          ),
          promptLine``,
        ],
  );

/** What will judge the work, by command. */
export const checkNames = ({ fast, slow }: Checks): readonly PromptText[] => [
  ...fast.map((command) => promptLine`- after every iteration: \`${command}\``),
  ...slow.map(
    ({ command, everyNIterations }) =>
      promptLine`- after every ${everyNIterations} iterations and before the work is done: \`${command}\``,
  ),
];

/** Ports that are reserved for its servers. */
export const portLines = (
  ports: { readonly base: number; readonly count: number } | null,
): readonly PromptText[] =>
  ports === null
    ? []
    : [
        promptLine`Servers that you start may listen on ${ports.base} to ${ports.base + ports.count - 1}. PORT is ${ports.base}, HOX_PORT_BASE and HOX_PORT_COUNT say the same.`,
      ];

/** @param isWritten whether they exist as files; else only the plan describes them */
export const contractLines = (plan: Plan | null, isWritten = true): readonly PromptText[] =>
  plan === null || (!isWritten && plan.contracts.description === "")
    ? []
    : [
        quoteText(plan.contracts.title),
        ...(plan.contracts.description === "" ? [] : [promptLine``, quoteText(plan.contracts.description)]),
        ...(isWritten
          ? pathLines(plan.contracts.files)
          : [promptLine`None of them were written down beforehand.`]),
      ];
