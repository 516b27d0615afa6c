/** Warns when a card comes back after each answer: repeating the same answer lists the other ones. */
import { type CardAnswer, type InboxItem, kindOfCard } from "../cards.ts";
import type { AnswerOption, CardBase } from "./card.ts";

/** Up to this many equal answers are normal. */
const fewest = 3;

type Content = Omit<InboxItem, keyof CardBase>;

/** A card that asks the same: of the same kind, from the same worker, about the same. */
function isAlike(one: Content, other: Content): boolean {
  const [a, b] = [one as InboxItem, other as InboxItem];
  const kind = kindOfCard(a);
  return a.kind === b.kind && kind.from(a) === kind.from(b) && kind.headline(a) === kind.headline(b);
}

/** A different text makes it another answer. */
const isSame = (one: CardAnswer, other: CardAnswer): boolean =>
  one.kind === other.kind && (one.kind !== "answer" || (other.kind === "answer" && one.text === other.text));

/**
 * How often a card was answered in one way before it came back as it is now.
 *
 * @param answered earlier cards of its kind, the last first
 * @returns nothing where that was seldom
 */
export function repeatOf(
  answered: readonly { readonly item: InboxItem; readonly decision: CardAnswer | null }[],
  card: Content,
): Pick<CardBase, "repeat"> {
  const alike = answered.filter(({ item }) => isAlike(item, card));
  const [last] = alike;
  if (!last?.decision) return {};
  const { decision: first } = last;
  const { kind } = first;
  const until = alike.findIndex(({ decision }) => decision === null || !isSame(decision, first));
  const times = until === -1 ? alike.length : until;
  return times < fewest ? {} : { repeat: { times, answer: kind } };
}

const answerKind = (item: InboxItem, { typed }: AnswerOption): string | null =>
  kindOfCard(item).understand(item, typed)?.kind ?? null;

/** Answers that were not given yet; one with an invalid check counts as such. */
const others = (item: InboxItem, given: string): readonly AnswerOption[] =>
  kindOfCard(item)
    .options(item)
    .filter((option) => answerKind(item, option) !== given);

/** A one-line warning; null if the card did not come back. */
export function repeatText(item: InboxItem): string | null {
  const { repeat } = item;
  if (repeat === undefined) return null;
  const given = kindOfCard(item)
    .options(item)
    .find((option) => answerKind(item, option) === repeat.answer);
  const how = given === undefined ? "the same way" : `with “${given.typed}” (${given.does})`;
  return `You answered this ${repeat.times} times ${how}, and the problem came back each time.`;
}

/** The same for a terminal, with the other ways. */
export function repeatLines(item: InboxItem): readonly string[] {
  const text = repeatText(item);
  if (text === null) return [];
  const left = others(item, item.repeat?.answer ?? "");
  return [
    text,
    ...(left.length === 0 ? [] : ["Other options:", ...left.map(({ typed, does }) => `  ${typed}: ${does}`)]),
  ];
}
