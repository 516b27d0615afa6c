import { createHash } from "node:crypto";
import { z } from "zod";
import type { DecisionRecord, Proposal, ProposedDecision } from "#shared/domain/decision/decision-events.ts";
import { cutDiff } from "#shared/domain/files/diff.ts";
import { occurrencesOf } from "#shared/domain/text/occurrences.ts";
import { type PromptText, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { JjError } from "../../../../jj/process/errors.ts";
import { protection } from "../../../../tools/protected-files.ts";
import { Interrupted } from "../../../engine-errors.ts";
import { background } from "../../../kernel/feature.ts";
import { inform, warn } from "../../../kernel/notify.ts";
import type { Card, Run, RunReader } from "../../../ports.ts";
import { contractsOwner, rootOf, tipOf, touchedBy } from "../../../workers/hierarchy.ts";
import {
  applyDecision,
  boundBy,
  conflictedChanges,
  descriptionOf,
  settleDecision,
  workerOnChange,
} from "./apply-decision.ts";
import { surveyDecision } from "./compliance.ts";

const path = z
  .string()
  .min(1)
  .max(500)
  .regex(/^(?!\/)(?!.*(?:^|\/)\.\.?(?:\/|$))[^\0\r\n\\]+$/u, "must be a plain relative path");

export const mutationShape = z.strictObject({
  title: z.string().min(1).max(200),
  reason: z.string().min(1).max(10_000),
  edits: z
    .array(
      z.union([
        z.strictObject({ path, old_text: z.string().min(1), new_text: z.string() }),
        z.strictObject({ path, content: z.string().max(1_000_000) }),
      ]),
    )
    .min(1)
    .max(100),
});
export type MutationProposal = z.infer<typeof mutationShape>;

/** By path, what the files held that are replaced as a whole, as a hash; null: there was none. */
type Replaced = Readonly<Record<string, string | null>>;

/**
 * Whole contents after a proposal's edits, computed on the files as the last decision left them.
 * @param replaced as it was when the edits were proposed
 * @throws EditProblem
 */
async function filesAfter(
  run: Run,
  orchestrator: string,
  edits: MutationProposal["edits"],
  replaced?: Replaced,
): Promise<Readonly<Record<string, string>>> {
  const tip = await tipFor(run, orchestrator);
  for (const [path, before] of Object.entries(replaced ?? {}))
    if ((await hashOf(run, tip.commitId, path)) !== before)
      throw new EditProblem(`${path} has changed since its whole content was proposed.`);
  const guard = protection(run.config.protectedFiles);
  const files = new Map<string, string>();
  for (const edit of edits) {
    if (guard.covers(edit.path)) throw new EditProblem(`${edit.path} is protected.`);
    if ("content" in edit) {
      files.set(edit.path, edit.content);
      continue;
    }
    const text = files.get(edit.path) ?? (await textOf(run, tip.commitId, edit.path));
    const [at, ...others] = occurrencesOf(text, edit.old_text);
    if (at === undefined || others.length > 0)
      throw new EditProblem(
        `old_text occurs ${at === undefined ? 0 : others.length + 1} times in ${edit.path}; it must occur exactly once.`,
      );
    files.set(edit.path, text.slice(0, at) + edit.new_text + text.slice(at + edit.old_text.length));
  }
  return Object.fromEntries(files);
}

/** What is wrong with a proposal's edits, in words for the one who made them, or null. */
export async function editsProblem(
  run: Run,
  orchestrator: string,
  edits: MutationProposal["edits"],
): Promise<string | null> {
  try {
    await filesAfter(run, orchestrator, edits);
    return null;
  } catch (error) {
    if (error instanceof EditProblem) return error.message;
    throw error;
  }
}

class EditProblem extends Error {
  override readonly name = "EditProblem";
}

async function tipFor(run: Run, orchestrator: string): Promise<Change> {
  const tip = await run.repository.change(tipOf(run, orchestrator));
  if (!tip) throw new EditProblem("The change that the decision builds on is gone.");
  return tip;
}

async function hashOf(run: Run, commit: string, file: string): Promise<string | null> {
  const bytes = await run.repository.readFile(commit, file).catch((error: unknown) => {
    if (error instanceof JjError && error.kind === "no-such-path") return null;
    throw error;
  });
  return bytes === null ? null : createHash("sha256").update(bytes).digest("hex");
}

async function whatIsReplaced(
  run: Run,
  orchestrator: string,
  edits: MutationProposal["edits"],
): Promise<Replaced> {
  const { commitId } = await tipFor(run, orchestrator);
  const paths = new Set(edits.flatMap((edit) => ("content" in edit ? [edit.path] : [])));
  return Object.fromEntries(
    await Promise.all([...paths].map(async (path) => [path, await hashOf(run, commitId, path)] as const)),
  );
}

async function textOf(run: Run, commit: string, file: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await run.repository.readFile(commit, file));
  } catch (error) {
    if (error instanceof JjError && error.kind === "no-such-path")
      throw new EditProblem(`${file} is not there. Give its whole content to create it.`);
    if (error instanceof TypeError) throw new EditProblem(`${file} is not text.`);
    throw error;
  }
}

