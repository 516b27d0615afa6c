import type { MessageView } from "#shared/contract/views.ts";
import type { PromptFacts } from "../agent/loop.ts";
import type { Assignment } from "./agents.ts";
import { contractsFor, decisionsFor, parentOf } from "./chain-of-command.ts";
import { checkLines, patternLines, prompt, section } from "./prompts.ts";
import type { Run } from "./run.ts";

/** Where an agent's task stands, whole, because every iteration begins in a fresh context. */
export function agentPrompt(
  run: Run,
  assignment: Pick<Assignment, "worker" | "heading" | "description">,
  facts: PromptFacts,
  messages: readonly MessageView[],
  conflicts: readonly string[],
): string {
  const { patterns, exchanges } = run.facts;
  const parent = parentOf(run, assignment.worker);
  const decisions = decisionsFor(run, parent);
  const { record } = run.worker(assignment.worker);
  const decision = decisions.find((one) => one.changeId === record.contradicts);
  const waiting = exchanges.filter((one) => one.from === record.name && one.answer === null);
  return prompt(
    `${assignment.heading}\n\nIteration ${facts.iteration}.`,
    section("Task", assignment.description()),
    section("Contracts", contractsFor(run, parent)),
    section(
      "Decisions",
      decisions.map((one) => `- ${one.title} (${one.files.join(", ")}): ${one.reason}`),
    ),
    section(
      "Messages",
      messages.map((message) => `- From ${message.from}: ${message.text}`),
    ),
    section(
      "Questions that wait for an answer",
      waiting.map((one) => `- ${one.question}`),
    ),
    conflicts.length > 0 && decision
      ? section("Conflict with a decision", [
          `Your work contradicts the decision "${decision.title}": ${decision.reason}`,
          "The decision binds you. These files of yours hold jj's conflict markers; change them so that they follow the decision, and remove every marker:",
          ...conflicts.map((file) => `- ${file}`),
        ])
      : section(
          "Conflicts",
          conflicts.length > 0
            ? [
                "These files hold jj's conflict markers. Bring both sides together:",
                ...conflicts.map((file) => `- ${file}`),
              ]
            : [],
        ),
    section("Last checks", [...checkLines(facts.failures), ...facts.notes.map((note) => `- ${note}`)]),
    section(
      "Learned patterns",
      patternLines(patterns.filter((pattern) => pattern.category !== "validation")),
    ),
  );
}
