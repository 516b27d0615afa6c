import type { Written } from "#shared/contract/commands/command.ts";
import type { UndoneOperation } from "#shared/contract/commands/graph.ts";
import type { CleanUp, Leftovers, UndoLandingPreview } from "#shared/contract/commands/run.ts";
import { assignmentBookmark } from "#shared/domain/change-metadata/address.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import type { Landed } from "#shared/domain/landing/landing-events.ts";
import { endOf } from "#shared/domain/run/stage-state.ts";
import type { Change, Operation } from "#shared/graph/change.ts";
import type { Repository } from "../../../../jj/ports/repository-interface.ts";
import type { Journal } from "../../../../journal/journal.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { describeRunBase } from "../../../graph-sync/run-base.ts";
import type { CommandScope } from "../../../kernel/commands.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { allMessages } from "../../../orchestrators/messages.ts";
import type { Run } from "../../../ports.ts";
import { lastLanding, recordedState } from "../../../recorded-state.ts";
import { removeWorkspaces, workspacesLeft } from "../../../workspaces/clean-up.ts";
import { checkLanding, land } from "./landing.ts";
import { pullRequestCommands } from "./pull-request-commands.ts";

async function undoLastLanding(scope: CommandScope<Run>): Promise<Written> {
  const { repository, journal, landings } = scope;
  await scope.finished();
  const last = lastLanding(journal, scope.shown());
  const written = await landings.during(() => undoLanding(repository, last?.landed ?? null));
  if (last) landings.tell(last.id, { kind: "LandingUndone", at: scope.now() });
  scope.flush();
  return written;
}

/** The operation by which the last result landed. */
async function undoLandingBy(
  scope: CommandScope<Run>,
  { request }: Operation,
): Promise<UndoneOperation | null> {
  const last = lastLanding(scope.journal, scope.shown());
  if (!last || !request?.startsWith(`${last.id}/land`)) return null;
  const { bookmark, move } = last.landed;
  return { kind: "undone", ...(await undoLastLanding(scope)), landing: { bookmark, to: move.to } };
}

/**
 * What undoing the landing would do now, or why it is not possible.
 * @throws EngineRefusal if there is no landing to undo
 */
async function previewUndoLanding(
  repository: Repository,
  landed: Landed | null,
): Promise<UndoLandingPreview> {
  const { bookmark, from, to } = whole(landed);
  await repository.importGit();
  const branches = await repository.branches();
  const commits = await repository.changesSince(from, to, { limit: 500 });
  const preview = {
    bookmark,
    from,
    to,
    commits: commits.map(({ description }) => parseDescription(description).subject),
  };
  const refused = (reason: string, remedy: string): UndoLandingPreview => ({
    ...preview,
    refusal: { reason, remedy },
  });
  if (branches[bookmark]?.join() !== to)
    return refused(
      branches[bookmark] === undefined
        ? `${bookmark} is gone.`
        : `${bookmark} has moved since this run landed.`,
      `Revert its commits with \`git revert\`: it landed as ${to.slice(0, 12)}.`,
    );
  const remote = await repository.pushedTo(to);
  if (remote !== null)
    return refused(
      `It was already pushed to ${remote}.`,
      `Others may have pulled it. Revert it with a commit: \`git revert ${from === null ? to.slice(0, 12) : `${from.slice(0, 12)}..${to.slice(0, 12)}`}\`.`,
    );
  const others = Object.keys(branches).filter((name) => name !== bookmark);
  const built = await repository.builtOn(to);
  if (built) {
    const holder = others.find((name) => branches[name]?.includes(built.commitId));
    return refused(
      `Others built on it: ${holder ?? parseDescription(built.description).subject}${holder || built.description ? "" : built.changeId.slice(0, 12)}.`,
      `Revert it with a commit instead: \`git revert ${to.slice(0, 12)}\`.`,
    );
  }
  const inTheWay = await repository.refusalToMove({ branch: bookmark, from: to, to: from });
  return inTheWay === null
    ? { ...preview, refusal: null }
    : refused(inTheWay.message, inTheWay.remedy.replace("answer again", "try again"));
}

/**
 * Undoes a landing: the branch moves back, and the work stays on the graph.
 *
 * @throws EngineRefusal with the text of the preview, JjError
 */
async function undoLanding(repository: Repository, landed: Landed | null): Promise<Written> {
  const { bookmark, from, to, refusal } = await previewUndoLanding(repository, landed);
  if (refusal !== null) throw new EngineRefusal(refusal.reason, refusal.remedy);
  const { operation } = await repository.moveBranch(
    { branch: bookmark, from: to, to: from },
    { actor: "hox", keepsUnreachable: true, reason: "undo the landing of a run" },
  );
  return { operation };
}

function whole(landed: Landed | null): { bookmark: string; from: string | null; to: string } {
  if (landed === null) throw new EngineRefusal("No landed run in this repository.", "Land a run first.");
  const { bookmark, move, undoneAt } = landed;
  if (undoneAt !== null)
    throw new EngineRefusal(`The landing on ${bookmark} was already undone.`, "No action needed.");
  return { bookmark, ...move };
}