/** Characters of the patch on the card. */
const maxDiffLength = 1_000_000;

export type DecisionOutcome =
  | { readonly applied: true; readonly title: string; readonly contradicted: readonly string[] }
  | { readonly applied: false; readonly title: string; readonly reason: string };

/** What became of a proposal, in lines for the orchestrator that made it. */
export const formatOutcome = (outcome: DecisionOutcome): readonly PromptText[] =>
  outcome.applied
    ? [
        promptLine`"${outcome.title}" now applies to all tasks.`,
        section(
          "Agents whose work contradicts it; each corrects its own",
          outcome.contradicted.map((worker) => promptLine`- ${worker}`),
        ),
      ]
    : [promptLine`"${outcome.title}" was not applied.`, section("Why", [quoteText(outcome.reason)])];

/**
 * Journals what somebody wants to decide, and waits until it is rejected, or applied and compared with everybody's work.
 * Safe to repeat: what carries it out goes on by itself from the journal (`decisionWork`).
 */
export async function decide(
  run: Run,
  proposed: ProposedDecision,
  edits: MutationProposal["edits"],
): Promise<DecisionOutcome> {
  if (run.facts.proposals[proposed.id] === undefined) await propose(run, proposed, edits);
  let outcome: DecisionOutcome | null = null;
  await run.waiters.until(() => {
    outcome = outcomeOf(run.facts.proposals[proposed.id]);
    return outcome !== null;
  });
  if (outcome === null) throw new Interrupted();
  return outcome;
}

async function propose(
  run: Run,
  proposed: ProposedDecision,
  edits: MutationProposal["edits"],
): Promise<void> {
  const { id, orchestrator } = proposed;
  const problem = await editsProblem(run, orchestrator, edits);
  if (problem === null) {
    await run.step(replacedStep(id), () => whatIsReplaced(run, orchestrator, edits));
    await run.step(editsStep(id), async () => edits);
  }
  run.append(
    { kind: "DecisionProposed", proposed },
    ...(problem === null ? [] : [{ kind: "DecisionRejected", proposal: id, reason: problem } as const]),
  );
}

/** What is kept of a proposal: it is made on the files as they are when it is shown, and when it is applied. */
const editsStep = (id: string): string => `${id}/edits`;
/** Whole contents would take back what was decided meanwhile. */
const replacedStep = (id: string): string => `${id}/replaced`;

function outcomeOf(proposal: Proposal | undefined): DecisionOutcome | null {
  if (proposal === undefined) return null;
  const { title } = proposal.proposed;
  const { state } = proposal;
  if (state.kind === "rejected") return { applied: false, title, reason: state.reason };
  return state.kind === "surveyed" ? { applied: true, title, contradicted: state.contradicted } : null;
}

/** The same for complete files that are already written. @returns why it is refused; null if it is not */
export async function proposeFiles(
  run: Run,
  proposed: ProposedDecision,
  files: Readonly<Record<string, string>>,
): Promise<string | null> {
  const { title, reason } = proposed;
  const edits = Object.entries(files).map(([path, content]) => ({ path, content }));
  const read = mutationShape.safeParse({ title, reason, edits });
  if (!read.success) return z.prettifyError(read.error);
  const outcome = await decide(run, proposed, read.data.edits);
  return outcome.applied ? null : outcome.reason;
}

