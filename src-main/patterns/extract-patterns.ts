/**
 * Patterns from the figures of a successful run: six kinds, each with the claims by which other runs can be
 * matched, and supporting numbers. Proposals like any other: both gates apply. (PLAN-9, HOX-8.3)
 */

import type { FigureKind, PatternCategory } from "#shared/domain/patterns/pattern.ts";
import { contextOf } from "#shared/domain/patterns/pattern-context.ts";
import { fittingRuns, readEvidence } from "./pattern-text.ts";
import type { PatternProposal, RecordedRun } from "./patterns-interface.ts";

interface Found {
  readonly kind: FigureKind;
  readonly category: PatternCategory;
  /** Null: by how the recorded runs that its evidence holds for ended. Otherwise as the figures say. */
  readonly confidence: number | null;
  readonly evidence: string;
  readonly title: string;
  readonly body: string;
}

type Finder = (run: RecordedRun, runs: readonly RecordedRun[]) => Found | null;

/** Every one that the run bears out. @param runs recorded ones, this one among them or not */
export function extractPatterns(
  run: RecordedRun,
  runs: readonly RecordedRun[] = [],
): readonly PatternProposal[] {
  if (run.outcome !== "complete") return [];
  return finders.flatMap((find) => {
    const found = find(run, runs);
    return found === null ? [] : [proposalFor(found, run, runs)];
  });
}

function proposalFor(found: Found, run: RecordedRun, runs: readonly RecordedRun[]): PatternProposal {
  const confidence = found.confidence ?? confidenceBy(found.evidence, run, runs);
  const fields = [
    `name: ${found.kind}`,
    `category: ${found.category}`,
    `confidence: ${confidence}`,
    `run: ${run.run}`,
    `evidence: ${found.evidence}`,
    ...contextFields(run.goal, run.files),
  ];
  return {
    name: found.kind,
    category: found.category,
    confidence,
    run: run.run,
    markdown: `---\n${fields.join("\n")}\n---\n\n# ${found.title}\n\n${found.body}\n`,
  };
}

/** For what kind of work a run was, as lines of a front matter. */
export function contextFields(goal: string, files: readonly string[]): readonly string[] {
  const { taskType, languages, folders, words } = contextOf(goal, files);
  return [
    ...(taskType === null ? [] : [`task_types: ${taskType}`]),
    ...(languages.length === 0 ? [] : [`languages: ${languages.join(", ")}`]),
    ...(folders.length === 0 ? [] : [`folders: ${folders.join(", ").slice(0, 250)}`]),
    ...(words.length === 0 ? [] : [`words: ${words.join(", ")}`]),
  ];
}

/** One success more and one failure more than were seen: a single run proves little. */
function confidenceBy(evidence: string, run: RecordedRun, runs: readonly RecordedRun[]): number {
  const fitting = fittingRuns(readEvidence(evidence), run.run, runs);
  const share = (fitting.complete + 2) / (fitting.runs + 3);
  return Math.min(0.95, Math.round(share * 100) / 100);
}

const times = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;