/**
 * What runs that are over have left: workspaces, branches of agents, messages, and work that has not landed.
 */
const overRuns = (journal: Journal): readonly string[] =>
  journal.runs().flatMap(({ id, endedAt }) => (endedAt === null ? [] : [id]));

/** Hox's branches of all runs that are not active, including those that are no longer in the journal. */
async function branchesLeft(repository: Repository, journal: Journal): Promise<readonly string[]> {
  const [refs, shown] = await Promise.all([repository.refs(), repository.branches()]);
  const names = [...new Set([...Object.keys(refs.bookmarks), ...Object.keys(shown)])].filter((name) =>
    /^O-[A-Z]-\d+\/\S+$/u.test(name),
  );
  const going = goingOn(journal);
  if (going === null) return names;
  const own = new Set(
    Object.values(recordedState(journal, going).workers).map(({ name, parent }) => `${parent ?? ""}/${name}`),
  );
  return names.filter((name) => !own.has(name));
}

const goingOn = (journal: Journal): string | null =>
  journal.runs().find(({ endedAt, input }) => endedAt === null && !input.isWatch)?.id ?? null;

async function leftoversOf(repository: Repository, journal: Journal): Promise<Leftovers> {
  const goals = new Map(journal.runs().map(({ id, input }) => [id, input.goal]));
  const over = { except: goingOn(journal) };
  const [branches, messages, left] = await Promise.all([
    branchesLeft(repository, journal),
    repository.messagesOf(over),
    repository.workOf(over),
  ]);
  const byRun = Map.groupBy(left, (change: Change) => change.metadata.run ?? "");
  return {
    workspaces: workspacesLeft(journal, overRuns(journal)),
    branches,
    messages: messages.length,
    work: [...byRun].map(([run, changes]) => ({
      run,
      goal: goals.get(run) ?? "",
      changes: changes.map(({ changeId, description }) => ({
        changeId,
        title: parseDescription(description).subject,
      })),
    })),
  };
}

/** Removes branches and messages. Work that has not landed stays: only the user knows its value. */
async function removeLeftovers(
  repository: Repository,
  journal: Journal,
): Promise<Pick<CleanUp, "branches" | "messages">> {
  const branches = await branchesLeft(repository, journal);
  await repository.removeBranches(branches, { actor: "hox" });
  const messages = await abandonScaffolding(
    repository,
    await repository.messagesOf({ except: goingOn(journal) }),
  );
  return { branches, messages };
}

/**
 * Takes the assignments' branches and the messages away, and where the result has landed what of the run did not land.
 * All of it stays in jj's operation log, the messages in the run's record as well. Work that did not land stays.
 */
async function tidyGraph(run: Run): Promise<void> {
  // Once taken away they cannot be read again.
  if (run.facts.messages === null) run.append({ kind: "MessagesArchived", messages: allMessages(run) });
  // The state that the user has just restored must not be changed.
  if (endOf(run.state) === "restore") return;
  const names = [...run.workers.values()].flatMap(({ record: { name, parent } }) =>
    parent === null ? [] : [assignmentBookmark(parent, name)],
  );
  await run.repository.removeBranches(names, { actor: "hox" });
  const landed = run.facts.landing.landed?.move;
  const { repository } = run;
  await abandonScaffolding(
    repository,
    landed ? await repository.unlandedOf(run.id, landed.to) : await repository.messagesOf({ only: run.id }),
  );
}

/** Abandons leftovers. @returns how many changes */
async function abandonScaffolding(repository: Repository, scaffolding: readonly Change[]): Promise<number> {
  if (scaffolding.length > 0)
    await repository.abandon(
      scaffolding.map(({ commitId }) => commitId),
      { actor: "hox" },
    );
  return scaffolding.length;
}

/** The result gets onto the branch that it was made for. */
export const landing: Feature<Run> = {
  name: "landing",
  commands: (scope) => ({
    ...pullRequestCommands,
    "run.base": () => describeRunBase(scope.repository),
    "run.previewUndoLanding": () =>
      previewUndoLanding(scope.repository, lastLanding(scope.journal, scope.shown())?.landed ?? null),
    "run.undoLanding": () => undoLastLanding(scope),
    async "run.leftovers"() {
      await scope.finished();
      return leftoversOf(scope.repository, scope.journal);
    },
    async "run.cleanUp"() {
      const { repository, journal, stateFolder } = scope;
      await scope.finished();
      const over = overRuns(journal);
      const workspaces = await removeWorkspaces(repository, journal, over, scope.forgetFolder, stateFolder);
      const left = await removeLeftovers(repository, journal);
      return { ...workspaces, ...left, operation: await repository.currentOperation() };
    },
  }),
  undoOperation: undoLandingBy,
  cardChecks: { land: checkLanding },
  stageActions: { Land: { title: "The result could not land", perform: (run) => land(run) } },
  atRunEnd: tidyGraph,
};
