import type { UndoneOperation } from "#shared/contract/commands/graph.ts";
import type { CommandInput, CommandOutput, EngineCommands } from "#shared/contract/commands.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change, Operation } from "#shared/graph/change.ts";
import type { Repository } from "../../../../jj/ports/repository-interface.ts";
import { conflictMark } from "../../../../jj/read/read-conflict.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { changeToEdit } from "../../../graph-sync/read-change.ts";
import { actorOf, type CommandScope } from "../../../kernel/commands.ts";
import type { Feature } from "../../../kernel/feature.ts";
import { addressOf, listenersTo, sendMessage, user } from "../../../orchestrators/messages.ts";
import type { Run } from "../../../ports.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { keepWrittenByUser } from "../../../workspaces/save-workspace.ts";
import { followConflicts } from "./conflict-causes.ts";

type Input = CommandInput<"change.resolveConflict">;
type Output = CommandOutput<"change.resolveConflict">;

/** Marks the operation of a resolution, and of its undoing. */
const ofConflicts = "conflict/";

/** The user resolves a conflicted file in place; agents on the change are told. (design 12) */
const conflictCommands = (scope: CommandScope<Run>): EngineCommands<"change.resolveConflict", Run> => ({
  async "change.resolveConflict"(input, by) {
    const what = `The conflict in ${shownName(input.path)} was resolved.`;
    return beneathWorkers(
      scope,
      input.changeId,
      what,
      () => resolve(scope, input, actorOf(by)),
      (run, { isResolved }) => notifyWorker(run, scope, input, isResolved ? settledTexts : unsettledTexts),
    );
  },
});

/** The file goes back to what it was, in conflict or not, as long as nobody wrote to it since. */
async function undoResolution(
  scope: CommandScope<Run>,
  { id, parents: [before], request }: Operation,
): Promise<UndoneOperation | null> {
  if (before === undefined || !request?.startsWith(ofConflicts)) return null;
  const { repository } = scope;
  const { added, removed } = await repository.readPublishedDelta(before, id);
  const old = await repository.commitsOf(removed);
  // What stands on it was rewritten as well; its own parents were not.
  const became = added.find(({ parents }) => !added.some(({ commitId }) => parents.includes(commitId)));
  const was = old.find(({ changeId }) => changeId === became?.changeId);
  const [path] =
    was && became ? await repository.diffFiles({ from: was.commitId, commit: became.commitId }) : [];
  if (!was || !became || path === undefined) return null;
  const { changeId } = became;
  const isReopened = (await repository.conflictedFiles(was.commitId)).some((file) => file.path === path);
  return beneathWorkers(
    scope,
    changeId,
    `The conflict in ${shownName(path)} was ${isReopened ? "reopened" : "resolved"}.`,
    () => putBack(scope, { changeId, path, was: was.commitId, became: became.commitId }, isReopened),
    async (run, { kind }) => {
      const texts = isReopened ? reopenedTexts : settledTexts;
      if (kind === "undone") await notifyWorker(run, scope, { changeId, path }, texts);
    },
  );
}

/** Writes into a change while no agent above it takes a turn, and tells the run. */
async function beneathWorkers<Result>(
  { allGoing }: CommandScope<Run>,
  changeId: string,
  what: string,
  write: () => Promise<Result>,
  tell: (run: Run, result: Result) => Promise<void>,
): Promise<Result> {
  const runs = allGoing();
  let inner = write;
  for (const run of runs) {
    const above = await workersAbove(run, changeId);
    const touched = (worker: string): boolean => above.has(worker);
    const within = inner;
    inner = () =>
      run.lock.withExclusive(
        touched,
        () => rewriteBeneath(run, { touched, what }, within),
        "a conflict is being resolved",
      );
  }
  const result = await inner();
  for (const run of runs) {
    await tell(run, result);
    await run.refreshChanges();
    run.slots.look();
    run.changed();
    run.schedule();
  }
  return result;
}

/** @throws EngineRefusal if the file has changed, so that no unseen edit is overwritten */
async function resolve(
  { repository, newId }: CommandScope<Run>,
  { changeId, path, seen, as }: Input,
  actor: string,
): Promise<Output> {
  const { commitId } = await changeToEdit(repository, changeId);
  const inConflict = await repository.conflictedFiles(commitId);
  const isThere = inConflict.some((file) => file.path === path);
  if (!isThere || conflictMark(await repository.readConflict(commitId, path)) !== seen)
    throw new EngineRefusal(
      `${shownName(path)} changed while you were resolving it.`,
      isThere ? "Reopen its conflict: your text is kept until then." : "It has no conflict anymore.",
    );
  const request = `${ofConflicts}${newId()}`;
  const { operation } = await repository.resolveFile({ change: changeId, path, as, request, actor });
  const after = await changeToEdit(repository, changeId);
  const left = await repository.conflictedFiles(after.commitId);
  return { operation, isResolved: !left.some((file) => file.path === path) };
}

