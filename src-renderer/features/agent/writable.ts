import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { whyNot } from "#shared/domain/worker/agent-capabilities.ts";
import { roles } from "#shared/domain/worker/roles.ts";

/** Whether a user can write to a worker now; `words` says what will happen, or why not. */
export type Writable =
  | {
      readonly kind: "open";
      readonly words: string;
      /** It can be brought to read at once what is written to it. */
      readonly canInterrupt: boolean;
    }
  | { readonly kind: "closed"; readonly words: string };

/** @returns null for a worker that takes no messages, such as a seat of the validation */
export function writableNow(
  worker: WorkerView,
  run: Pick<RunView, "endedAt" | "orchestrators">,
): Writable | null {
  const { name } = worker;
  const { isLead, hasIterations } = roles[worker.role];
  if (!isLead && !hasIterations) return null;
  if (run.endedAt !== null) return closed("The run is over. Messages are no longer read.");
  if (isLead) return leadNow(worker, run);
  if (worker.replacedBy)
    return closed(`Its task was reassigned to ${worker.replacedBy}. Write to that agent.`);
  if (worker.changeId === null) return closed(`${name} has not started.`);
  if (worker.status === "abandoned") return closed("Its task was abandoned.");
  if (worker.status === "done")
    return closed(`${name} is done${worker.parent === null ? "" : `. Write to ${worker.parent}`}.`);
  if (worker.byHand) return open(`${name} will read it after you return the task.`);
  if (worker.held) return open(`${name} is paused and will read it when it resumes.`);
  if (worker.state === "waiting" || worker.status === "review" || worker.state === "sleeping")
    return open(`${name} will read it when it continues.`);
  const limit = whyNot(worker.agent, "steer");
  const words = `${name} will read it with its next prompt.${limit === null ? "" : ` ${limit}`}`;
  return { kind: "open", words, canInterrupt: true };
}

function leadNow({ name }: WorkerView, { orchestrators }: Pick<RunView, "orchestrators">): Writable {
  const part = orchestrators.find((one) => one.name === name);
  if (!part || part.state === "planned") return closed(`${name} has not started.`);
  if (part.state === "done") return closed(`${name} has finished its part.`);
  return part.state === "active"
    ? { kind: "open", words: `${name} will read it after its current step.`, canInterrupt: true }
    : open(`${name} will read it now.`);
}

const open = (words: string): Writable => ({ kind: "open", words, canInterrupt: false });
const closed = (words: string): Writable => ({ kind: "closed", words });
