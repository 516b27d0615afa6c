import type { InboxItem } from "#shared/contract/views.ts";
import { parentOf, scoped, workersBelow } from "./chain-of-command.ts";
import { announce } from "./messages.ts";
import { EditProblem, filesAfter, type MutationProposal, tipOf } from "./mutation-edits.ts";
import type { DecisionRecord } from "./records.ts";
import type { Run } from "./run.ts";
import { describeChange, refreshChanges, runRevset } from "./run-changes.ts";
import { ensureWorkspace, saveAll, workspaceOf } from "./workspaces.ts";

export type MutationOutcome =
  | { readonly applied: true; readonly title: string; readonly contradicted: readonly string[] }
  | { readonly applied: false; readonly title: string; readonly reason: string };

/** What an orchestrator wants to decide, and the question that led to it. */
export interface ProposedDecision {
  readonly orchestrator: string;
  /** The same after a restart; unique among the orchestrator's own. */
  readonly key: string;
  readonly proposal: MutationProposal;
  readonly inReplyTo: string;
}

/** A proposed decision: tried on the real graph, shown with what it would do, and applied when the user approves. */
export async function decideMutation(run: Run, proposed: ProposedDecision): Promise<MutationOutcome> {
  const { orchestrator, proposal } = proposed;
  const { title } = proposal;
  const key = scoped(orchestrator, proposed.key);
  const done = run.journal.step<MutationOutcome>(run.id, `${key}/outcome`);
  if (done) return done.result;
  try {
    // Kept before the card is shown: what is applied is what was shown, whatever happens to the graph meanwhile.
    const files = await run.step(`${key}/files`, () => filesAfter(run, orchestrator, proposal));
    const decision =
      run.config.gates.mutations === "auto"
        ? ({ kind: "approve" } as const)
        : await run.inbox.ask(
            `${run.id}/${key}/mutation`,
            () => cardFor(run, proposed, files),
            run.ending.signal,
          );
    if (decision.kind !== "approve")
      return await run.step(`${key}/outcome`, async () => ({
        applied: false,
        title,
        reason: decision.kind === "reject" ? decision.reason : "It was not approved.",
      }));
    const record = await run.barrier.alone(() => apply(run, proposed, files));
    return await run.step(`${key}/outcome`, async () => ({
      applied: true,
      title,
      contradicted: record.contradicted,
    }));
  } catch (error) {
    if (!(error instanceof EditProblem)) throw error;
    return run.step(`${key}/outcome`, async () => ({ applied: false, title, reason: error.message }));
  }
}

type MutationCard = Extract<InboxItem, { kind: "mutation" }>;

/** Everything that the approval rests on, found by a dry run that nobody sees. */
async function cardFor(
  run: Run,
  proposed: ProposedDecision,
  files: Readonly<Record<string, string>>,
): Promise<Omit<MutationCard, "id" | "run" | "at" | "nonce" | "shown">> {
  // What agents have not saved yet would be missing from the forecast.
  await run.barrier.alone(() => saveAll(run));
  const { orchestrator, proposal } = proposed;
  const tip = tipOf(run, orchestrator);
  const description = descriptionOf(run, proposed);
  const { operation } = await run.repository.dryRun({
    kind: "mutation",
    base: tip,
    description,
    files,
  });
  const [today, then] = [await conflicted(run), await conflicted(run, operation)];
  const conflicts: MutationCard["conflicts"][number][] = [];
  for (const [changeId, commitId] of then) {
    if (today.has(changeId)) continue;
    const worker = workerOf(run, changeId);
    if (worker === null) continue;
    const found = await run.repository.conflictedFiles(commitId, { operation });
    conflicts.push({ worker, changeId, files: found.map((file) => file.path) });
  }
  const [made] = await run.repository.query(
    `${runRevset(run)} & description(regex:"(?m)^Hox-Kind: mutation$") & children(${tip})`,
    { operation, limit: 1 },
  );
  return {
    kind: "mutation",
    from: orchestrator,
    title: proposal.title,
    reason: proposal.reason,
    diff: made ? await run.repository.diff({ commit: made.commitId, operation }) : "",
    binds: bound(run, orchestrator),
    conflicts,
  };
}