/** Carries every proposal on from where the journal has it: approval, application, comparison with everybody's work. */
export const decisionWork = background({
  // You answer cards while the run is paused; only the comparison may ask a model.
  runsWhilePaused: true,
  desired: (run: Run) =>
    Object.values(run.facts.proposals).flatMap(({ proposed: { id }, state }) =>
      state.kind === "proposed" ||
      state.kind === "approved" ||
      (state.kind === "applied" && run.state.pause === "none")
        ? [{ id: `decision/${id}`, proposal: id }]
        : [],
    ),
  async perform(run, { proposal }) {
    const stateNow = () => run.facts.proposals[proposal]?.state.kind;
    const proposed = run.facts.proposals[proposal]?.proposed;
    const edits = run.journal.step<MutationProposal["edits"]>(run.id, editsStep(proposal))?.result;
    if (proposed === undefined || edits === undefined) return;
    const replaced = run.journal.step<Replaced>(run.id, replacedStep(proposal))?.result;
    const makeFiles = () => filesAfter(run, proposed.orchestrator, edits, replaced);
    try {
      if (stateNow() === "proposed") await approve(run, proposed, makeFiles);
      if (stateNow() === "approved")
        await inTurn(run, proposed, () => applyDecision(run, proposed, makeFiles));
      // Its host ended before everybody was told.
      else if (stateNow() === "applied") await inTurn(run, proposed, () => settleAgain(run, proposal));
    } catch (error) {
      if (!(error instanceof EditProblem)) throw error;
      // Another one has replaced what it was to change.
      const { title, orchestrator } = proposed;
      warn(run, `"${title}" was not applied: ${error.message}`, `${orchestrator} may propose it again.`);
      run.append({ kind: "DecisionRejected", proposal, reason: error.message });
    }
    if (stateNow() === "applied") await survey(run, proposal);
  },
  failure: ({ proposal }, run) => ({
    title: `The decision "${run.facts.proposals[proposal]?.proposed.title}" could not be applied`,
    worker: null,
    isAsked: true,
  }),
});

/** Whether agents work on an orchestrator's contracts now: before, these are still written; afterwards no agent would follow. */
export function canDecide(run: RunReader, orchestrator: string): boolean {
  const { current } = run.stateOf(orchestrator);
  return current.stage === "integrating" || (current.stage === "executing" && current.phase > 0);
}

/** Other active runs that a decision can be put to, and was not. */
const otherRunsFor = (run: Run, { title }: Pick<ProposedDecision, "title">): readonly Run[] =>
  run
    .others()
    .filter(
      (other) =>
        canDecide(other, rootOf(other)) &&
        !Object.values(other.facts.proposals).some(({ proposed }) => proposed.title === title),
    );

/** What the user approved for other runs as well, and is not asked for there yet. */
const toPutFurther = (run: Run): readonly { readonly id: string; readonly proposal: Proposal }[] =>
  Object.entries(run.facts.proposals).flatMap(([id, proposal]) =>
    proposal.also !== undefined && runsToPutTo(run, proposal).length > 0
      ? [{ id: `decision/${id}/further`, proposal }]
      : [],
  );

const runsToPutTo = (run: Run, { proposed, also = [] }: Proposal): readonly Run[] =>
  otherRunsFor(run, proposed).filter((other) => also.includes(rootOf(other)));

/** A decision that binds several runs is the user's: it is asked for in each, with what it contradicts there. */
export const decisionsOfSeveralRuns = background({
  runsWhilePaused: true,
  desired: toPutFurther,
  async perform(run, { proposal: one }) {
    const { id, title, reason } = one.proposed;
    const edits = run.journal.step<MutationProposal["edits"]>(run.id, editsStep(id))?.result ?? [];
    for (const other of runsToPutTo(run, one)) {
      const orchestrator = rootOf(other);
      const further = { id: `${run.id}/${id}`, orchestrator, title, reason, inReplyTo: null };
      await propose(other, further, edits);
      const { state } = other.facts.proposals[further.id] ?? one;
      if (state.kind === "rejected")
        warn(
          run,
          `"${title}" was not put to the run of ${orchestrator}: ${state.reason}`,
          `Write its files for that run: label a change with \`hox describe --mutation --set-orchestrator ${orchestrator}\`.`,
        );
      other.schedule();
    }
  },
  failure: ({ proposal }) => ({
    title: `The decision "${proposal.proposed.title}" could not be put to another run`,
  }),
});

const inTurn = <T>(run: Run, { orchestrator }: ProposedDecision, work: () => Promise<T>): Promise<T> =>
  run.lock.withExclusive(touchedBy(run, orchestrator), work, "a decision is being applied");

/** What a proposal became; null where somebody took it off the graph since. */
function recordOf(run: Run, id: string): DecisionRecord | null {
  const state = run.facts.proposals[id]?.state;
  return state?.kind !== "applied"
    ? null
    : (run.facts.decisions.find(({ changeId }) => changeId === state.changeId) ?? null);
}

async function settleAgain(run: Run, id: string): Promise<void> {
  const record = recordOf(run, id);
  if (record !== null) await settleDecision(run, record);
}

async function survey(run: Run, id: string): Promise<void> {
  const record = recordOf(run, id);
  const contradicted =
    record === null ? [] : [...record.contradicted, ...(await surveyDecision(run, record))];
  run.append({ kind: "DecisionSurveyed", proposal: id, contradicted });
}

