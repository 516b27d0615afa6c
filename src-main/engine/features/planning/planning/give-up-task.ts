/** What a person may say to the trouble of one agent, while everyone else works: none of it ends the run. */
import type { AnswerTo } from "#shared/contract/cards.ts";
import { explain } from "../../../engine-errors.ts";
import type { TroubleEnd } from "../../../kernel/feature.ts";
import { addressOf, person, sendMessage } from "../../../orchestrators/messages.ts";
import type { Run } from "../../../ports.ts";
import { siblingAttempts } from "../../../workers/attempts.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { hold } from "../../../workers/hold-worker.ts";
import { rewriteBeneath } from "../../../workspaces/rewrite-beneath.ts";
import { amendPlan } from "./plan-editing.ts";

/**
 * Carries out an answer to an agent's trouble. Safe to repeat: after a crash the same answer is given again.
 *
 * @param key the card's id
 * @returns "again" where the agent tries again, now or when it is let go on; "over" where nobody works on the task any
 * more; "open" where the answer could not be carried out, so that the trouble lasts
 */
export async function answerTrouble(
  run: Run,
  worker: string,
  key: string,
  decision: AnswerTo<"trouble">,
): Promise<TroubleEnd> {
  switch (decision.kind) {
    case "retry":
      if (decision.words)
        await sendMessage(run, {
          key: `${person}/${key}`,
          from: person,
          to: addressOf(run, worker),
          type: "info",
          text: decision.words,
        });
      return "again";
    case "leave-out":
    case "change-check":
      return "again";
    case "hold":
      hold(run, worker);
      return "again";
    case "abandon":
      return (await giveUpTask(run, worker)) ? "over" : "open";
    default:
      // Taken back: the task was given up, or went to somebody else.
      return "over";
  }
}

/** Takes a task out of its plan; who waited for it goes on without. False where the plan cannot be without it, which is told. */
export async function giveUpTask(run: Run, worker: string): Promise<boolean> {
  const { task, title, changeId } = run.worker(worker).record;
  if (task === null) return true;
  if (changeId !== null && siblingAttempts(run, worker).length > 0) {
    await giveUpAttempt(run, changeId);
    return true;
  }
  try {
    await amendPlan(run, parentOf(run, worker), [{ kind: "remove", task }]);
    return true;
  } catch (error) {
    if (run.runEnded.signal.aborted) throw error;
    const { message, remedy } = explain(error);
    run.emit({
      kind: "notice",
      level: "warning",
      text: `“${title}” could not be abandoned: ${message}`,
      remedy,
    });
    return false;
  }
}

/** Its change goes; the others at the same task go on, and the plan keeps it. */
async function giveUpAttempt(run: Run, changeId: string): Promise<void> {
  await run.lock.withAllExclusive(() =>
    rewriteBeneath(run, { what: null }, () => run.repository.abandon([changeId], { actor: "hox" })),
  );
  await run.refreshChanges();
}
