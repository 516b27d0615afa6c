/** A person settles a file in conflict where it is seen; whoever works on the change is told. (design 12) */
import type { CommandInput, CommandOutput } from "#shared/contract/commands.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { conflictMark } from "../../../jj/read-conflict.ts";
import { EngineRefusal } from "../../engine-errors.ts";
import { changeToEdit } from "../../graph-sync/change-to-edit.ts";
import type { CommandScope, EngineCommands } from "../../kernel/commands.ts";
import { addressOf, announce, listenersTo, person, sendMessage } from "../../orchestrators/messages.ts";
import type { Run } from "../../ports.ts";
import { rewriteBeneath } from "../../workspaces/rewrite-beneath.ts";

type Input = CommandInput<"change.resolveConflict">;
type Output = CommandOutput<"change.resolveConflict">;

export const conflictCommands = (scope: CommandScope<Run>): EngineCommands<"change.resolveConflict"> => ({
  async "change.resolveConflict"(input) {
    const run = scope.going();
    if (!run) return resolve(scope, input);
    const touched = await workersAbove(run, input.changeId);
    const what = `The conflict in ${shownName(input.path)} was settled.`;
    const done = await run.lock.withExclusive(
      (worker) => touched.has(worker),
      () =>
        rewriteBeneath(run, { touched: (worker) => touched.has(worker), what }, () => resolve(scope, input)),
      "a conflict is being settled",
    );
    await tellWorker(run, scope, input, done);
    await run.refreshChanges();
    run.slots.look();
    announce(run);
    run.schedule();
    return done;
  },
});

/** @throws EngineRefusal where the file is another one by now, so that nobody's work is written over unseen */
async function resolve(
  { repository, newId }: CommandScope<Run>,
  { changeId, path, seen, as }: Input,
): Promise<Output> {
  const { commitId } = await changeToEdit(repository, changeId);
  const inConflict = await repository.conflictedFiles(commitId);
  const isThere = inConflict.some((file) => file.path === path);
  if (!isThere || conflictMark(await repository.readConflict(commitId, path)) !== seen)
    throw new EngineRefusal(
      `${shownName(path)} was changed while you looked at it.`,
      isThere
        ? "Open its conflict again: what you wrote is kept until then."
        : "It is in no conflict any more.",
    );
  const { operation } = await repository.resolveFile({
    change: changeId,
    path,
    as,
    request: newId(),
    actor: "hox",
  });
  const after = await changeToEdit(repository, changeId);
  const left = await repository.conflictedFiles(after.commitId);
  return { operation, isResolved: !left.some((file) => file.path === path) };
}

/** Workers whose files stand on a change, or are its own. */
async function workersAbove(run: Run, changeId: string): Promise<ReadonlySet<string>> {
  const above = new Set((await run.repository.query(`${changeId}::`)).map((change) => change.changeId));
  return new Set(
    [...run.workers.values()].flatMap(({ record }) =>
      record.changeId !== null && above.has(record.changeId) ? [record.name] : [],
    ),
  );
}

/** What a person wrote into its change is no work of its own, and it hears of it before it is done. */
async function tellWorker(
  run: Run,
  { newId }: CommandScope<Run>,
  { changeId, path }: Input,
  { isResolved }: Output,
): Promise<void> {
  const worker = [...run.workers.values()].find(({ record }) => record.changeId === changeId)?.record.name;
  if (worker === undefined) return;
  const { commitId } = await changeToEdit(run.repository, changeId);
  run.services.protectedFiles.keepWrittenByPerson(changeId, { files: [path], commit: commitId });
  const text = isResolved
    ? `I settled the conflict in ${shownName(path)} by hand. Go on from what stands there now.`
    : `I wrote into ${shownName(path)}, where two sides meet. Something is still in conflict there.`;
  run.appendTranscript(worker, {
    kind: "notice",
    text: isResolved
      ? `A person settled the conflict in ${shownName(path)}.`
      : `A person wrote into ${shownName(path)}, which is still in conflict.`,
  });
  run.worker(worker).recorder.flush();
  const to = addressOf(run, worker);
  if (listenersTo(run, to).length === 0) return;
  await sendMessage(run, { key: `${person}/${newId()}`, from: person, to, type: "info", text });
}
