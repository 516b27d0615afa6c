import type { Decision, InboxItem } from "#shared/contract/views.ts";
import { rootOrchestrator } from "#shared/domain/address.ts";
import { bookmarkNameProblem } from "#shared/domain/bookmark-name.ts";
import { patternBookmark } from "../../patterns/patterns-interface.ts";
import { protection } from "../../tools/protected-files.ts";
import { oweHooks } from "../agents/hooks.ts";
import { EngineRefusal, StaleAnswer } from "../engine-errors.ts";
import type { Card } from "../inbox.ts";
import { removeAll } from "../workspaces/workspaces.ts";
import { statOf } from "./diff-stat.ts";
import type { Run } from "./run.ts";
import { readChange } from "./run-changes.ts";

const landId = (run: Run): string => `${run.id}/land`;
/** Characters in which lines are counted for the card; what is beyond this no card can show anyway. */
const longestDiff = 16_000_000;
const shownFact = "land-shown";

/** What the person was shown about the bookmarks; an answer holds only while they stand there. */
interface Shown {
  readonly commitId: string;
  readonly bookmarks: Readonly<Record<string, readonly string[]>>;
}

/** The last step: a bookmark of the user's choice moves to the result, after they saw exactly what will move. */
export async function land(run: Run): Promise<void> {
  const decision = (await landsByItself(run))
    ? ({ kind: "approve" } as Decision)
    : await run.inbox.ask(landId(run), () => cardFor(run), run.ending.signal);
  if (decision.kind === "approve") {
    const bookmark = decision.bookmark ?? (await mainBookmark(run));
    if (bookmark === null)
      throw new EngineRefusal("No bookmark was chosen to land on.", "Name one, for instance main.");
    await run.step("landed", async () => {
      const change = await resultOf(run);
      const { bookmarks } = await bookmarksOf(run);
      if (bookmarks[bookmark]?.[0] !== change.commitId)
        await run.repository.setBookmark(bookmark, change.commitId, { actor: "hox", request: landId(run) });
      run.note({ landed: { bookmark, changeId: change.changeId } });
    });
  }
  // Where the result was left, somebody may still want to look into the folders.
  const { cleanUp } = run.config.workspace;
  if (cleanUp === "over" || (cleanUp === "landed" && run.facts.landed !== null)) await removeAll(run);
  run.journal.together(() => {
    oweHooks(run);
    run.dispatch({ kind: "LandingComplete" });
  });
}

/** Only where nothing is left to decide: the main bookmark moves forward to the result, or stands there already. */
async function landsByItself(run: Run): Promise<boolean> {
  if (run.config.gates.land !== "auto") return false;
  const bookmark = await mainBookmark(run);
  if (bookmark === null) return false;
  const { bookmarks } = await bookmarksOf(run);
  const { commitId } = await resultOf(run);
  const files = await run.repository.diffFiles(rangeOf(run, commitId));
  if (protectedOf(run, files).length > 0) return false;
  return (await obstacle(run, bookmark, bookmarks[bookmark] ?? [], commitId)) === null;
}

/** Before an answer counts: nothing may have moved since it was shown. Called by the inbox. */
export async function checkLanding(run: Run, item: InboxItem, decision: Decision): Promise<void> {
  if (item.kind !== "land" || decision.kind !== "approve") return;
  const shown = run.journal.fact<Shown>(run.id, shownFact);
  const change = await resultOf(run);
  const bookmark = decision.bookmark ?? item.suggested;
  if (bookmark === null || bookmark.trim() === "")
    throw new EngineRefusal("No bookmark was chosen to land on.", "Name one, for instance main.");
  if (bookmark === patternBookmark)
    throw new EngineRefusal(`${patternBookmark} holds learned patterns only.`, "Choose another bookmark.");
  const { bookmarks } = await bookmarksOf(run);
  const problem = bookmarks[bookmark] ? null : bookmarkNameProblem(bookmark);
  if (problem !== null)
    throw new EngineRefusal(`"${bookmark}" cannot be a bookmark: ${problem}`, "Choose another name.");
  const [now, then] = [bookmarks[bookmark] ?? [], shown?.bookmarks[bookmark] ?? []];
  if (change.commitId !== item.commitId || now.join() !== then.join()) {
    run.inbox.replace(item.id, await cardFor(run));
    throw new StaleAnswer(
      change.commitId === item.commitId
        ? `The bookmark ${bookmark} moved since this was shown.`
        : "The result changed since this was shown.",
    );
  }
  const refused = await obstacle(run, bookmark, now, change.commitId);
  if (refused) throw refused;
}

