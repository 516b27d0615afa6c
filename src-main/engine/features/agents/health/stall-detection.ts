/**
 * Agents that work and come to nothing, or say nothing any more: their parent is told once for each time, and the next
 * progress lets it be told again. (design section 6; HYLO-14)
 */

import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import type { Stall } from "#shared/domain/worker/worker-record.ts";
import { explain, Interrupted } from "../../../engine-errors.ts";
import type { Run, RunReader, RunWriter, Worker } from "../../../ports.ts";
import { checkLines } from "../../../prompts.ts";
import { isQuick } from "../../../workers/hierarchy.ts";
import { isReplaced } from "../../../workers/hold-worker.ts";
import { askParent } from "./help-request.ts";

/** Who may fall silent: who judges is bounded otherwise, and the root has nobody above it but the person. */
export const works = ({ record: { role, parent }, state }: Pick<Worker, "record" | "state">): boolean =>
  (roles[role].hasIterations || (roles[role].isLead && parent !== null)) &&
  ["thinking", "tools", "checking"].includes(state);

/** A worker that has said nothing for this long is silent. (HYLO-14) */
const silentMinutes = 30;

/** Whoever works and has said nothing for so long falls silent; whoever speaks again is silent no more. */
export function checkHeartbeats(run: RunReader & RunWriter): void {
  const limit = silentMinutes * 60_000;
  const now = run.monotonic();
  for (const worker of run.workers.values()) {
    const { name, stall } = worker.record;
    // Nobody can say anything while the provider answers nobody.
    if (run.providerLimit !== null) {
      if (stall === null) worker.lastActivityAt = now;
      continue;
    }
    if (stall?.kind === "silent" && worker.lastActivityAt > (worker.silentAt ?? -1))
      run.append({ kind: "SilenceEnded", worker: name });
    else if (stall === null && works(worker) && !run.held() && now - worker.lastActivityAt >= limit) {
      worker.silentAt = now;
      run.append({ kind: "SilenceBegan", worker: name, at: run.now() });
    }
  }
}

/** How often `checkHeartbeats` runs. */
export const heartbeatMs = 2_000;

/** Agents that fell quiet and whose parent has not answered yet. */
export const stalledWorkers = (run: RunReader): readonly string[] =>
  [...run.workers.values()].flatMap(({ record }) =>
    record.stall && !record.stall.isAnswered && !["done", "review", "abandoned"].includes(record.status)
      ? [record.name]
      : [],
  );

/** The parent looks at it: a word to the agent, a fresh agent, or a question to the user. */
export async function reportStall(run: Run, worker: string): Promise<void> {
  const { stall, stallCount } = run.worker(worker).record;
  if (!stall) return;
  try {
    if (isQuick(run)) {
      run.emit({
        kind: "notice",
        level: "warning",
        text:
          stall.kind === "stalled"
            ? `${worker} has worked for ${run.worker(worker).record.idleIterations} iterations without a change of its files or checks.`
            : `${worker} has said nothing for ${silentMinutes} minutes.`,
        remedy: "Send it a message, undo its work, or stop the run.",
      });
      return run.append({ kind: "QuietTold", worker, nth: stallCount });
    }
    await askParent(run, worker, {
      key: `${stall.kind}/${worker}/${stallCount}`,
      event: `child ${stall.kind}`,
      text: () => textOf(run, worker, stall),
      // One that began to speak again while its parent thinks may still be told something.
      lasts: () => !isReplaced(run, worker),
    });
  } catch (error) {
    if (error instanceof Interrupted || run.runEnded.signal.aborted) return;
    // The agent goes on as before; what could not be done about it is said where a person looks.
    const { message, remedy } = explain(error);
    run.emit({ kind: "notice", level: "warning", text: `${worker} is ${stall.kind}: ${message}`, remedy });
  }
  run.append({ kind: "QuietTold", worker, nth: stallCount });
}

function textOf(run: RunReader, worker: string, quiet: Stall): PromptText {
  const { record, activity } = run.worker(worker);
  return prompt(
    quiet.kind === "stalled"
      ? promptLine`${worker} has worked for ${record.idleIterations} iterations without a change of its files or checks.`
      : promptLine`${worker} has said nothing for ${silentMinutes} minutes.`,
    section("Task", [quoteText(record.title)]),
    section("What it does", [
      quoteText(activity === "" ? record.status : activity),
      promptLine`Iteration ${record.iteration + 1}.`,
    ]),
    section("Last checks", checkLines(record.checks)),
  );
}
