/** A card's pattern in a person's own words: the gates run again, and the card shows what they say. */
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { proposalOf } from "../../../../patterns/pattern-proposal.ts";
import { EngineRefusal, StaleAnswer } from "../../../engine-errors.ts";
import type { Run } from "../../../ports.ts";
import { recordedRuns } from "../../../run/recorded-runs.ts";
import { automaticGate, patternCard } from "./learn-patterns.ts";

/**
 * What it was shown as before cannot be approved any more. Kept by the journal, as every card is.
 *
 * @param isInactive no host works on the repository, so that no seat can be asked
 */
export async function editPatternCard(
  run: Run,
  card: string,
  markdown: string,
  isInactive: boolean,
): Promise<void> {
  const item = run.inbox.items().find(({ id }) => id === card);
  if (item?.kind !== "pattern") throw new StaleAnswer(`No open pattern card ${card}.`);
  if (isInactive && run.config.patterns.judgedBySeats)
    throw new EngineRefusal(
      "Validators judge patterns in this repository, and no Hox process has it open to run them.",
      "Resume the run (hox run), then edit the pattern.",
    );
  if (run.held() && run.config.patterns.judgedBySeats)
    throw new EngineRefusal(
      "Validators judge patterns in this repository, and the run is paused.",
      "Resume the run, then edit the pattern.",
    );
  const proposal = proposalOf(`${item.category}/${item.name}`, markdown, false);
  const gates = await automaticGate(run, proposal, recordedRuns(run));
  // It may have been answered, or edited in another window, meanwhile.
  if (run.inbox.items().find(({ id }) => id === card)?.nonce !== item.nonce)
    throw new StaleAnswer(`The pattern ${item.name} was answered or changed in the meantime.`);
  run.inbox.replace(card, patternCard(run, proposal, gates));
}

/** A text that did not pass is not kept, whoever says yes to it. */
export function refuseFailedGate(
  _: Run,
  { name, gates }: ItemOf<"pattern">,
  { kind }: AnswerTo<"pattern">,
): void {
  const failed = gates.filter(({ passed }) => !passed);
  if (kind !== "approve" || failed.length === 0) return;
  throw new EngineRefusal(
    `The pattern ${name} failed the automatic checks: ${failed.map((gate) => `${gate.name} (${gate.detail})`).join(" ")}`,
    "Edit its text, or reject it.",
  );
}
