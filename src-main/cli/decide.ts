/** The cards of a run in a terminal. `contract/cards.ts` has a row for each kind. */

import { answerCommand, type Gate } from "#shared/contract/cards/card.ts";
import { repeatLines } from "#shared/contract/cards/repeated-answer.ts";
import { type CardAnswer, cardName, type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { ask } from "./ask.ts";
import { printError } from "./output.ts";

/** The gate of a card; null: no flag answers it, only the user. */
export const gateOf = (item: InboxItem): Gate | null => kindOfCard(item).gate;

/** The user's answer in advance with `--approve`, or null. */
export function decidedBefore(item: InboxItem, approved: readonly Gate[]): CardAnswer | null {
  const gate = gateOf(item);
  if (gate === null) return null;
  // Approving any plan in advance includes the preflight; its result is still printed.
  const opening: readonly Gate[] = gate === "first-look" ? ["first-look", "plan"] : [gate];
  return opening.some((one) => approved.includes(one)) ? kindOfCard(item).answerInAdvance(item) : null;
}

/**
 * Gates that `--approve` opens for a run. Later runs use a pattern, so it must be read first: it is approved
 * in advance only in a rehearsal. (HOX-8.4)
 */
export const gatesOpenedFor = (
  approved: readonly Gate[],
  { rehearsal }: { readonly rehearsal: string | null },
): readonly Gate[] => (rehearsal === null ? approved.filter((gate) => gate !== "patterns") : approved);

/** A card as text. Everything in it is untrusted: what is part of a line begins no other, longer texts are set apart. */
export const cardText = (item: InboxItem): string =>
  shownText([...kindOfCard(item).lines(item), ...repeatLines(item)].join("\n"));

/** What answers a card from another terminal, one line for each answer. */
export function answerLines(item: InboxItem): readonly string[] {
  const lines = kindOfCard(item)
    .options(item)
    .map((one) => [answerCommand(cardName(item), one), one.does] as const);
  const width = Math.max(...lines.map(([command]) => command.length));
  return lines.map(([command, does]) => `  ${command.padEnd(width)}  ${does}`);
}

/** Asks until the answer can be understood. */
export async function decideAtTerminal(item: InboxItem, signal: AbortSignal): Promise<CardAnswer> {
  for (;;) {
    const typed = (await ask(`${kindOfCard(item).question(item)} `, signal)).trim();
    const answer = understand(item, typed);
    if (answer) return answer;
    printError(whyNot(item, typed));
  }
}

/** Why an answer was not understood. */
export const whyNot = (item: InboxItem, typed: string): string =>
  typed === "" ? "Please answer, or press Ctrl-C to answer later." : kindOfCard(item).whyNot(item, typed);

/** What an answer at the terminal means for a card; null when it means nothing. */
export const understand = (item: InboxItem, typed: string): CardAnswer | null =>
  kindOfCard(item).understand(item, typed);
