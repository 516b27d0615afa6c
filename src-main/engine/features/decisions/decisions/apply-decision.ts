/** An approved decision becomes a change below all agents that it binds. (HOX-4.4, design section 4) */

import {
  type ComplianceStatus,
  contradicts,
  guessedNames,
  namesTouched,
  unchecked,
} from "#shared/domain/decision/compliance.ts";
import { decisionEdit, type EditedFile } from "#shared/domain/decision/decision-edit.ts";
import type { DecisionRecord, ProposedDecision } from "#shared/domain/decision/decision-events.ts";
import { addedLines } from "#shared/domain/files/diff.ts";
import { describeChange } from "#shared/domain/plan/task-texts.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Change } from "#shared/graph/change.ts";
import { presentTexts } from "../../../graph-sync/read-change.ts";
import type { Run, RunReader, Worker } from "../../../ports.ts";
import { contractsOwner, tipOf, touchedBy, workersBelow } from "../../../workers/hierarchy.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { markContradicting, placeOf, usesBy } from "./compliance.ts";

/** Exactly those below its base. */
export const boundBy = (run: RunReader, orchestrator: string): readonly string[] =>
  workersBelow(run, orchestrator)
    .filter(
      ({ record }) => !roles[record.role].isLead && record.changeId !== null && record.status !== "abandoned",
    )
    .map(({ record }) => record.name);

/** Who works on a change; of a part's result that is its integrator, not the orchestrator that it was delegated to. */
export function workerOnChange(run: RunReader, changeId: string): string | null {
  const workers = [...run.workers.values()].filter(({ record }) => record.changeId === changeId);
  return (workers.find(({ record }) => !roles[record.role].isLead) ?? workers[0])?.record.name ?? null;
}

/** Changes of the run in which a conflict begins: change id → commit id. */
export async function conflictedChanges(run: Run, operation?: string): Promise<ReadonlyMap<string, string>> {
  const found = await run.repository.conflictsOfRun(run.id, operation === undefined ? {} : { operation });
  return new Map(found.map((change) => [change.changeId, change.commitId]));
}

export const descriptionOf = (
  run: RunReader,
  { orchestrator, title, reason, inReplyTo }: ProposedDecision,
): string =>
  describeChange(title, reason, {
    kind: "mutation",
    status: "done",
    run: run.id,
    orchestrator,
    msgTo: `${orchestrator}/*`,
    msgType: "mutation",
    replyTo: inReplyTo,
  });

/** While a decision is applied, it is the one to say which conflicts are its own. */
async function whileDeciding<T>(run: Run, work: () => Promise<T>): Promise<T> {
  const decision = Symbol("decision");
  run.applying.add(decision);
  try {
    return await work();
  } finally {
    run.applying.delete(decision);
  }
}

/**
 * With all affected agents at the turn boundary: save, insert below all tasks, update every copy, and find
 * the conflicts that the decision caused. Every step is stored or visible on the graph, so it can restart
 * after a crash.
 * @param makeFiles asked once nothing else is decided meanwhile
 * @param tool its lines are not compared with anybody's work: a tool wrote them, and may write them otherwise next time
 */
export function applyDecision(
  run: Run,
  proposed: ProposedDecision,
  makeFiles: () => Promise<Readonly<Record<string, string>>>,
  { tool = false }: { readonly tool?: boolean } = {},
): Promise<DecisionRecord> {
  return whileDeciding(run, async () => {
    const { id, orchestrator, title, reason } = proposed;
    const touched = touchedBy(run, orchestrator);
    const steps = showSteps(run, touched);
    try {
      steps.show("saving first");
      const files = await makeFiles();
      const what = `The decision “${title}” was applied.`;
      const { before, changeId } = await rewriteBeneath(run, { touched, what }, async () => {
        const graph = await run.step(beforeStep(id), () =>
          graphBefore(run, orchestrator, Object.keys(files)),
        );
        steps.show("writing it below");
        const inserted = await insert(run, proposed, files);
        steps.show("bringing the files up to date");
        return { before: graph, changeId: inserted };
      });

      const after = await conflictedChanges(run);
      const contradicted = [...after.keys()]
        .filter((change) => !before.conflicted.includes(change))
        .flatMap((change) => workerOnChange(run, change) ?? contractsOwner(run, change) ?? []);
      const edited = Object.entries(files).map(
        ([path, text]): EditedFile => ({ path, before: before.texts[path] ?? null, after: text }),
      );
      const record: DecisionRecord = {
        orchestrator,
        changeId,
        title,
        reason,
        files: Object.keys(files),
        contradicted,
        ...(tool ? {} : { edits: edited.map(decisionEdit), names: namesTouched(edited) }),
      };
      const found = await complianceWith(run, record, edited, before.commits, after);
      run.append(
        { kind: "DecisionApplied", decision: record, proposal: tool ? null : id },
        ...found.map((compliance) => ({ kind: "ComplianceJudged", decision: changeId, compliance }) as const),
      );
      await settleDecision(run, record);
      return record;
    } finally {
      steps.end();
    }
  });
}