type DecisionCard = Extract<Card, { kind: "mutation" }>;

/**
 * A user's answer to the card; or none needed, where the configuration lets decisions pass by themselves and the dry
 * run finds no more agents in contradiction than it allows. (`gates.mutations`, `gates.auto_mutation_max_conflicts`)
 */
async function approve(
  run: Run,
  proposed: ProposedDecision,
  makeFiles: () => Promise<Readonly<Record<string, string>>>,
): Promise<void> {
  const { id, orchestrator, title } = proposed;
  const card = `${run.id}/${id}/mutation`;
  const { mutations, autoMutationMaxConflicts: max } = run.config.gates;
  // A card that is on the table, or was answered, stays what decides: the configuration may have changed meanwhile.
  const found =
    mutations === "auto" && run.journal.inboxItem(card) === null
      ? await decisionCard(run, proposed, makeFiles)
      : null;
  if (found !== null && found.conflicts.length <= max) {
    notifyDecision(run, orchestrator, title, found);
    run.append({ kind: "DecisionApproved", proposal: id });
    return;
  }
  const answer = await run.inbox.ask<"mutation">(card, () => found ?? decisionCard(run, proposed, makeFiles));
  if (answer.kind === "approve") {
    const { also = [] } = answer;
    run.append({ kind: "DecisionApproved", proposal: id, ...(also.length > 0 ? { also } : {}) });
  } else {
    const reason = answer.kind === "reject" ? answer.reason : "It was not approved.";
    run.append({ kind: "DecisionRejected", proposal: id, reason });
  }
}

/** Notifies the user of an automatic decision, with its undo. */
function notifyDecision(
  run: Run,
  orchestrator: string,
  title: string,
  { binds, conflicts }: Pick<DecisionCard, "binds" | "conflicts">,
): void {
  const against =
    conflicts.length === 0
      ? "contradicts no work"
      : `contradicts ${conflicts.map(({ worker }) => worker).join(", ")}`;
  const text = `${orchestrator} decided "${title}". It applies to ${binds.join(", ") || "no agent yet"} and ${against}.`;
  const remedy =
    'It was applied automatically because gates.mutations is "auto". To undo it, abandon its change in the graph.';
  inform(run, text, remedy);
  run.appendTranscript(orchestrator, { kind: "notice", text: `${text} ${remedy}` });
}

/** The basis of the approval, from an unpublished dry run. */
async function decisionCard(
  run: Run,
  proposed: ProposedDecision,
  makeFiles: () => Promise<Readonly<Record<string, string>>>,
): Promise<DecisionCard> {
  // What agents have not saved yet would be missing from the forecast.
  const { orchestrator, title, reason } = proposed;
  const touched = touchedBy(run, orchestrator);
  await run.lock.withExclusive(touched, () => run.workspaces.saveAll(touched), "a decision is being tested");
  const tip = tipOf(run, orchestrator);
  const description = descriptionOf(run, proposed);
  const { operation } = await run.repository.dryRun({
    kind: "mutation",
    base: tip,
    description,
    files: await makeFiles(),
  });
  const [today, then] = [await conflictedChanges(run), await conflictedChanges(run, operation)];
  const conflicts: DecisionCard["conflicts"][number][] = [];
  for (const [changeId, commitId] of then) {
    if (today.has(changeId)) continue;
    const worker = workerOnChange(run, changeId) ?? contractsOwner(run, changeId);
    if (worker === null) continue;
    const found = await run.repository.conflictedFiles(commitId, { operation });
    conflicts.push({ worker, changeId, files: found.map((file) => file.path) });
  }
  const below = await run.repository.change(tip, { operation });
  const made = (await run.repository.changesOfRun(run.id, { operation })).find(
    ({ metadata, parents }) => metadata.kind === "mutation" && parents.includes(below?.commitId ?? ""),
  );
  const whole = made
    ? await run.repository.diff({ commit: made.commitId, operation, limit: maxDiffLength })
    : "";
  const { diff, isCut } = cutDiff(whole, maxDiffLength);
  const otherRuns = otherRunsFor(run, proposed).map((other) => ({
    root: rootOf(other),
    goal: other.row.input.goal,
  }));
  return {
    kind: "mutation",
    from: orchestrator,
    title,
    reason,
    diff,
    ...(isCut ? { isDiffCut: true } : {}),
    binds: boundBy(run, orchestrator),
    conflicts,
    ...(otherRuns.length > 0 ? { otherRuns } : {}),
  };
}
