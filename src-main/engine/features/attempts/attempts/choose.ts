/**
 * One of several attempts is chosen: its worker has the task from then on, and the changes of the others are abandoned in
 * one operation, so that one undo brings them back. The journal says first what was chosen; what the graph shows of it
 * can be done again after a crash.
 */
import type { Written } from "#shared/contract/commands/command.ts";
import type { UndoneOperation } from "#shared/contract/commands/graph.ts";
import { type AttemptGroup, groupKey, liveAttempts } from "#shared/domain/attempt/attempt-events.ts";
import { describeChange } from "#shared/domain/plan/task-texts.ts";
import type { Change, Operation } from "#shared/graph/change.ts";
import { closeExternalAgent } from "../../../conversations/external-agents.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import { warn } from "../../../kernel/notify.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { attemptsWith } from "../../../workers/attempts.ts";
import { applyMergeRequestEvent, mergeRequestOf } from "../../../workers/merge-request.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { withdrawQuestions } from "../../decisions/questions/feature.ts";
import { withdrawReview } from "./make-attempt.ts";

/** @throws EngineRefusal where a worker is no attempt */
export function groupNamed(run: RunReader, worker: string): AttemptGroup {
  const group = attemptsWith(run, worker);
  if (group) return group;
  throw new EngineRefusal(
    run.workers.has(worker)
      ? `${worker} has no other attempts at its task.`
      : `No agent named ${worker} in this run.`,
    "Fork it from a turn of its conversation, or add attempts to the task in the plan.",
  );
}

const othersOf = (group: AttemptGroup, chosen: string): readonly string[] =>
  liveAttempts(group).flatMap(({ worker }) => (worker === chosen ? [] : [worker]));

/** @throws EngineRefusal where there is nothing to choose, or it was chosen already */
export async function choose(run: Run, chosen: string): Promise<Written> {
  const group = groupNamed(run, chosen);
  refuseChoice(run, group, chosen);
  const members = liveAttempts(group).map(({ worker }) => worker);
  await run.lock.withExclusive(
    (who) => members.includes(who),
    async () => {
      // Again: others may have chosen while their turns ended.
      refuseChoice(run, groupNamed(run, chosen), chosen);
      await describeAsPlanned(run, chosen);
      const others = othersOf(groupNamed(run, chosen), chosen);
      const { orchestrator, task } = group;
      run.append({
        kind: "AttemptChosen",
        orchestrator,
        task,
        chosen,
        others: Object.fromEntries(others.map((name) => [name, run.worker(name).record.status])),
      });
      for (const name of others) dismiss(run, name, chosen);
    },
    "an attempt is being chosen",
  );
  const key = groupKey(group.orchestrator, group.task);
  await abandonOthers(run, key);
  run.schedule();
  return {
    operation: run.facts.attempts[key]?.choice?.operation ?? (await run.repository.currentOperation()),
  };
}

/** Words that were written into the first one's change are the plan's, and from now on the chosen one's say them. */
async function describeAsPlanned(run: Run, chosen: string): Promise<void> {
  const { parent, task, changeId } = run.worker(chosen).record;
  const planned = run.orchestratorFacts(parent ?? "").plan?.tasks.find(({ id }) => id === task);
  if (!planned || changeId === null) return;
  const { description, metadata } = await readChange(run, changeId);
  const text = describeChange(planned.title, planned.description, {
    ...metadata,
    priority: planned.priority,
    phase: planned.phase,
  });
  if (text.trim() !== description.trim()) await run.repository.describe(changeId, text, { actor: "hox" });
}

function refuseChoice(run: RunReader, group: AttemptGroup, chosen: string): void {
  if (group.choice !== null)
    throw new EngineRefusal(
      `${group.choice.chosen} was already chosen.`,
      "Undo that choice first: hox choose --undo",
    );
  if (!liveAttempts(group).some(({ worker }) => worker === chosen))
    throw new EngineRefusal(
      `The attempt of ${chosen} was abandoned.`,
      `Choose one of ${liveAttempts(group)
        .map(({ worker }) => worker)
        .join(", ")}.`,
    );
  if (run.worker(chosen).record.changeId === null)
    throw new EngineRefusal(`${chosen} has not started.`, "Wait until its change is in the graph.");
}

/** Nobody needs an answer any more to what it asked. */
function dismiss(run: Run, name: string, chosen: string): void {
  withdrawQuestions(run, name, `${chosen} was chosen.`);
  run.inbox.withdraw(
    (item) =>
      (item.kind === "trouble" || item.kind === "protected" || item.kind === "budget") &&
      item.worker === name,
    `${chosen} was chosen.`,
  );
  run.setActivity(name, "done", `${chosen} was chosen`);
  run.appendTranscript(name, { kind: "notice", text: `You chose the attempt of ${chosen}.` });
  run.worker(name).recorder.flush();
}

/** Choices of which the graph shows nothing yet. */
export const unsettledChoices = (run: RunReader): readonly string[] =>
  Object.entries(run.facts.attempts).flatMap(([key, { choice }]) =>
    choice !== null && choice.operation === null ? [key] : [],
  );

