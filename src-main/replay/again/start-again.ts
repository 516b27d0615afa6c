/** How a recorded run is begun once more: as it was begun then, and with everybody called as they were. */
import type { CommandInput } from "#shared/contract/commands.ts";
import {
  isAgentName,
  isRoot,
  parseOrchestrator,
  rootOrchestrator,
} from "#shared/domain/graph-words/address.ts";
import type { Budget } from "#shared/domain/spending/budget.ts";
import type { RecordedNames } from "../../engine/engine-interface.ts";
import type { Recording } from "../recording.ts";

export function startAgain(recording: Recording): CommandInput<"run.start"> {
  const { goal, orchestrators, rehearsal, model, attempts, isQuick, validators, models, efforts } =
    recording.input;
  const limits = limitsAgain(recording);
  const { attachments } = recording;
  return {
    goal,
    orchestrators,
    onto: null,
    rehearsal,
    model,
    // What was not said then would be taken from the settings of now.
    quick: isQuick ?? false,
    maxTokens: limits.tokens,
    maxMicroDollars: limits.microDollars,
    ...(attempts === undefined ? {} : { attempts }),
    ...(validators === undefined ? {} : { validators }),
    ...(models ? { models } : {}),
    ...(efforts ? { efforts } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

/**
 * What the run was begun with. Where a person gave it more without a card, nobody is there to do that again: then it has from
 * the beginning what it had in the end.
 */
function limitsAgain({ input, moments, cards }: Pick<Recording, "input" | "moments" | "cards">): Budget {
  const begun = { tokens: input.maxTokens, microDollars: input.maxMicroDollars };
  if (cards.some(({ item }) => item.kind === "budget")) return begun;
  const set = moments.flatMap(({ event }) => (event.kind === "RunLimitsSet" ? [event.limits] : []));
  const isRaised = set.some((limits, place) => {
    const before = set[place - 1];
    return (
      before !== undefined &&
      (isMore(limits.tokens, before.tokens) || isMore(limits.microDollars, before.microDollars))
    );
  });
  return isRaised ? (set.at(-1) ?? begun) : begun;
}

/** Null is no limit. */
const isMore = (now: number | null, before: number | null): boolean =>
  before !== null && (now === null || now > before);

/** Names become folders, and a file may say anything: whoever is called as nobody can be gets another name. */
export const namesAgain = ({ input, moments }: Recording): RecordedNames => ({
  root: isRoot(input.root) ? input.root : rootOrchestrator,
  workers: moments.flatMap(({ event }) =>
    event.kind === "WorkerJoined" && event.record.task != null && isWorkerName(event.worker)
      ? [{ name: event.worker, parent: event.record.parent ?? null, task: event.record.task }]
      : [],
  ),
});

const isWorkerName = (name: string): boolean => isAgentName(name) || parseOrchestrator(name) !== null;
