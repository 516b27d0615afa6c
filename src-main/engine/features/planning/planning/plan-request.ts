/** The planning prompt of an orchestrator. */
import { depthOf } from "#shared/domain/plan/hierarchy.ts";
import {
  type PromptText,
  pathLines,
  prompt,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import { attachmentLines } from "../../../attached-files.ts";
import { learnedFor } from "../../../conversations/learned-patterns.ts";
import { instructionSection } from "../../../conversations/project-instructions.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { contractsFor, decisionsFor, parentOf, partOf, rootOf } from "../../../workers/hierarchy.ts";
import { checkLinesForPlan } from "../../../workspaces/check-options.ts";
import { budgetLeft, takenClaims } from "./plan-rules.ts";
import { importMap, type RepositoryScan } from "./repository-scan.ts";

/** @param round 1, and one more for each plan that was not accepted */
export function planRequest(
  run: Run,
  orchestrator: string,
  round: number,
  scan: RepositoryScan | null,
): PromptText {
  const { plan, refusals } = run.orchestratorFacts(orchestrator);
  const reason = refusals[round - 1];
  const isRoot = orchestrator === rootOf(run);
  return prompt(
    section("Goal", [quoteText(run.row.input.goal)]),
    section("Attachments", attachmentLines(run)),
    ...(isRoot ? [] : partSections(run, orchestrator)),
    section("Orchestrators", orchestratorLines(run, orchestrator)),
    section("Budget", budgetLines(run, orchestrator)),
    section("Checks", checkLinesForPlan(run)),
    section("Files of other active runs, which no task of yours may claim", pathLines(takenPaths(run))),
    instructionSection(run, isRoot ? null : partOf(run, orchestrator).files),
    learnedFor(run, orchestrator, "planner"),
    section(
      "Why the last plan was not accepted",
      reason === undefined ? [] : [reason === "" ? promptLine`No reason was given.` : quoteText(reason)],
    ),
    section("The last plan", plan === null || round === 1 ? [] : [quoteText(JSON.stringify(plan, null, 1))]),
    // A part's orchestrator looks at its own files.
    section("Import map", isRoot ? importMap(scan) : []),
  );
}

const takenPaths = (run: Run): readonly string[] => [...new Set(takenClaims(run).map(({ claim }) => claim))];

function partSections(run: RunReader, orchestrator: string): readonly PromptText[] {
  const parent = parentOf(run, orchestrator);
  const { title, description, files } = partOf(run, orchestrator);
  return [
    section("Your part", [
      promptLine`Given to you by ${parent}: ${title}`,
      promptLine``,
      quoteText(description),
    ]),
    section("Files that were given to you", pathLines(files)),
    section("Contracts that you inherit and cannot change", contractsFor(run, parent)),
    section(
      "Decisions that bind you",
      decisionsFor(run, parent).map((one) => promptLine`- ${one.title}: ${one.reason}`),
    ),
  ];
}

function orchestratorLines(run: RunReader, orchestrator: string): readonly PromptText[] {
  const { orchestrators } = run.row.input;
  if (orchestrator === rootOf(run))
    return orchestrators === null ? [] : [promptLine`The user wants ${orchestrators}.`];
  // The number that the user wants was used up by the root's plan.
  if (orchestrators !== null || depthOf(orchestrator) >= run.config.limits.orchestratorLevels)
    return [promptLine`Delegate nothing: every task of yours gets an agent.`];
  return [];
}

function budgetLines(run: RunReader, orchestrator: string): readonly PromptText[] {
  const { tokens, microDollars } = budgetLeft(run, orchestrator);
  return [
    ...(tokens === null ? [] : [promptLine`At most ${tokens} tokens.`]),
    ...(microDollars === null ? [] : [promptLine`At most ${(microDollars / 1e6).toFixed(2)} US dollars.`]),
  ];
}