/** Ends the workspaces of those that were not chosen, and takes their changes off the graph in one operation. */
export function abandonOthers(run: Run, key: string): Promise<void> {
  return run.serial.run(`choice/${key}`, async () => {
    const group = run.facts.attempts[key];
    if (!group?.choice || group.choice.operation !== null) return;
    const { chosen, others: names } = group.choice;
    const others = Object.keys(names);
    const { orchestrator, task, choices } = group;
    const request = `${run.id}/choice/${key}/${choices}`;
    const operation = await run.lock.withAllExclusive(async () => {
      for (const name of others) {
        await closeExternalAgent(run, name);
        await run.workspaces.end(name);
        run.append({ kind: "WorkspaceRemoved", worker: name });
      }
      const ids = others.flatMap((name) => run.worker(name).record.changeId ?? []);
      return rewriteBeneath(run, { what: null }, async () => {
        await moveDependents(run, ids, run.worker(chosen).record.changeId ?? "", request);
        return run.repository.abandon(ids, { actor: "hox", request });
      });
    }, "one of several attempts was chosen");
    // Before it counts as done: what is read as there again afterwards was brought back.
    await run.refreshChanges();
    run.append({ kind: "OthersAbandoned", orchestrator, task, operation: operation.operation });
    run.changed();
  });
}

/** Dependents of a discarded attempt move to the chosen one. */
async function moveDependents(
  run: Run,
  gone: readonly string[],
  chosen: string,
  request: string,
): Promise<void> {
  const tasks = new Set([...run.workers.values()].flatMap(({ record }) => record.changeId ?? []));
  const above: Change[] = [];
  for (const change of await run.repository.changesOf(gone))
    above.push(...(await run.repository.descendantsOf(change.changeId)));
  for (const { changeId } of above) {
    if (!tasks.has(changeId) || gone.includes(changeId)) continue;
    const parents = (await run.repository.parentsOf(changeId)).map((one) => one.changeId);
    if (!parents.some((one) => gone.includes(one))) continue;
    const onto = [...new Set(parents.map((one) => (gone.includes(one) ? chosen : one)))];
    await run.repository.rebase({ source: changeId, onto, actor: "hox", request: `${request}/${changeId}` });
  }
}

/** @throws EngineRefusal where there is nothing to undo, or the chosen work is merged */
export async function undoChoice(run: Run, worker: string): Promise<Written> {
  const { choice } = groupNamed(run, worker);
  if (choice === null) throw new EngineRefusal("No attempt was chosen.", "Choose one: hox choose");
  const { operation, chosen } = choice;
  if (operation === null)
    throw new EngineRefusal("The other attempts are still being abandoned.", "Try again in a moment.");
  if (mergeRequestOf(run, chosen).state.stage === "merged")
    throw new EngineRefusal(
      `The work of ${chosen} is merged, and other tasks build on it.`,
      `Undo the work of ${chosen} first, then the choice.`,
    );
  const request = `${undoneChoices(run)}${chosen}`;
  const written = await run.lock.withAllExclusive(
    () =>
      rewriteBeneath(run, { what: "A choice between attempts was undone." }, () =>
        run.repository.revertOperation(operation, { actor: "hox", request }),
      ),
    "a choice is being undone",
  );
  await run.refreshChanges();
  run.changed();
  return { operation: written.operation };
}

const undoneChoices = (run: RunReader): string => `${run.id}/undo-choice/`;

/** The operation of a choice, or the one by which a choice was undone: undone, the same attempt is chosen again. */
export async function undoChoiceBy(
  runs: readonly Run[],
  { id, request }: Operation,
): Promise<UndoneOperation | null> {
  for (const run of runs) {
    const chosen = Object.values(run.facts.attempts).find(({ choice }) => choice?.operation === id)?.choice
      ?.chosen;
    if (chosen !== undefined) return { kind: "undone", ...(await undoChoice(run, chosen)) };
    if (request?.startsWith(undoneChoices(run)))
      return { kind: "undone", ...(await choose(run, request.slice(undoneChoices(run).length))) };
  }
  return null;
}

/** The changes of those that were not chosen are there again, by whichever undo: they are attempts as before. */
export function importUndoneChoices(run: Run): void {
  for (const { orchestrator, task, choice } of Object.values(run.facts.attempts)) {
    if (!choice || choice.operation === null) continue;
    const { chosen, others } = choice;
    const isBack = Object.keys(others).some((name) =>
      run.changes.has(run.workers.get(name)?.record.changeId ?? ""),
    );
    if (!isBack) continue;
    if (mergeRequestOf(run, chosen).state.stage === "merged") {
      if (run.once.isFirst(`choice/${orchestrator}/${task}/merged`))
        warn(
          run,
          `The abandoned attempts are in the graph again, but no agent works on them, because the work of ${chosen} is merged.`,
          `Undo the work of ${chosen} to choose again, or abandon the attempts again.`,
        );
      continue;
    }
    run.append({ kind: "ChoiceUndone", orchestrator, task, statuses: others });
    applyMergeRequestEvent(run, chosen, { kind: "Reopened" });
    withdrawReview(run, chosen);
    for (const name of Object.keys(others)) run.setActivity(name, "sleeping", "");
  }
}
