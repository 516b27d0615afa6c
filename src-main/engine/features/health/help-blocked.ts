import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import type { Stuck } from "#shared/domain/worker/worker-record.ts";
import { explain, Interrupted } from "../../engine-errors.ts";
import type { Run } from "../../ports.ts";
import { checkLines } from "../../prompts.ts";
import { trouble } from "../../trouble/trouble.ts";
import { keyOf, letGoOn } from "../../workers/blocked-workers.ts";
import { parentOf } from "../../workers/hierarchy.ts";
import { isReplaced } from "../../workers/hold-worker.ts";
import { iterationsOf } from "../../workers/worker-limits.ts";
import { letParentHelp } from "./help-request.ts";

/** Two models may send each other on for ever, and each round costs: after so many a person looks. */
const parentTries = 2;

/** From an agent that cannot go on to one that does. Safe to repeat; whatever was reached is kept. */
export async function helpStuck(run: Run, worker: string): Promise<void> {
  const { stuck, helped = 0 } = run.worker(worker).record;
  if (!stuck) return;
  run.show(worker, "waiting", `waits for ${parentOf(run, worker)}: it cannot go on`);
  const lasts = () => run.worker(worker).record.stuck?.nth === stuck.nth && !isReplaced(run, worker);
  const byParent = helped < parentTries && (await byItsParent(run, worker, stuck, lasts));
  if (!lasts()) return;
  if (!byParent && !(await byPerson(run, worker, stuck))) return;
  if (lasts()) letGoOn(run, worker, byParent ? helped + 1 : 0);
}

/** False when the parent cannot help this one, so that a person has to. */
async function byItsParent(run: Run, worker: string, stuck: Stuck, lasts: () => boolean): Promise<boolean> {
  try {
    await letParentHelp(run, worker, {
      key: keyOf(worker, stuck),
      event: "child blocked",
      text: () => textOf(run, worker, stuck),
      lasts,
    });
    return true;
  } catch (error) {
    if (error instanceof Interrupted || run.ending.signal.aborted) throw error;
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

const byPerson = (run: Run, worker: string, stuck: Stuck): Promise<boolean> =>
  trouble(run, {
    // Under a name of its own: the agent's loop waits for this by being stuck.
    of: keyOf(worker, stuck),
    worker,
    title:
      stuck.kind === "iterations"
        ? `${worker} did not finish in ${iterationsOf(run, worker)} iterations`
        : `${worker} is blocked`,
    error: new Error(stuck.reason),
  });

function textOf(run: Run, worker: string, { kind, reason }: Stuck): PromptText {
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
