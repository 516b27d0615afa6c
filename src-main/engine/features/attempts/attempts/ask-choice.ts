/** Once all attempts at a task have ended, a person is asked which one it shall be. */
import { groupKey, isUndecided, liveAttempts } from "#shared/domain/attempt/attempt-events.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { choose } from "./choose.ts";
import { attemptsOnCard } from "./compare.ts";
import { isFinished, isTaskOpen } from "./work-beside.ts";

export interface AskedChoice {
  /** Another one whenever other attempts have ended, or once more. */
  readonly id: string;
  readonly key: string;
}

/** Tasks of which every attempt has something to offer or got stuck, and at least one has. */
export const choicesToAsk = (run: RunReader): readonly AskedChoice[] =>
  Object.values(run.facts.attempts).flatMap((group) => {
    const { orchestrator, task, choices } = group;
    if (!isUndecided(group) || !isTaskOpen(run, orchestrator, task)) return [];
    const live = liveAttempts(group).flatMap(({ worker }) => run.workers.get(worker)?.record ?? []);
    const finished = live.filter(({ status }) => isFinished(status));
    const isOver = live.every(({ status, blocked }) => isFinished(status) || blocked !== null);
    if (finished.length === 0 || !isOver) return [];
    const key = groupKey(orchestrator, task);
    const which = live
      .map(({ name, iteration, blockCount }) => `${name}.${iteration}.${blockCount}`)
      .join("+");
    return [{ id: `choose/${key}/${choices}/${which}`, key }];
  });

/** Shows the card, takes it back when it says nothing any more, and carries out the answer. */
export async function askChoice(run: Run, { id, key }: AskedChoice): Promise<void> {
  const card = `${run.id}/${id}`;
  const answered = new AbortController();
  void run.waiters
    .until(
      () => !choicesToAsk(run).some((one) => one.id === id),
      AbortSignal.any([answered.signal, run.runEnded.signal]),
    )
    .then(
      () => run.inbox.withdraw((item) => item.id === card, "It was decided, or another attempt started."),
      () => undefined,
    );
  const answer = await run.inbox
    .ask(
      card,
      async () => {
        const group = run.facts.attempts[key];
        if (!group) throw new Error(`${key} has no attempts.`);
        const { orchestrator, task, leader } = group;
        return {
          kind: "attempts",
          orchestrator,
          task,
          title: run.worker(leader).record.title,
          attempts: await attemptsOnCard(run, group),
        };
      },
      run.runEnded.signal,
    )
    .finally(() => answered.abort());
  if (answer.kind === "choose" && run.facts.attempts[key]?.choice === null) await choose(run, answer.worker);
}
