import { singleFlight } from "#shared/async/single-flight.ts";
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { bookmarkNameProblem, integratorOf } from "#shared/domain/change-metadata/address.ts";
import { trailerLine } from "#shared/domain/change-metadata/write-trailers.ts";
import { statOf } from "#shared/domain/files/diff.ts";
import { fewFiles } from "#shared/domain/files/lfs-pointer.ts";
import type { BranchMove } from "#shared/domain/landing/landing-events.ts";
import type { PublishedForm } from "#shared/domain/landing/publication.ts";
import { missingLine, missingSummary } from "#shared/domain/missing-work/missing-work.ts";
import { isBlocking } from "#shared/domain/project/preflight.ts";
import { hasValidators } from "#shared/domain/workflow/workflow.ts";
import { JjError } from "../../../../jj/process/errors.ts";
import { patternBookmark } from "../../../../patterns/patterns-interface.ts";
import { protection } from "../../../../tools/protected-files.ts";
import { EngineRefusal, Interrupted, StaleAnswer } from "../../../engine-errors.ts";
import { messageView } from "../../../orchestrators/messages.ts";
import type { Card, Run, RunReader } from "../../../ports.ts";
import { rootOf, workflowIn } from "../../../workers/hierarchy.ts";
import { missingFromResult } from "../../../workflow/missing-from-result.ts";
import { checksOfResult } from "../../../workflow/run-workflow.ts";
import { approvedDrafts, landId } from "./approved-drafts.ts";
import { bringOnto, noticeAmendedBase, rangeOf, resultOf } from "./bring-onto.ts";
import { followPublication, forgeOf, forgeSoon, whyNoForge } from "./follow-publication.ts";
import {
  bookmarksOf,
  branchOf,
  branchTip,
  isForLanding,
  landingOrder,
  landingPreviews,
  landingSeries,
  obstacle,
} from "./landing-commits.ts";
import { stopLooking } from "./look-again.ts";
import { planPublication, previewDrafts, repositoryOf } from "./plan-publication.ts";

/** The next question is another one: this one was answered, or is nothing to answer any more. */
const askAnew = (run: Run): void => run.append({ kind: "LandingAskedAnew" });

/** The branch's new commits have to be merged with the result first. */
function withdrawCard(run: Run): void {
  const id = landId(run);
  if (!run.inbox.isOpen(id)) return;
  askAnew(run);
  run.inbox.withdraw((one) => one.id === id, "The branch moved.");
}

const isLanding = (run: RunReader): boolean => run.state.current.stage === "landing";

/**
 * The last step: a branch of the user's choice moves to the result, after they saw exactly what will move. If
 * the branch moved meanwhile, the result is merged with it, checked again and offered again.
 */
export async function land(run: Run): Promise<void> {
  await finishMove(run);
  while (run.facts.landing.landed === null) {
    if (run.facts.publication !== null) {
      const outcome = await followPublication(run).finally(() => stopLooking(run));
      if (outcome === "left") return;
      if (outcome === "ended") break;
      if (outcome === "dropped") askAnew(run);
      continue;
    }
    await run.repository.importGit({ keepsUnreachable: true });
    const branch = await branchOf(run);
    const tip = await branchTip(run, branch);
    if (tip !== null) await noticeAmendedBase(run, tip);
    const before = await resultOf(run);
    await bringUpToDate(run, branch);
    if (!isLanding(run)) return withdrawCard(run);
    // A yes from before a restart was given to less than what would land now.
    const isOther = (await resultOf(run)).commitId !== before.commitId;
    if (isOther && run.journal.inboxItem(landId(run))?.decision) askAnew(run);
    const decision = await decide(run, branch);
    if (decision === "moved") continue;
    // Withdrawn: what was brought along keeps the result from landing for now.
    if (!isLanding(run)) return;
    if (decision.kind === "repair") return returnResult(run, decision.words ?? "");
    if (decision.kind !== "approve") break;
    const chosen = decision.bookmark ?? branch;
    if (chosen === null)
      throw new EngineRefusal("No bookmark was chosen to land on.", "Choose one, for example main.");
    const form = decision.form ?? run.facts.landing.shown?.form ?? "branch";
    if (form === "branch") await moveTo(run, chosen, decision);
    else await planFirst(run, form, chosen, decision);
  }
  // If the result has not landed, the user may still want to see the folders.
  const { cleanUp } = run.config.workspace;
  if (cleanUp === "over" || (cleanUp === "landed" && run.facts.landing.landed !== null))
    await run.workspaces.removeAll();
  // Together, so that no death comes between the end and what follows it.
  run.append(
    { kind: "HooksOwed" },
    {
      kind: "StageMoved",
      orchestrator: rootOf(run),
      event: { kind: "LandingComplete" },
    },
  );
}

