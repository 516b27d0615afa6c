/** Finds work that contradicts a decision where no text conflict can show it. (HOX-5.2, design section 4) */

import { createHash } from "node:crypto";
import { z } from "zod";
import { rootOrchestrator } from "#shared/domain/change-metadata/address.ts";
import {
  type ComplianceStatus,
  complies,
  contradicts,
  type NameUse,
  type Place,
  placeName,
  unchecked,
  usesOf,
} from "#shared/domain/decision/compliance.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import { addedLines, diffOfFiles } from "#shared/domain/files/diff.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { contradictedDecision } from "#shared/domain/worker/worker-record.ts";
import { askForTool, type ToolAnswer } from "../../../../agent/ask-for-tool.ts";
import { systemPrompt } from "../../../../config/resources-folder.ts";
import { isMetByEverybody } from "../../../../model/model-error.ts";
import { structuredTool } from "../../../../tools/tool-interface.ts";
import { conversationFactory, describeTurnEnd } from "../../../conversations/conversation-factory.ts";
import { EngineRefusal, explain, Interrupted } from "../../../engine-errors.ts";
import { reopen } from "../../../orchestrators/messages.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { decisionsFor, parentOf, workersBelow } from "../../../workers/hierarchy.ts";
import { reopenOffer } from "../../../workers/merge-request.ts";
import { gateOf } from "../../../workers/worker-limits.ts";

/** A worker's work as one commit has it. */
export interface WorkToJudge {
  readonly worker: string;
  readonly commit: string;
  /** Files in conflict there, whose content is not decided yet. */
  readonly inConflict: readonly string[];
}

/**
 * Holds work against decisions, and keeps what it finds. First a search in the lines that the work adds; then, with
 * `gates.compliance = "model"`, one question about each decision for which the search found something.
 * @returns whether it contradicts any of them
 * @throws Interrupted, EngineRefusal: see `askCompliance`
 */
async function checkCompliance(
  run: Run,
  { worker, commit, inConflict }: WorkToJudge,
  decisions: readonly DecisionRecord[],
): Promise<boolean> {
  const judged = decisions.filter(
    (decision) =>
      decision.names !== undefined &&
      // Conflicts and removed lines are detected and cleared elsewhere.
      !["conflict", "override"].includes(complianceOf(run, decision.changeId, worker).shownBy ?? ""),
  );
  if (run.config.gates.compliance === "off" || judged.length === 0) return false;
  const diff = await run.repository.diff({ commit });
  const lines = addedLines(diff).filter(({ path }) => !inConflict.includes(path));
  let contradicted = false;
  for (const decision of judged) {
    const compliance = complianceOf(run, decision.changeId, worker);
    const uses = usesBy(decision, compliance.guessed, lines);
    const verdict = await judge(run, worker, decision, uses, diff);
    contradicted ||= !verdict.complies;
    recordCompliance(
      run,
      decision.changeId,
      verdict.complies
        ? complies(compliance, verdict.reason)
        : contradicts(compliance, "compliance", verdict.reason, verdict.places),
    );
  }
  return contradicted;
}

/** A decision that a worker's work contradicts as it is now, and what shows it. */
interface Contradiction {
  readonly decision: DecisionRecord;
  readonly compliance: ComplianceStatus;
}

/**
 * How every worker's work complies with its decisions, and what happens on a contradiction.
 *
 * Decisions that a worker has to follow, oldest first.
 */
export const bindingOn = (run: RunReader, worker: string): readonly DecisionRecord[] =>
  decisionsFor(run, parentOf(run, worker));

export const complianceOf = (run: RunReader, decision: string, worker: string): ComplianceStatus =>
  run.facts.compliance[decision]?.[worker] ?? unchecked(worker);

/** Records a worker's compliance with a decision, if it has changed. */
export const recordCompliance = (run: Run, decision: string, compliance: ComplianceStatus): void =>
  run.append({ kind: "ComplianceJudged", decision, compliance });

export const contradictionsOf = (run: RunReader, worker: string): readonly Contradiction[] =>
  bindingOn(run, worker).flatMap((decision) => {
    const compliance = complianceOf(run, decision.changeId, worker);
    return compliance.state === "contradicts" ? [{ decision, compliance: compliance }] : [];
  });

/** Changed or undone work has to be checked against its decisions again. */
export function forgetCompliance(run: Run, worker: string, shownBy?: ComplianceStatus["shownBy"]): void {
  for (const { changeId } of bindingOn(run, worker)) {
    const compliance = complianceOf(run, changeId, worker);
    if (shownBy === undefined || compliance.shownBy === shownBy)
      recordCompliance(run, changeId, unchecked(worker, shownBy === undefined ? [] : compliance.guessed));
  }
}

/**
 * What contradicts a decision is marked on the task itself, whatever showed it, and finished work is opened again.
 * Safe to repeat. (HOX-5.2)
 */