/** The graph as it was before a decision is kept as a step: it is gone once that is written. */
export const beforeStep = (id: string): string => `${id}/before`;

/** Everybody hears of a decision that was applied. Safe to repeat. */
export async function settleDecision(
  run: Run,
  { orchestrator, changeId, contradicted }: DecisionRecord,
): Promise<void> {
  await markContradicting(run, contradicted, orchestrator);
  await run.workspaces.ensure(orchestrator, changeId);
  await run.refreshChanges();
  run.changed();
}

async function graphBefore(run: Run, orchestrator: string, paths: readonly string[]) {
  const tip = tipOf(run, orchestrator);
  await run.refreshChanges();
  const names = boundBy(run, orchestrator);
  const texts = await presentTexts(run, tip, paths);
  return {
    conflicted: [...(await conflictedChanges(run)).keys()],
    /** Worker → commit id, of all work that the decision binds. */
    commits: Object.fromEntries(
      names.flatMap((name) => {
        const change = changeOf(run, run.worker(name));
        return change ? [[name, change.commitId]] : [];
      }),
    ),
    texts: Object.fromEntries(texts),
  };
}

async function insert(
  run: Run,
  proposed: ProposedDecision,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const { orchestrator } = proposed;
  const description = descriptionOf(run, proposed);
  await run.refreshChanges();
  const made = [...run.changes.values()].find((change) => change.description.trim() === description.trim());
  if (made) return made.changeId;
  const inserted = await run.repository.insertAfter(tipOf(run, orchestrator), {
    description,
    files,
    actor: orchestrator,
    request: `${run.id}/${proposed.id}`,
  });
  return inserted.changeId;
}

/** How everybody's work complies as the operation shows it: in conflict with the decision, or yet to be compared. */
async function complianceWith(
  run: Run,
  decision: DecisionRecord,
  edited: readonly EditedFile[],
  commits: Readonly<Record<string, string>>,
  after: ReadonlyMap<string, string>,
): Promise<readonly ComplianceStatus[]> {
  const found: ComplianceStatus[] = [];
  for (const worker of boundBy(run, decision.orchestrator)) {
    const { record } = run.worker(worker);
    if (record.status === "open" || record.status === "abandoned") continue;
    if (!decision.contradicted.includes(worker)) {
      if (decision.names !== undefined) found.push(unchecked(worker));
      continue;
    }
    const commit = commits[worker];
    const lines = commit === undefined ? [] : addedLines(await run.repository.diff({ commit }));
    const guessed = decision.names === undefined ? [] : guessedNames(edited, lines);
    const conflicted = after.get(record.changeId ?? "");
    const files = conflicted === undefined ? [] : await run.repository.conflictedFiles(conflicted);
    const inConflict = files.map(({ path }) => path);
    const uses =
      run.config.gates.compliance === "off"
        ? []
        : usesBy(
            decision,
            guessed,
            lines.filter(({ path }) => !inConflict.includes(path)),
          );
    const places = [
      ...inConflict.map((path) => ({ path, line: null, text: "in conflict" })),
      ...uses.map(placeOf),
    ];
    const reason =
      uses.length === 0
        ? "jj records a conflict with the decision."
        : `jj records a conflict with the decision, and ${[...new Set(uses.map(({ name }) => name))].join(", ")} is used where no conflict shows it.`;
    found.push(contradicts(unchecked(worker, guessed), "conflict", reason, places));
  }
  return found;
}

const changeOf = (run: RunReader, { record }: Worker): Change | undefined =>
  record.changeId === null ? undefined : run.changes.get(record.changeId);

/** What is being done to them, on those that wait for it; each says what it did before when it is over. */
function showSteps(run: Run, touched: (worker: string) => boolean) {
  const waiting = [...run.workers.values()]
    .filter(({ record, state }) => touched(record.name) && ["waiting", "thinking", "tools"].includes(state))
    .filter(({ record }) => !roles[record.role].isLead && record.awaitedQuestion === null)
    .map(({ record, state, activity }) => ({ name: record.name, state, activity }));
  let shown = "";
  return {
    show(step: string) {
      shown = `a decision is being applied: ${step}`;
      for (const { name } of waiting) run.setActivity(name, "waiting", shown);
    },
    end() {
      for (const { name, state, activity } of waiting)
        if (run.worker(name).activity === shown) run.setActivity(name, state, activity);
    },
  };
}
