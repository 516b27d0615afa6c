/** The card that the user names in a terminal. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { cardName } from "#shared/contract/card-name.ts";
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { CommandError, exitCode } from "./command-line.ts";

/** Which cards were listed last, by their nonces in that order, without those that were answered by name since. */
const listedFile = "listed-cards.json";

const nonces = z.array(z.string());

export const keepListed = (stateFolder: string, listed: readonly string[]): Promise<void> =>
  writeFile(join(stateFolder, listedFile), JSON.stringify(listed));

/** Null: none ever were, as far as that can be read. */
export async function listedCards(stateFolder: string): Promise<readonly string[] | null> {
  try {
    return nonces.safeParse(JSON.parse(await readFile(join(stateFolder, listedFile), "utf8"))).data ?? null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" || error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * A number refers to a list that may have changed: it counts if only one card waits and was listed.
 * @param wanted a name (`cardName`), an id or a number
 * @param listed nonces of the cards that were last listed
 * @throws CommandError with the names of the waiting ones
 */
export function cardNamed(
  inbox: readonly InboxItem[],
  wanted: string,
  listed: readonly string[] | null,
): InboxItem {
  const named = inbox.filter((item) => item.id === wanted || cardName(item) === wanted);
  const [found, ...others] = named;
  if (found && others.length === 0) return found;
  if (found)
    throw refused(`Several cards match ${wanted}.`, `Use the id: ${named.map(({ id }) => id).join(", ")}.`);
  if (inbox.length === 0) throw refused(`No card ${shownLine(wanted)}.`, "No cards are waiting for you.");
  const [only, ...more] = inbox;
  const isNumber = /^\d+$/u.test(wanted);
  if (isNumber && more.length > 0)
    throw refused(
      `${inbox.length} cards are waiting, and their numbers change as cards close.`,
      `Use a name: ${namesOf(inbox)}.`,
    );
  const hasGone = isNumber && listed !== null && listed[0] !== only?.nonce;
  if (wanted === "1" && only && !hasGone) return only;
  throw refused(
    hasGone
      ? `The first card has been closed or has changed since you listed them.`
      : `Card ${shownLine(wanted)} does not exist, has been closed or has changed.`,
    `Waiting: ${namesOf(inbox)}.`,
  );
}

const namesOf = (inbox: readonly InboxItem[]): string =>
  inbox.map((item) => `${cardName(item)} (${shownLine(kindOfCard(item).headline(item))})`).join(", ");

const refused = (message: string, remedy: string): CommandError =>
  new CommandError(message, remedy, exitCode.usage);