export async function markContradicting(run: Run, workers: readonly string[], actor: string): Promise<void> {
  const marked = workers.flatMap((worker) => {
    const { changeId } = run.worker(worker).record;
    const [first] = contradictionsOf(run, worker);
    return changeId === null || !first ? [] : [{ worker, changeId, decision: first.decision.changeId }];
  });
  if (marked.length === 0) return;
  await run.repository.setMetadata(
    marked.map(({ changeId, decision }) => ({
      change: changeId,
      patch: { status: "in_progress", msgType: "mutation", replyTo: decision },
    })),
    { actor },
  );
  for (const { worker, decision } of marked) {
    const { record } = run.worker(worker);
    // The event first: restarted after a crash, it finds the task open already and changes nothing.
    if (record.status === "done") reopen(run, worker);
    reopenOffer(run, worker);
    // Between jj's operation and this, a look at the graph may have taken it for a merge conflict and counted it.
    if (contradictedDecision(record) !== decision && record.conflict?.kind !== "merge")
      run.metrics.conflictMet(worker);
    run.append({ kind: "ContradictionFound", worker, decision });
  }
}

/** Lines that use what a decision replaced, or what their worker is guessed to have put in its place. */
export const usesBy = (
  { names }: DecisionRecord,
  guessed: readonly string[],
  lines: ReturnType<typeof addedLines>,
): readonly NameUse[] =>
  names === undefined ? [] : usesOf({ ...names, removed: [...names.removed, ...guessed] }, lines);

interface Verdict {
  readonly complies: boolean;
  readonly reason: string;
  readonly places: readonly Place[];
}

async function judge(
  run: Run,
  worker: string,
  decision: DecisionRecord,
  uses: readonly NameUse[],
  diff: string,
): Promise<Verdict> {
  const suspected = uses.filter(({ kind }) => kind === "suspected");
  const asks = run.config.gates.compliance === "model";
  if (suspected.length === 0 && (uses.length === 0 || !asks))
    return { complies: true, reason: "It uses nothing that the decision replaced.", places: [] };
  if (!asks)
    return {
      complies: false,
      reason: `It uses what the decision replaced: ${[...new Set(suspected.map(({ name }) => name))].join(", ")}.`,
      places: suspected.map(placeOf),
    };
  const paths = new Set(uses.map(({ path }) => path));
  const answer = await askCompliance(run, worker, decision, uses, diffOfFiles(diff, paths));
  const named = answer.places.map(({ file, line }): Place => {
    const use = uses.find((one) => one.path === file && one.line === line);
    return { path: file, line, text: use?.text ?? "" };
  });
  return {
    ...answer,
    // A judge that names no place still means what it was shown.
    places: answer.complies ? [] : named.length > 0 ? named : uses.map(placeOf),
  };
}

export const placeOf = ({ path, line, text }: NameUse): Place => ({ path, line, text });

/**
 * After a decision was applied: checks all agents that had started below it, finished or not. Those that
 * cannot be judged now are judged when their work is offered, and before the integration.
 * @returns those that contradict it
 */
export async function surveyDecision(run: Run, decision: DecisionRecord): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { record } of workersBelow(run, decision.orchestrator)) {
    const change = record.changeId === null ? undefined : run.changes.get(record.changeId);
    if (!change || change.conflict || roles[record.role].isLead) continue;
    if (record.status === "open" || record.status === "abandoned") continue;
    try {
      const work = { worker: record.name, commit: change.commitId, inConflict: [] };
      if (await checkCompliance(run, work, [decision])) found.push(record.name);
    } catch (error) {
      if (error instanceof Interrupted) throw error;
      const { message } = explain(error);
      run.appendTranscript("hox", {
        kind: "notice",
        text: `${message} Hox checks again when its work is done.`,
      });
    }
  }
  await markContradicting(run, found, decision.orchestrator);
  return found;
}

/** Before finished work comes together: what was changed since it was judged, by whomever, is judged again. */
export async function reopenContradicting(
  run: Run,
  workers: readonly string[],
  actor: string,
): Promise<boolean> {
  const found: string[] = [];
  for (const worker of workers) {
    const { changeId, role } = run.worker(worker).record;
    const change = changeId === null ? undefined : run.changes.get(changeId);
    // What comes up from below was judged there, agent by agent.
    if (!change || change.conflict || roles[role].isLead) continue;
    const work = { worker, commit: change.commitId, inConflict: [] };
    if (await checkCompliance(run, work, bindingOn(run, worker))) found.push(worker);
  }
  await markContradicting(run, found, actor);
  return found.length > 0;
}

/** Why offered work cannot count as done, for the agent; null if it follows every decision. */
export async function refuseByCompliance(run: Run, work: WorkToJudge): Promise<string | null> {
  if (!(await checkCompliance(run, work, bindingOn(run, work.worker)))) return null;
  return contradictionsOf(run, work.worker)
    .filter(({ compliance }) => compliance.shownBy === "compliance")
    .map(({ decision, compliance }) =>
      [
        `it contradicts the decision "${decision.title}": ${compliance.reason}`,
        ...compliance.places.map((place) => `- ${placeName(place)}: \`${place.text}\``),
      ].join("\n"),
    )
    .join("\n\n");
}

