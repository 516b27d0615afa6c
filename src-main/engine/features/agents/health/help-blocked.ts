import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import type { Blocked } from "#shared/domain/worker/worker-record.ts";
import { explain, Interrupted } from "../../../engine-errors.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { checkLines } from "../../../prompts.ts";
import { trouble } from "../../../trouble/trouble.ts";
import { keyOf, unblock } from "../../../workers/blocked-workers.ts";
import { isQuick, parentOf } from "../../../workers/hierarchy.ts";
import { isReplaced } from "../../../workers/hold-worker.ts";
import { iterationsOf } from "../../../workers/worker-limits.ts";
import { askParent } from "./help-request.ts";

/** Two models may send each other on for ever, and each round costs: after so many a person looks. */
const parentTries = 2;

/** From an agent that cannot go on to one that does. Safe to repeat; whatever was reached is kept. */
export async function helpBlocked(run: Run, worker: string): Promise<void> {
  const { blocked, parentAttempts } = run.worker(worker).record;
  if (!blocked) return;
  run.setActivity(worker, "waiting", `waiting for ${isQuick(run) ? "you" : parentOf(run, worker)}: blocked`);
  const lasts = () => run.worker(worker).record.blocked?.nth === blocked.nth && !isReplaced(run, worker);
  const byParent =
    !isQuick(run) && parentAttempts < parentTries && (await byItsParent(run, worker, blocked, lasts));
  if (!lasts()) return;
  if (!byParent && !(await byPerson(run, worker, blocked))) return;
  if (lasts()) unblock(run, worker, byParent ? parentAttempts + 1 : 0);
}

/** False when the parent cannot help this one, so that a person has to. */
async function byItsParent(run: Run, worker: string, stuck: Blocked, lasts: () => boolean): Promise<boolean> {
  try {
    await askParent(run, worker, {
      key: keyOf(worker, stuck),
      event: "child blocked",
      text: () => textOf(run, worker, stuck),
      lasts,
    });
    return true;
  } catch (error) {
    if (error instanceof Interrupted || run.runEnded.signal.aborted) throw error;
    const { message, remedy } = explain(error);
    run.emit({
      kind: "notice",
      level: "warning",
      text: `${parentOf(run, worker)} could not help ${worker}: ${message}`,
      remedy,
    });
    return false;
  }
}

function byPerson(run: Run, worker: string, stuck: Blocked): Promise<boolean> {
  const iterations = iterationsOf(run, worker);
  return trouble(run, {
    // Under a name of its own: the agent's loop waits for this by being stuck.
    of: keyOf(worker, stuck),
    worker,
    title:
      stuck.kind === "iterations"
        ? `${worker} did not finish in ${iterations} ${iterations === 1 ? "iteration" : "iterations"}`
        : `${worker} is blocked`,
    error: new Error(stuck.reason),
  });
}

function textOf(run: RunReader, worker: string, { kind, reason }: Blocked): PromptText {
  const { record } = run.worker(worker);
  return prompt(
    kind === "iterations"
      ? promptLine`${worker} has worked for ${record.iteration} iterations and is not done. With a word of yours it gets as many once more.`
      : promptLine`${worker} says that it cannot go on.`,
    section("Task", [quoteText(record.title)]),
    section("Why", [quoteText(reason)]),
    section("Last checks", checkLines(record.checks)),
  );
}
