/** The user resolves a conflicted file in place; agents on the change are told. (design 12) */
import type { CommandInput, CommandOutput } from "#shared/contract/commands.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { conflictMark } from "../../../../jj/read-conflict.ts";
import type { Repository } from "../../../../jj/repository-interface.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { changeToEdit } from "../../../graph-sync/change-to-edit.ts";
import type { CommandScope, EngineCommands } from "../../../kernel/commands.ts";
import { addressOf, announce, listenersTo, person, sendMessage } from "../../../orchestrators/messages.ts";
import type { Run } from "../../../ports.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";

type Input = CommandInput<"change.resolveConflict">;
type Output = CommandOutput<"change.resolveConflict">;

type ConflictCommand = "change.resolveConflict" | "change.unresolveConflict";

export const conflictCommands = (scope: CommandScope<Run>): EngineCommands<ConflictCommand> => ({
  async "change.resolveConflict"(input) {
    const what = `The conflict in ${shownName(input.path)} was resolved.`;
    return beneathWorkers(
      scope,
      input.changeId,
      what,
      () => resolve(scope, input),
      (run, { isResolved }) => notifyWorker(run, scope, input, isResolved ? settledTexts : unsettledTexts),
    );
  },
  async "change.unresolveConflict"(input) {
    const what = `The conflict in ${shownName(input.path)} was reopened.`;
    return beneathWorkers(
      scope,
      input.changeId,
      what,
      () => unresolve(scope, input),
      (run) => notifyWorker(run, scope, input, reopenedTexts),
    );
  },
});

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
    announce(run);
    run.schedule();
  }
  return result;
}

/** @throws EngineRefusal if the file has changed, so that no unseen edit is overwritten */
async function resolve(
  { repository, newId }: CommandScope<Run>,
  { changeId, path, seen, as }: Input,
): Promise<Output> {
  const { commitId } = await changeToEdit(repository, changeId);
  const inConflict = await repository.conflictedFiles(commitId);
  const isThere = inConflict.some((file) => file.path === path);
  if (!isThere || conflictMark(await repository.readConflict(commitId, path)) !== seen)
    throw new EngineRefusal(
      `${shownName(path)} changed while you were resolving it.`,
      isThere ? "Reopen its conflict: your text is kept until then." : "It has no conflict anymore.",
    );
  await repository.resolveFile({
    change: changeId,
    path,
    as,
    request: newId(),
    actor: "hox",
  });
  const after = await changeToEdit(repository, changeId);
  const left = await repository.conflictedFiles(after.commitId);
  return {
    isResolved: !left.some((file) => file.path === path),
    before: commitId,
    written: await contentMark(repository, after.commitId, path),
  };
}

/** @throws EngineRefusal if the file was written since it was resolved */
async function unresolve(
  { repository, newId }: CommandScope<Run>,
  { changeId, path, before, written }: CommandInput<"change.unresolveConflict">,
): Promise<CommandOutput<"change.unresolveConflict">> {
  const { commitId } = await changeToEdit(repository, changeId);
  if ((await contentMark(repository, commitId, path)) !== written)
    throw new EngineRefusal(
      `${shownName(path)} has changed since it was resolved.`,
      "Edit its current content, or undo the later operations.",
    );
  // Of links and folders jj only lists the sides: their names come back where nothing else says the same.
  const sides = Buffer.from(await repository.readConflict(before, path)).toString("latin1");
  const as = { kind: sides.startsWith("Conflict:\n") ? "commit" : "conflict", commit: before } as const;
  await repository.resolveFile({ change: changeId, path, as, request: newId(), actor: "hox" });
  const after = await changeToEdit(repository, changeId);
  return { seen: await contentMark(repository, after.commitId, path) };
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
  run.services.protectedFiles.keepWrittenByPerson(changeId, { files: [path], commit: commitId });
  run.appendTranscript(worker, { kind: "notice", text: words.notice(shownName(path)) });
  run.worker(worker).recorder.flush();
  const to = addressOf(run, worker);
  if (listenersTo(run, to).length === 0) return;
  const text = words.message(shownName(path));
  await sendMessage(run, { key: `${person}/${newId()}`, from: person, to, type: "info", text });
}