/** The user has seen what will be published. */
async function planFirst(
  run: Run,
  form: PublishedForm,
  base: string,
  { without, history }: Extract<AnswerTo<"land">, { kind: "approve" }>,
): Promise<void> {
  const found = await forgeOf(run);
  if (found === null || found.remote === null) return askAnew(run);
  if (without !== undefined) await keepReason(run, without);
  keepDecisions(run);
  const approved = approvedDrafts(run, form);
  const wish = { form, repository: repositoryOf(found.repository), remote: found.remote, base, history };
  if (!(await planPublication(run, wish, approved))) askAnew(run);
}

/** The integrator brings back what is missing, and the result is judged and offered again. */
async function returnResult(run: Run, words: string): Promise<void> {
  const missing = await missingFromResult(run, (await resultOf(run)).commitId);
  run.append(
    { kind: "LandingAskedAnew" },
    { kind: "ResultReturned" },
    { kind: "WorkReset", worker: integratorOf(rootOf(run)) },
    {
      kind: "StageMoved",
      orchestrator: rootOf(run),
      event: { kind: "RepairAsked", words, reasons: missing.map(missingLine) },
    },
  );
}

/** The user's answer, or that the branch moved before it. */
async function decide(run: Run, branch: string | null): Promise<AnswerTo<"land"> | "moved"> {
  if (await landsByItself(run, branch)) return { kind: "approve" };
  const id = landId(run);
  if (run.inbox.isOpen(id)) await showAnew(run, id);
  const moved = new AbortController();
  const stop = watchBranch(run, branch, () => moved.abort());
  try {
    return await run.inbox.ask(id, () => landCard(run), moved.signal);
  } catch (error) {
    if (error instanceof Interrupted && moved.signal.aborted && !run.runEnded.signal.aborted) return "moved";
    throw error;
  } finally {
    stop();
  }
}

/** Characters in which lines are counted for the card; what is beyond this no card can show anyway. */
const maxDiffLength = 16_000_000;

/** Protected files that a range touches, by the names that they had as well. */
async function protectedIn(run: Run, range: ReturnType<typeof rangeOf>): Promise<readonly string[]> {
  const guard = protection(run.config.protectedFiles);
  const paths = await run.repository.diffFiles({ ...range, includesOldNames: true });
  return paths.filter((path) => guard.covers(path) !== null).toSorted();
}

/** Exactly what will move, for the card. */
async function landCard(run: Run): Promise<Extract<Card, { kind: "land" }>> {
  const change = await resultOf(run);
  const [bookmarks, stand, suggested, forge] = await Promise.all([
    bookmarksOf(run),
    run.repository.gitStand(),
    branchOf(run),
    forgeSoon(run),
  ]);
  const form = forge === null ? "branch" : run.config.landing.to;
  run.append({ kind: "LandingShown", shown: { commitId: change.commitId, bookmarks, form } });
  const range = rangeOf(run, change.commitId);
  const [files, protectedPaths, diff, order, commits, missing] = await Promise.all([
    run.repository.diffFiles(range),
    protectedIn(run, range),
    run.repository.diff({ ...range, limit: maxDiffLength }),
    landingOrder(run, change, run.config.landing.history),
    landingPreviews(run, change),
    missingFromResult(run, change.commitId),
  ]);
  const counts = new Map(statOf(diff).map((file) => [file.path, file]));
  const { branch: gone } = run.facts;
  const { issue } = run.row.input;
  const { brought } = run.facts.landing;
  const overruled = run.facts.validation?.overruled;
  const checks = brought?.checks ?? checksOfResult(run);
  const refused =
    suggested === null ? null : await obstacle(run, suggested, bookmarks[suggested] ?? [], change.commitId);
  return {
    kind: "land",
    changeId: change.changeId,
    commitId: change.commitId,
    // Each of them, also where the diff is too long to be counted.
    diffStat: files.map((path) => counts.get(path) ?? { path, added: 0, removed: 0 }),
    bookmarks: Object.keys(bookmarks).filter(isForLanding).sort(),
    suggested,
    protectedPaths,
    isUnchecked: checks.length === 0,
    baselineFailures: checks.filter(({ outcome }) => outcome === "known-failure").map(({ name }) => name),
    failedChecks: checks.filter(isBlocking).map(({ name }) => name),
    standsOn: stand?.isManagedByGit ? stand.branch : null,
    ...(forge === null
      ? {}
      : {
          forge: {
            ...{ kind: forge.repository.forge, repository: forge.repository.path },
            form,
            drafts: previewDrafts(run, forge.repository, commits.tasks),
            ...(issue?.isLinked === true ? { linksIssue: issue.number } : {}),
          },
        }),
    history: order.history,
    commits: withoutIds(commits),
    brought,
    validation: run.facts.validation,
    checks,
    missing,
    ...(overruled === undefined ? {} : { overruled: overruled.reason }),
    ...(gone === null || bookmarks[gone] !== undefined ? {} : { goneBranch: gone }),
    inTheWay: refused === null ? null : `${refused.message} ${refused.remedy}`,
  };
}

