/** The cards of a run in a terminal. `contract/cards.ts` has a row for each kind. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import type { Gate } from "#shared/contract/cards/card.ts";
import { answerCommand } from "#shared/contract/cards/card.ts";
import { repeatLines } from "#shared/contract/cards/repeated-answer.ts";
import { type CardAnswer, cardName, type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import { shownLine, shownText } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "../command-line.ts";
import { showDone, takesEffect } from "../command-table.ts";
import { ask } from "../consent.ts";
import { print, printError, show } from "../output.ts";
import type { RunClient } from "./run-client.ts";

/** The gate of a card; null: no flag answers it, only the user. */
export const gateOf = (item: InboxItem): Gate | null => kindOfCard(item).gate;

/** The user's answer in advance with `--approve`, or null. */
export function decidedBefore(item: InboxItem, approved: readonly Gate[]): CardAnswer | null {
  const gate = gateOf(item);
  if (gate === null) return null;
  // Approving any plan in advance includes the preflight; its result is still printed.
  const opening: readonly Gate[] = gate === "preflight" ? ["preflight", "plan"] : [gate];
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
const whyNot = (item: InboxItem, typed: string): string =>
  typed === "" ? "Please answer, or press Ctrl-C to answer later." : kindOfCard(item).whyNot(item, typed);

/** What an answer at the terminal means for a card; null when it means nothing. */
export const understand = (item: InboxItem, typed: string): CardAnswer | null =>
  kindOfCard(item).understand(item, typed);

/** Which cards were listed last, by their nonces in that order, without those that were answered by name since. */
const listedFile = "listed-cards.json";

const nonces = z.array(z.string());

const keepListed = (stateFolder: string, listed: readonly string[]): Promise<void> =>
  writeFile(join(stateFolder, listedFile), JSON.stringify(listed));

/** Null: none ever were, as far as that can be read. */
async function listedCards(stateFolder: string): Promise<readonly string[] | null> {
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

export async function listCards(client: RunClient, given: CommonOptions): Promise<ExitCode> {
  const inbox = await client.inbox();
  await keepListed(
    client.stateFolder,
    inbox.map(({ nonce }) => nonce),
  );
  for (const item of inbox)
    show(given, { ...item, name: cardName(item) }, [
      cardName(item),
      cardText(item),
      `${answerLines(item).join("\n")}\n`,
    ]);
  if (inbox.length > 0) return exitCode.waits;
  if (!given.json) print("No cards are waiting for you.");
  return exitCode.done;
}

export async function answerCard(
  client: RunClient,
  card: string,
  text: string,
  given: CommonOptions,
): Promise<ExitCode> {
  const listed = await listedCards(client.stateFolder);
  const item = cardNamed(await client.inbox(), card, listed);
  const { run, id, nonce, shown } = item;
  const kind = kindOfCard(item);
  const decision = understand(item, text);
  if (!decision)
    throw refused(
      whyNot(item, text),
      `Use one of: ${kind
        .options(item)
        .map(({ typed, does }) => `${typed} (${does})`)
        .join("; ")}.`,
    );
  await client.execute("inbox.answer", { run, id, nonce, shown, decision });
  if (listed)
    await keepListed(
      client.stateFolder,
      listed.filter((one) => one !== nonce),
    );
  const done = `Answered "${shownLine(kind.headline(item))}".${takesEffect(client)}`;
  showDone(given, client, { id, card: item.kind, decision }, done);
  return exitCode.done;
}