/** Those below its base, and nobody else. */
const bound = (run: Run, orchestrator: string): readonly string[] =>
  workersBelow(run, orchestrator)
    .filter(
      ({ record }) =>
        record.role !== "orchestrator" && record.changeId !== null && record.status !== "abandoned",
    )
    .map(({ record }) => record.name);

const workerOf = (run: Run, changeId: string): string | null =>
  [...run.workers.values()].find(({ record }) => record.changeId === changeId)?.record.name ?? null;

/** Conflicted changes of the run: change id → commit id. */
async function conflicted(run: Run, operation?: string): Promise<ReadonlyMap<string, string>> {
  const found = await run.repository.query(
    `${runRevset(run)} & conflicts()`,
    operation === undefined ? {} : { operation },
  );
  return new Map(found.map((change) => [change.changeId, change.commitId]));
}

const descriptionOf = (run: Run, { orchestrator, proposal, inReplyTo }: ProposedDecision): string =>
  describeChange(proposal.title, proposal.reason, {
    kind: "mutation",
    status: "done",
    run: run.id,
    orchestrator,
    msgTo: `${orchestrator}/*`,
    msgType: "mutation",
    replyTo: inReplyTo,
  });

/**
 * Alone, with every agent at its turn boundary: save, insert below all tasks, bring every copy up to date, and tell
 * apart what the decision itself put in conflict. Every step is kept or can be seen on the graph, so it may begin again.
 */
async function apply(
  run: Run,
  proposed: ProposedDecision,
  files: Readonly<Record<string, string>>,
): Promise<DecisionRecord> {
  const { orchestrator, proposal } = proposed;
  const key = scoped(orchestrator, proposed.key);
  await saveAll(run);
  const before = new Set(await run.step(`${key}/before`, async () => [...(await conflicted(run)).keys()]));
  const changeId = await run.step(`${key}/insert`, async () => {
    const description = descriptionOf(run, proposed);
    await refreshChanges(run);
    const made = [...run.changes.values()].find((change) => change.description.trim() === description.trim());
    if (made) return made.changeId;
    const inserted = await run.repository.insertAfter(tipOf(run, orchestrator), {
      description,
      files,
      actor: orchestrator,
      request: `${run.id}/${key}`,
    });
    return inserted.changeId;
  });
  for (const worker of run.workers.keys()) await workspaceOf(run, worker)?.updateStale({ actor: worker });

  const after = await conflicted(run);
  const contradicted = [...after.keys()]
    .filter((change) => !before.has(change))
    .flatMap((change) => workerOf(run, change) ?? []);
  const record: DecisionRecord = {
    orchestrator,
    changeId,
    title: proposal.title,
    reason: proposal.reason,
    files: Object.keys(files),
    contradicted,
  };
  if (!run.facts.decisions.some((one) => one.changeId === changeId))
    run.note({ decisions: [...run.facts.decisions, record] });
  await mark(run, record);
  await ensureWorkspace(run, orchestrator, changeId);
  await refreshChanges(run);
  announce(run);
  return record;
}

/** The contradiction stands on the task itself, and finished work is opened again. */
async function mark(run: Run, decision: DecisionRecord): Promise<void> {
  const { orchestrator, contradicted } = decision;
  const changes = contradicted.flatMap((worker) => {
    const { changeId } = run.worker(worker).record;
    return changeId === null ? [] : [{ worker, changeId }];
  });
  if (changes.length === 0) return;
  await run.repository.setMetadata(
    changes.map(({ changeId }) => ({
      change: changeId,
      patch: { status: "in_progress", msgType: "mutation", replyTo: decision.changeId },
    })),
    { actor: orchestrator },
  );
  for (const { worker } of changes) {
    const { task, status } = run.worker(worker).record;
    // First the event: begun again after a crash, it finds the task open already and changes nothing.
    if (status === "done" && task !== null)
      run.dispatch({ kind: "TaskReopened", task }, parentOf(run, worker));
    run.metrics.conflictMet(worker);
    run.update(worker, { conflict: "mutation", contradicts: decision.changeId, status: "in_progress" });
  }
}