/** Each orchestrator has a separate judge, so that it pays its costs: `compliance`, `compliance-b-1`. */
const judgeOf = (orchestrator: string): string =>
  orchestrator === rootOrchestrator
    ? "compliance"
    : `compliance-${orchestrator.replace(/^O-/u, "").toLowerCase()}`;

const verdictShape = z.strictObject({
  complies: z.boolean(),
  reason: z.string().min(1).max(2_000),
  places: z
    .array(z.strictObject({ file: z.string().min(1).max(500), line: z.number().int().min(1) }))
    .max(50)
    .default([]),
});
type ComplianceVerdict = z.infer<typeof verdictShape>;

const shownDiff = 24_000;
const shownUses = 40;

/**
 * The verdict on exactly this evidence is kept, so the same work is asked about once.
 * @throws Interrupted when the run is held or its budget spent; EngineRefusal when no model answers
 */
function askCompliance(
  run: Run,
  worker: string,
  decision: DecisionRecord,
  uses: readonly NameUse[],
  diff: string,
): Promise<ComplianceVerdict> {
  const text = questionOf(worker, decision, uses, diff);
  const evidence = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return run.step(`compliance/${decision.changeId}/${worker}/${evidence}`, () =>
    // One after another, because a judge says all in one conversation.
    run.serial.run("compliance", () => ask(run, worker, text)),
  );
}

async function ask(run: Run, worker: string, text: PromptText): Promise<ComplianceVerdict> {
  const parent = parentOf(run, worker);
  const judge = judgeOf(parent);
  run.addWorker({
    name: judge,
    role: "validator",
    parent,
    title: "Checks work against decisions",
    status: "in_progress",
  });
  const start = await conversationFactory(run, judge, {
    system: systemPrompt("compliance", judge, {}),
    tools: [
      structuredTool(
        "judge_compliance",
        "Says whether the work follows the decision. Use it once, after you have read both.",
        verdictShape,
      ),
    ],
    place: run.workspaces.of(worker) ?? run.workspaces.home(),
    gate: gateOf(run, null),
  });
  const conversation = start();
  let hasStarted = false;
  try {
    const asked = await askForTool({
      prompt: text,
      reminder: promptLine`Answer with one call of judge_compliance.`,
      reminders: 1,
      isWorthReminder: (end) => end.kind === "ended",
      signal: run.runEnded.signal,
      answerOf: (signal) => (signal.kind === "structured" ? verdictShape.parse(signal.value) : null),
      async open() {
        const isResumed = hasStarted;
        hasStarted = true;
        return { conversation, isResumed };
      },
    });
    if (asked.kind === "answer") return asked.answer;
    throw whyUnanswered(run, worker, asked);
  } finally {
    run.worker(judge).recorder.flush();
    run.setActivity(judge, "done", "");
  }
}

function whyUnanswered(
  run: Run,
  worker: string,
  asked: Exclude<ToolAnswer<ComplianceVerdict>, { kind: "answer" }>,
): Error {
  if (asked.kind === "stopped") {
    if (asked.by === "budget") run.dispatch({ kind: "BudgetExhausted" });
    return new Interrupted();
  }
  if (asked.kind === "failed" && isMetByEverybody(asked.error)) return asked.error;
  const found =
    asked.kind === "failed"
      ? explain(asked.error)
      : { message: `${describeTurnEnd(asked.end)}.`, remedy: "Retry." };
  return new EngineRefusal(
    `Could not check whether ${worker} follows a decision: ${found.message}`,
    `${found.remedy} Or set gates.compliance = "text" in .hox/config.toml to use only the text search.`,
  );
}

function questionOf(
  worker: string,
  decision: DecisionRecord,
  uses: readonly NameUse[],
  diff: string,
): PromptText {
  const edits = (decision.edits ?? []).flatMap(({ path, added, removed }) => [
    path,
    ...removed.map((line) => `- ${line}`),
    ...added.map((line) => `+ ${line}`),
  ]);
  const more = uses.length - shownUses;
  return prompt(
    promptLine`[COMPLY] ${worker} and the decision "${decision.title}"`,
    section("Decision", [quoteText(decision.reason), promptLine``, quoteText(edits.join("\n"))]),
    section("Lines that may not follow it", [
      ...uses
        .slice(0, shownUses)
        .map(
          ({ path, line, text, name, kind }) =>
            promptLine`- ${shownName(path)}:${line}: \`${startOf(text, 300)}\` (${name} was ${kind === "suspected" ? "removed" : "redeclared"})`,
        ),
      ...(more > 0 ? [promptLine`- and ${more} more`] : []),
    ]),
    section("What the agent wrote in these files", [
      quoteText(diff.length > shownDiff ? `${startOf(diff, shownDiff)}\n… cut` : diff),
    ]),
  );
}
