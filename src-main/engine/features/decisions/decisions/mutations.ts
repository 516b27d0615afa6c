import { z } from "zod";
import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import { cutDiff } from "#shared/domain/files/cut-diff.ts";
import { type PromptText, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import type { Run, RunScreen } from "../../../ports.ts";
import type { ProposedDecision } from "../../../services.ts";
import { contractsOwner, scoped, tipOf, touchedBy } from "../../../workers/hierarchy.ts";
import {
  applyDecision,
  boundBy,
  conflictedChanges,
  descriptionOf,
  workerOnChange,
} from "./apply-decision.ts";
import { surveyDecision } from "./compliance.ts";
import { EditProblem, filesAfter, type MutationProposal, mutationShape } from "./mutation-edits.ts";

/** Characters of the patch on the card. */
const maxDiffLength = 1_000_000;

/** With its edits. */
type ProposedMutation = ProposedDecision & { readonly proposal: MutationProposal };

export type MutationOutcome =
  | { readonly applied: true; readonly title: string; readonly contradicted: readonly string[] }
  | { readonly applied: false; readonly title: string; readonly reason: string };

/** What became of a proposal, in lines for the orchestrator that made it. */
export const formatOutcome = (outcome: MutationOutcome): readonly PromptText[] =>
  outcome.applied
    ? [
        promptLine`"${outcome.title}" now applies to all tasks.`,
        section(
          "Agents whose work contradicts it; each corrects its own",
          outcome.contradicted.map((worker) => promptLine`- ${worker}`),
        ),
      ]
    : [promptLine`"${outcome.title}" was not applied.`, section("Why", [quoteText(outcome.reason)])];

/** A proposed decision: tried on the real graph, shown with what it would do, and applied when the user approves. */
export async function decideMutation(run: Run, proposed: ProposedMutation): Promise<MutationOutcome> {
  const { orchestrator, proposal } = proposed;
  const { title } = proposal;
  const key = scoped(orchestrator, proposed.key);
  const done = run.journal.step<MutationOutcome>(run.id, `${key}/outcome`);
  if (done) return done.result;
  try {
    // Kept before the card is shown: what is applied is what was shown, whatever happens to the graph meanwhile.
    const files = await run.step(`${key}/files`, () => filesAfter(run, orchestrator, proposal));
    const decision = await decide(run, proposed, files);
    if (decision.kind !== "approve")
      return await run.step(`${key}/outcome`, async () => ({
        applied: false,
        title,
        reason: decision.kind === "reject" ? decision.reason : "It was not approved.",
      }));
    const record = await run.step(`${key}/applied`, () =>
      run.lock.withExclusive(
        touchedBy(run, orchestrator),
        () => applyDecision(run, proposed, files),
        "a decision is being applied",
      ),
    );
    const unseen = await surveyDecision(run, record);
    return await run.step(`${key}/outcome`, async () => ({
      applied: true,
      title,
      contradicted: [...record.contradicted, ...unseen],
    }));
  } catch (error) {
    if (!(error instanceof EditProblem)) throw error;
    return run.step(`${key}/outcome`, async () => ({ applied: false, title, reason: error.message }));
  }
}

/** The same for complete files that are already written. @returns why it is refused; null if it is not */
export async function proposeFiles(
  run: Run,
  { proposal, ...proposed }: ProposedDecision,
  files: Readonly<Record<string, string>>,
): Promise<string | null> {
  const edits = Object.entries(files).map(([path, content]) => ({ path, content }));
  const read = mutationShape.safeParse({ ...proposal, edits });
  if (!read.success) return z.prettifyError(read.error);
  const outcome = await decideMutation(run, { ...proposed, proposal: read.data });
  return outcome.applied ? null : outcome.reason;
}

type MutationCard = Omit<Extract<InboxItem, { kind: "mutation" }>, "id" | "run" | "at" | "nonce" | "shown">;

/**
 * The user's answer on the card; or none, if the configuration approves decisions automatically and the dry
 * run finds at most the allowed number of contradicting agents. (`gates.mutations`,
 * `gates.auto_mutation_max_conflicts`)
 */
async function decide(
  run: Run,
  proposed: ProposedMutation,
  files: Readonly<Record<string, string>>,
): Promise<CardAnswer> {
  const { orchestrator, proposal } = proposed;
  const key = scoped(orchestrator, proposed.key);
  const card = `${run.id}/${key}/mutation`;
  const { mutations, autoMutationMaxConflicts: most } = run.config.gates;
  // A card that is on the table, or was answered, stays what decides: the configuration may have changed meanwhile.
  const passes =
    mutations === "auto" && run.journal.inboxItem(card) === null
      ? await run.step(`${key}/passes`, async () => {
          const { conflicts, binds } = await decisionCard(run, proposed, files);
          return conflicts.length <= most
            ? { binds, conflicts: conflicts.map(({ worker }) => worker) }
            : null;
        })
      : null;
  if (passes === null)
    return run.inbox.ask(card, () => decisionCard(run, proposed, files), run.runEnded.signal);
  await run.step(`${key}/told`, async () => notifyDecision(run, orchestrator, proposal.title, passes));
  return { kind: "approve" };
}

/** Notifies the user of an automatic decision, with its undo. */
function notifyDecision(
  run: RunScreen,
  orchestrator: string,
  title: string,
  { binds, conflicts }: { readonly binds: readonly string[]; readonly conflicts: readonly string[] },
): void {
  const against = conflicts.length === 0 ? "contradicts no work" : `contradicts ${conflicts.join(", ")}`;
  const text = `${orchestrator} decided "${title}". It applies to ${binds.join(", ") || "no agent yet"} and ${against}.`;
  const remedy =
    'It was applied automatically because gates.mutations is "auto". To undo it, abandon its change in the graph.';
  run.emit({ kind: "notice", level: "info", text, remedy });
  run.appendTranscript(orchestrator, { kind: "notice", text: `${text} ${remedy}` });
}

/** The basis of the approval, from an unpublished dry run. */
async function decisionCard(
  run: Run,
  proposed: ProposedMutation,
  files: Readonly<Record<string, string>>,
): Promise<MutationCard> {
  // What agents have not saved yet would be missing from the forecast.
  const { orchestrator, proposal } = proposed;
  const touched = touchedBy(run, orchestrator);
  await run.lock.withExclusive(touched, () => run.workspaces.saveAll(touched), "a decision is being tested");
  const tip = tipOf(run, orchestrator);
  const description = descriptionOf(run, proposed);
  const { operation } = await run.repository.dryRun({
    kind: "mutation",
    base: tip,
    description,
    files,
  });
  const [today, then] = [await conflictedChanges(run), await conflictedChanges(run, operation)];
  const conflicts: MutationCard["conflicts"][number][] = [];
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
  return {
    kind: "mutation",
    from: orchestrator,
    title: proposal.title,
    reason: proposal.reason,
    diff,
    ...(isCut ? { isDiffCut: true } : {}),
    binds: boundBy(run, orchestrator),
    conflicts,
  };
}