/** Why a bookmark cannot move forward from where it stands to the result, or null. */
async function obstacle(
  run: Run,
  bookmark: string,
  stands: readonly string[],
  result: string,
): Promise<EngineRefusal | null> {
  if (stands.length > 1)
    return new EngineRefusal(
      `The bookmark ${bookmark} is conflicted.`,
      `Decide where it stands with \`jj bookmark set ${bookmark} -r <change>\`, then land.`,
    );
  const [at] = stands;
  if (at === undefined || at === result) return null;
  const [behind] = await run.repository.query(`${at} & ::${result}`, { limit: 1 });
  return behind
    ? null
    : new EngineRefusal(
        `${bookmark} has moved on since the run began; putting it on the result would drop what came after.`,
        `Land on a bookmark of another name, then merge the two with \`jj new ${bookmark} <that name>\`.`,
      );
}

/** The integration change, with the very files that were judged. */
async function resultOf(run: Run) {
  const { integration } = run.own(rootOrchestrator);
  if (integration === null) throw new Error("There is no integration change.");
  const change = await readChange(run, integration);
  const judged = run.journal.fact<string>(run.id, "validated-commit");
  // The description got its metrics since; the files may not have changed by a byte.
  if (judged !== undefined && judged !== change.commitId) {
    const difference = await run.repository.diff({ commit: change.commitId, from: judged, limit: 0 });
    if (difference.trim() !== "")
      throw new EngineRefusal(
        "The integration change holds other files than those that were validated.",
        "Take the edit out again (`jj undo`, or `jj restore` in it), or land it by hand if you want it as it is.",
      );
  }
  return change;
}

async function bookmarksOf(
  run: Run,
): Promise<{ readonly bookmarks: Readonly<Record<string, readonly string[]>> }> {
  const { refs } = await run.repository.readGraph({ revset: "none()" });
  return refs;
}

/** What lands: from what the run began on to its result. */
const rangeOf = (run: Run, result: string) => ({
  commit: result,
  ...(run.facts.onto === null ? {} : { from: run.facts.onto.commitId }),
});

const protectedOf = (run: Run, paths: readonly string[]): readonly string[] => {
  const guard = protection(run.config.protectedFiles);
  return paths.filter((path) => guard.covers(path) !== null).toSorted();
};

/** The trunk of the repository, when it has one that the result can move forward. */
async function mainBookmark(run: Run): Promise<string | null> {
  const { bookmarks } = await bookmarksOf(run);
  return ["main", "master", "trunk"].find((name) => bookmarks[name] !== undefined) ?? null;
}

async function cardFor(run: Run): Promise<Extract<Card, { kind: "land" }>> {
  const change = await resultOf(run);
  const { bookmarks } = await bookmarksOf(run);
  run.journal.setFact(run.id, shownFact, { commitId: change.commitId, bookmarks } satisfies Shown);
  const range = rangeOf(run, change.commitId);
  const [files, diff] = await Promise.all([
    run.repository.diffFiles(range),
    run.repository.diff({ ...range, limit: longestDiff }),
  ]);
  const checks = run.facts.validation?.checks ?? [];
  const counts = new Map(statOf(diff).map((file) => [file.path, file]));
  return {
    kind: "land",
    changeId: change.changeId,
    commitId: change.commitId,
    // Each of them, also where the diff is too long to be counted.
    diffStat: files.map((path) => counts.get(path) ?? { path, added: 0, removed: 0 }),
    bookmarks: Object.keys(bookmarks)
      .filter((name) => name !== patternBookmark && !name.startsWith("O-"))
      .sort(),
    suggested: await mainBookmark(run),
    protectedPaths: protectedOf(run, files),
    isUnchecked: checks.length === 0,
    knownFailures: checks.filter(({ outcome }) => outcome === "known-failure").map(({ name }) => name),
  };
}
