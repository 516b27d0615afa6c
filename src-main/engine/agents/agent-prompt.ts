import type { MessageView } from "#shared/contract/views/message.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { PromptFacts } from "../../agent/loop.ts";
import type { Checks } from "../../checks/found-checks.ts";
import { conflictSections } from "../decisions/decision-prompt.ts";
import { dependencyLines } from "../dependencies/dependency-lines.ts";
import { requestLines } from "../folds/fold-feedback.ts";
import type { Assignment, Run } from "../ports.ts";
import { instructionsForTask } from "../project-instructions/project-instructions.ts";
import { checkLines, checkNames, patternLines, portLines } from "../prompts.ts";
import { protectedLines } from "../protected-changes/protected-changes.ts";
import { contractsFor, decisionsFor, parentOf } from "../workers/hierarchy.ts";
import { knownFailureLines } from "../workspaces/check-options.ts";
import { noteSections } from "./worker-notes.ts";

/** Where an agent's task stands, whole, because every iteration begins in a fresh context. */
export function agentPrompt(
  run: Run,
  assignment: Pick<Assignment, "worker" | "heading" | "description">,
  facts: PromptFacts,
  messages: readonly MessageView[],
  conflicts: readonly string[],
  /** What is known of its own work so far, and of what will judge it. */
  known: { readonly checks: Checks; readonly diff: string | null },
): PromptText {
  const { patterns, exchanges } = run.facts;
  const parent = parentOf(run, assignment.worker);
  const decisions = decisionsFor(run, parent);
  const { record } = run.worker(assignment.worker);
  const waiting = exchanges.filter((one) => one.from === record.name && one.answer === null);
  return prompt(
    assignment.heading,
    promptLine`Iteration ${facts.iteration}.`,
    section("Task", assignment.description()),
    instructionsForTask(run, record),
    ...noteSections(record.notes),
    section("Contracts", contractsFor(run, parent)),
    section(
      "Decisions",
      decisions.map(
        (one) => promptLine`- ${one.title} (${one.files.map(shownName).join(", ")}): ${one.reason}`,
      ),
    ),
    section("Checks", checkNames(known.checks)),
    section("Ports", portLines(record.ports)),
    section("Changes requested", requestLines(run, record.name)),
    section(
      "Came in from others",
      (record.took?.news ?? []).map((one) => promptLine`- ${one}`),
    ),
    section(
      "Messages",
      messages.map((message) => promptLine`- From ${message.from}: ${message.text}`),
    ),
    section(
      "Questions that wait for an answer",
      waiting.map((one) => promptLine`- ${one.question}`),
    ),
    section("Dependencies that you asked for", dependencyLines(run, record.name)),
    section("Protected files", protectedLines(run, record.name)),
    ...conflictSections(run, record.name, conflicts),
    section("Known failures", knownFailureLines(run)),
    section(
      "Your notes so far",
      record.remarks.map((note) => promptLine`- ${note}`),
    ),
    section("Your changes so far", known.diff === null ? [] : [quoteText(known.diff)]),
    section("Last checks", [
      ...checkLines(facts.failures),
      ...facts.notes.map((note) => promptLine`- ${note}`),
    ]),
    section(
      "Learned patterns",
      patternLines(patterns.filter((pattern) => pattern.category !== "validation")),
    ),
  );
}
