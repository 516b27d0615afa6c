/** Finds work that contradicts a decision where no text conflict can show it. (HOX-5.2, design section 4) */

import { type NameUse, usesOf } from "#shared/domain/decision/compliance.ts";
import { complies, contradicts, type Place, placeName } from "#shared/domain/decision/compliance-status.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import { addedLines, diffOfFiles } from "#shared/domain/files/diff.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { explain, Interrupted } from "../../../engine-errors.ts";
import type { Run, RunReader } from "../../../ports.ts";
import type { WorkToJudge } from "../../../services.ts";
import { workersBelow } from "../../../workers/hierarchy.ts";
import { askCompliance } from "./compliance-judge.ts";
import {
  bindingOn,
  complianceOf,
  contradictionsOf,
  markContradicting,
  recordCompliance,
} from "./compliance-status.ts";

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
    const uses = usesBy(run, worker, decision, lines);
    const compliance = complianceOf(run, decision.changeId, worker);
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

/** Lines of a worker that use what a decision replaced, or what the worker itself had put in its place. */
export function usesBy(
  run: RunReader,
  worker: string,
  decision: DecisionRecord,
  lines: ReturnType<typeof addedLines>,
): readonly NameUse[] {
  if (!decision.names) return [];
  const { guessed } = complianceOf(run, decision.changeId, worker);
  return usesOf({ ...decision.names, removed: [...decision.names.removed, ...guessed] }, lines);
}

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

/** Why offered work cannot count as done, in words for the agent; null when it follows every decision. */
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