/** As the card lists them. */
function withoutIds({
  changes,
  tasks,
  one,
}: Awaited<ReturnType<typeof landingPreviews>>): ItemOf<"land">["commits"] {
  const listed = (commits: typeof tasks) => commits.map(({ title, worker }) => ({ title, worker }));
  return { changes: listed(changes), tasks: listed(tasks), one: listed(one) };
}

/** Reports once when a branch has moved. */
function watchBranch(run: Run, branch: string | null, onMove: () => void): () => void {
  if (branch === null) return () => undefined;
  // From what the card shows on: it may have moved again while that was drawn.
  let before = run.inbox.isOpen(landId(run))
    ? (run.facts.landing.shown?.bookmarks[branch]?.join() ?? null)
    : null;
  const look = singleFlight(async () => {
    try {
      const now = ((await bookmarksOf(run))[branch] ?? []).join();
      if (before !== null && now !== before) onMove();
      before ??= now;
    } catch {
      // The answer is checked against the branch's current commit in any case.
    }
  });
  void look();
  return run.repository.watch(
    () => void look(),
    () => undefined,
  );
}

/** Updates an open card if anything on it changed. */
async function showAnew(run: Run, id: string): Promise<void> {
  const before = run.facts.landing.shown;
  const card = await landCard(run);
  const after = run.facts.landing.shown;
  if (JSON.stringify(before) !== JSON.stringify(after)) run.inbox.replace(id, card);
}

/** Decisions stay in the run's record: once their commits have landed, the graph no longer says that they are messages. */
function keepDecisions(run: Run): void {
  const decisions = [...run.changes.values()].filter(({ metadata }) => metadata.kind === "mutation");
  if (decisions.length === 0) return;
  const messages = decisions.map((change) => messageView(change, run.facts.messagesSentAt));
  run.append({ kind: "MessagesPutAway", messages });
}

/** Moves a branch forward to what lands. One that moved on since the answer keeps what came, and the question is put again. */
async function moveTo(
  run: Run,
  branch: string,
  decision: Extract<AnswerTo<"land">, { kind: "approve" }>,
): Promise<void> {
  await run.repository.importGit({ keepsUnreachable: true });
  const [from = null] = (await bookmarksOf(run))[branch] ?? [];
  if (from !== null && !(await holds(run, from))) return askAnew(run);
  const { without } = decision;
  if (without !== undefined) await keepReason(run, without);
  const result = await resultOf(run);
  const history = decision.history ?? run.config.landing.history;
  keepDecisions(run);
  const series = await landingSeries(run, result, history);
  const move: BranchMove = { branch, from, ...series, ...(without === undefined ? {} : { without }) };
  run.append({ kind: "BranchMoveStarted", move });
  try {
    if (from !== series.commitId)
      await run.repository.moveBranch(
        { branch, from, to: series.commitId },
        { actor: "hox", request: landId(run), keepsUnreachable: true, reason: "land a run" },
      );
  } catch (error) {
    if (!(error instanceof JjError) || error.kind !== "rewritten") throw error;
    return askAnew(run);
  }
  run.append({ kind: "ResultLanded", move });
}

/** Why it lands, and without whose work, or although checks prove nothing, stays on the change, as a word against a verdict does. */
async function keepReason(run: Run, reason: string): Promise<void> {
  const { changeId, metadata } = await resultOf(run);
  const unproven = checksOfResult(run).filter(({ outcome }) => outcome === "unproven");
  const missing = run.facts.landing.compared?.missing ?? [];
  const without =
    missing.length === 0 && unproven.length > 0
      ? `a check that proves anything (${unproven.map(({ name }) => name).join(", ")})`
      : `work of ${missingSummary(missing)}`;
  const words = trailerLine(`Lands without ${without}: ${reason}`);
  if (metadata.overruled?.endsWith(words)) return;
  const overruled = metadata.overruled === undefined ? words : `${metadata.overruled} ${words}`;
  await run.repository.setMetadata([{ change: changeId, patch: { overruled } }], { actor: "hox" });
  await run.refreshChanges();
}

/** After a restart: if the branch is where it was to be moved, it has landed. */
async function finishMove(run: Run): Promise<void> {
  const { move, landed } = run.facts.landing;
  if (move === null || landed !== null) return;
  const stands = (await bookmarksOf(run))[move.branch];
  if (stands?.join() === move.commitId && move.from !== move.commitId)
    run.append({ kind: "ResultLanded", move });
}