const fastConvergence: Finder = ({ figures, checks: { fast, slow } }) => {
  const { iterations, agents } = figures;
  const commands = [...fast, ...slow];
  if (iterations === 0 || iterations >= 10 || commands.length === 0) return null;
  return {
    kind: "fast-convergence",
    category: "validation",
    confidence: 0.7,
    evidence: `iterations < 10, agents = ${agents}`,
    title: `Check every iteration with ${fast.length > 0 ? "these fast checks" : "these checks"}`,
    body:
      `${times(agents, "agent")} needed ${times(iterations, "iteration")} together when these ran as checks:\n\n` +
      commands.map((command) => `- \`${command.replaceAll("`", "'")}\``).join("\n"),
  };
};

/** Its success is work that was merged at its first offer, and its confidence the share of such work in runs like this. */
const effectiveAgent: Finder = (run, runs) => {
  const { agents, figures } = run;
  const best = agents.toSorted((a, b) => b.successRate - a.successRate || a.iterations - b.iterations)[0];
  if (!best || best.successRate <= merged) return null;
  const { share, of } = mergedAtOnce(run, runs);
  return {
    kind: "effective-agent",
    category: "decomposition",
    confidence: Math.round(share * 100) / 100,
    evidence: `best_success_rate > ${merged}, agents = ${figures.agents}`,
    title: `Cut tasks like “${best.title.replaceAll(/[\r\n<>]/gu, " ").slice(0, 80)}”`,
    body:
      `${best.worker} finished it in ${times(best.iterations, "iteration")}, and it was merged without rework: a task of that ` +
      `size, with separate files, suits one agent. In runs like this ${Math.round(share * 100)} % of ${times(of, "task")} were.`,
  };
};

/** Above this a success rate means: merged at the first offer. */
const merged = 0.8;

/** The share of tasks that were merged without rework, in this run and complete ones of the same kind of work. */
function mergedAtOnce(run: RecordedRun, runs: readonly RecordedRun[]): { share: number; of: number } {
  const kindOf = ({ goal, files }: RecordedRun) => contextOf(goal, files).taskType;
  const others = runs.filter(
    (one) => one.run !== run.run && one.outcome === "complete" && kindOf(one) === kindOf(run),
  );
  const agents = [run, ...others].flatMap((one) => one.agents);
  return {
    share: agents.filter(({ successRate }) => successRate > merged).length / agents.length,
    of: agents.length,
  };
}

const typesFirst: Finder = ({ figures }) => {
  const { agents, contract_files, merge_conflicts } = figures;
  if (agents < 2 || contract_files === 0 || merge_conflicts > 0) return null;
  return {
    kind: "types-first",
    category: "decomposition",
    confidence: null,
    evidence: "agents >= 2, contract_files >= 1, merge_conflicts = 0",
    title: "Write shared types before anything runs in parallel",
    body:
      `${times(contract_files, "file")} of shared types and interfaces existed before ${times(agents, "agent")} started, ` +
      "and their work came together without one merge conflict.",
  };
};

const integrationPhase: Finder = ({ figures }) => {
  const { agents, integrations, attempts, approvals, seats } = figures;
  if (agents < 2 || integrations === 0 || attempts > 1 || approvals === 0) return null;
  return {
    kind: "integration-phase",
    category: "integration",
    confidence: null,
    evidence: "agents >= 2, integrations >= 1, attempts = 1, approvals >= 1",
    title: "Plan an integration at the end",
    body:
      `The work of ${times(agents, "agent")} was integrated in a separate change before it was judged, ` +
      `and ${approvals} of ${times(seats, "seat")} approved the result at the first attempt.`,
  };
};

const earlyAlignment: Finder = ({ figures }) => {
  const { early_align_requests, late_align_requests, mutation_conflicts } = figures;
  if (early_align_requests === 0 || late_align_requests > 0) return null;
  return {
    kind: "early-alignment",
    category: "communication",
    confidence: null,
    evidence: "early_align_requests >= 1, late_align_requests = 0",
    title: "Ask in the first iteration, not in the middle of the work",
    body:
      `${times(early_align_requests, "question")} came in the first iteration of an agent and none later; ` +
      `${times(mutation_conflicts, "piece")} of work had to be changed for a decision.`,
  };
};

const mutationRationale: Finder = ({ figures }) => {
  const { mutations, unexplained_mutations, mutation_conflicts } = figures;
  if (mutations === 0 || unexplained_mutations > 0 || mutation_conflicts > mutations) return null;
  return {
    kind: "mutation-rationale",
    category: "communication",
    confidence: null,
    evidence: "mutations >= 1, unexplained_mutations = 0",
    title: "Say why with every decision that binds others",
    body:
      `${times(mutations, "decision")} said why in whole words, and ` +
      `${times(mutation_conflicts, "piece")} of work contradicted one; all of them followed in the end.`,
  };
};

const finders: readonly Finder[] = [
  fastConvergence,
  effectiveAgent,
  typesFirst,
  integrationPhase,
  earlyAlignment,
  mutationRationale,
];