/** Where a file was written: the commits before and after that. */
interface WrittenFile {
  readonly changeId: string;
  readonly path: string;
  readonly was: string;
  readonly became: string;
}

async function putBack(
  { repository, newId }: CommandScope<Run>,
  { changeId, path, was, became }: WrittenFile,
  isReopened: boolean,
): Promise<UndoneOperation> {
  const change = await changeToEdit(repository, changeId);
  if (
    (await contentMark(repository, change.commitId, path)) !== (await contentMark(repository, became, path))
  )
    return {
      kind: "refused",
      why: `${shownName(path)} has changed since it was resolved.`,
      at: { changeId, title: parseDescription(change.description).subject },
    };
  // Of links and folders jj only lists the sides: their names come back where nothing else says the same.
  const isListed = async () =>
    Buffer.from(await repository.readConflict(was, path))
      .toString("latin1")
      .startsWith("Conflict:\n");
  const as = { kind: isReopened && !(await isListed()) ? "conflict" : "commit", commit: was } as const;
  const request = `${ofConflicts}${newId()}`;
  const { operation } = await repository.resolveFile({ change: changeId, path, as, request, actor: "hox" });
  return { kind: "undone", operation };
}

/** Identifies a file's content, or its absence. */
async function contentMark(
  repository: Pick<Repository, "readConflict" | "listFiles">,
  commit: string,
  path: string,
): Promise<string> {
  const content = await repository.readConflict(commit, path).catch(async (error: unknown) => {
    if ((await repository.listFiles(commit)).includes(path)) throw error;
    return null;
  });
  return content === null ? "absent" : conflictMark(content);
}

/** Workers whose change is this one or a descendant. */
async function workersAbove(run: Run, changeId: string): Promise<ReadonlySet<string>> {
  const dependents = await run.repository.descendantsOf(changeId);
  const above = new Set([changeId, ...dependents.map((change) => change.changeId)]);
  return new Set(
    [...run.workers.values()].flatMap(({ record }) =>
      record.changeId !== null && above.has(record.changeId) ? [record.name] : [],
    ),
  );
}

/** The message for a worker, and the line in its conversation. */
interface ResolutionTexts {
  readonly message: (path: string) => string;
  readonly notice: (path: string) => string;
}

const settledTexts: ResolutionTexts = {
  message: (path) => `I resolved the conflict in ${path} by hand. Continue from its current content.`,
  notice: (path) => `You resolved the conflict in ${path}.`,
};
const unsettledTexts: ResolutionTexts = {
  message: (path) => `I edited ${path}, which still has a conflict.`,
  notice: (path) => `You edited ${path}, which still has a conflict.`,
};
const reopenedTexts: ResolutionTexts = {
  message: (path) => `I undid my resolution of the conflict in ${path}: it is open again.`,
  notice: (path) => `You reopened the conflict in ${path}.`,
};

/** The user's edit of its change is not its own work, so it is told before it is done. */
async function notifyWorker(
  run: Run,
  { newId }: CommandScope<Run>,
  { changeId, path }: Pick<Input, "changeId" | "path">,
  words: ResolutionTexts,
): Promise<void> {
  const worker = [...run.workers.values()].find(({ record }) => record.changeId === changeId)?.record.name;
  if (worker === undefined) return;
  const { commitId } = await changeToEdit(run.repository, changeId);
  keepWrittenByUser(run, changeId, { files: [path], commit: commitId });
  run.appendTranscript(worker, { kind: "notice", text: words.notice(shownName(path)) });
  run.worker(worker).recorder.flush();
  const to = addressOf(run, worker);
  if (listenersTo(run, to).length === 0) return;
  const text = words.message(shownName(path));
  await sendMessage(run, { key: `${user}/${newId()}`, from: user, to, type: "info", text });
}

/** Agents that have to resolve jj's conflicts. */
export const conflicts: Feature<Run> = {
  name: "conflicts",
  commands: conflictCommands,
  undoOperation: undoResolution,
  agents: {
    refuseDone: {
      name: "conflicts",
      why: (_, { conflicts }) =>
        conflicts.length === 0
          ? null
          : `these files still have conflict markers: ${conflicts.map(shownName).join(", ")}. Resolve every one.`,
    },
  },
  onGraph(run) {
    const before = conflictsIn(run.changes.values());
    return async () => {
      await followConflicts(run);
      if (conflictsIn(run.changes.values()) === before) return;
      // Starts an agent that has to resolve one, and resumes one that waited for it.
      run.waiters.wake();
      run.schedule();
    };
  },
};

const conflictsIn = (changes: Iterable<Change>): string =>
  [...changes]
    .flatMap(({ changeId, conflict }) => (conflict ? [changeId] : []))
    .toSorted()
    .join();