/** Whether it lands without asking: the branch moves forward to the result or is already there. */
async function landsByItself(run: Run, branch: string | null): Promise<boolean> {
  if (run.config.gates.land !== "auto" || branch === null) return false;
  // What others will see, the user sees first.
  if (run.config.landing.to !== "branch") return false;
  // Without a review the user must look at it.
  if (!hasValidators(workflowIn(run, rootOf(run)))) return false;
  const result = await resultOf(run);
  if ((await missingFromResult(run, result.commitId)).length > 0) return false;
  // Nothing shows that it works.
  if (checksOfResult(run).some((check) => isBlocking(check) || check.outcome === "unproven")) return false;
  const range = rangeOf(run, result.commitId);
  if ((await protectedIn(run, range)).length > 0) return false;
  const files = await run.repository.diffFiles(range);
  if ((await run.repository.lfsContent(result.commitId, files)).length > 0) return false;
  // Nobody has seen both together.
  if (run.facts.landing.brought !== null) return false;
  const stands = (await bookmarksOf(run))[branch] ?? [];
  // It was renamed or removed meanwhile: the user has to choose a branch.
  if (stands.length === 0 || branch !== (run.facts.branch ?? branch)) return false;
  return (await obstacle(run, branch, stands, result.commitId)) === null;
}

/** Before an answer counts: nothing may have moved since it was shown. Called by the inbox. */
export async function checkLanding(
  run: Run,
  item: ItemOf<"land">,
  decision: AnswerTo<"land">,
): Promise<void> {
  if (decision.kind !== "approve") return;
  const bookmark = decision.bookmark ?? item.suggested;
  if (bookmark === null || bookmark.trim() === "")
    throw new EngineRefusal("No bookmark was chosen to land on.", "Choose one, for example main.");
  const { form = item.forge?.form ?? "branch" } = decision;
  if (form !== "branch" && (await forgeOf(run)) === null) throw await whyNoForge(run);
  if (form !== "branch" && item.forge === undefined) {
    // The forge did not answer in time for the card.
    run.inbox.replace(item.id, await landCard(run));
    throw new StaleAnswer("The card shows now what would be opened.");
  }
  if (bookmark === patternBookmark)
    throw new EngineRefusal(`${patternBookmark} is reserved for patterns.`, "Choose another bookmark.");
  await run.repository.importGit({ keepsUnreachable: true });
  const { shown } = run.facts.landing;
  const bookmarks = await bookmarksOf(run);
  const problem = bookmarks[bookmark] ? null : bookmarkNameProblem(bookmark);
  if (problem !== null)
    throw new EngineRefusal(`"${bookmark}" is not a valid bookmark name: ${problem}`, "Choose another name.");
  const [now, then] = [bookmarks[bookmark] ?? [], shown?.bookmarks[bookmark] ?? []];
  const isBehind = now.length === 1 && !(await holds(run, now[0] ?? ""));
  // For good: where this answer does not count, the next card is about that branch.
  if (isBehind) run.append({ kind: "TargetBranchChosen", branch: bookmark });
  await bringUpToDate(run, isBehind ? bookmark : null);
  if (!isLanding(run)) {
    withdrawCard(run);
    throw new StaleAnswer(`${bookmark} moved. Hox is updating the result with its new commits.`);
  }
  const change = await resultOf(run);
  if (change.commitId !== item.commitId || now.join() !== then.join()) {
    run.inbox.replace(item.id, await landCard(run));
    throw new StaleAnswer(
      isBehind
        ? `${bookmark} moved. Hox updated the result with its new commits; the card shows it again.`
        : change.commitId === item.commitId
          ? `The bookmark ${bookmark} moved since this was shown.`
          : "The result changed since this was shown.",
    );
  }
  const refused = await obstacle(run, bookmark, now, change.commitId);
  if (refused) throw refused;
  await refuseLfsContent(run, change.commitId);
}

/** Workspaces record LFS pointers; other tools may have recorded content. */
async function refuseLfsContent(run: Run, result: string): Promise<void> {
  const files = await run.repository.diffFiles(rangeOf(run, result));
  const held = await run.repository.lfsContent(result, files);
  if (held.length === 0) return;
  throw new EngineRefusal(
    `The result contains full files where Git LFS expects pointers: ${fewFiles(held.map(({ path }) => path))}.`,
    "Remove them from the result (`jj restore` in it), or remove their LFS rule from .gitattributes; then answer again.",
  );
}

/** Whether the result contains a commit. */
async function holds(run: Run, commit: string): Promise<boolean> {
  const { commitId } = await resultOf(run);
  return run.repository.isAncestor(commit, commitId);
}

/** Merges the branch's current commit into the result; null: nothing to do. */
async function bringUpToDate(run: Run, branch: string | null): Promise<void> {
  const tip = await branchTip(run, branch);
  if (branch !== null && tip !== null) await bringOnto(run, branch, tip);
}
