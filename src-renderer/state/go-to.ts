/** Ways to a part of the window: what was asked for comes into sight, and has the focus. */
import { focusSoon } from "../kit/focus-soon.ts";
import { inspect, inspectRun, type RowKey, showCard, showInbox } from "./selection-store.ts";

const find = (selector: string): HTMLElement | null => document.querySelector<HTMLElement>(selector);

const openCard = (): HTMLElement | null =>
  find('section[aria-label="Inbox"] h3 button[aria-expanded="true"]') ?? find('section[aria-label="Inbox"]');

export const graphElement = (): HTMLElement | null =>
  find('section[aria-label="Graph panel"] [aria-label="Graph"]') ?? find("[data-instead-of-graph]");

/** The page that covers the graph, else the graph. */
export const frontElement = (): HTMLElement | null => find("[data-page-panel]") ?? graphElement();

/** The inbox with the focus on its open card, whose keys work from there. */
export function goToInbox(): void {
  showInbox();
  focusSoon(openCard);
}

/** A row of the graph, selected and shown in the inspector; the keys of the graph go on from it. */
export function goToRow(row: RowKey): void {
  inspect(row);
  focusSoon(graphElement);
}

/** What the seats say of the run's result, with their reasons. */
export function goToVotes(): void {
  inspectRun();
  focusSoon(() => {
    const votes = find('section[aria-label="Validation"]');
    votes?.scrollIntoView({ block: "start" });
    return votes;
  });
}

/** One card of the inbox, open and with the focus. */
export function goToCard(card: string): void {
  showCard(card);
  focusSoon(() => {
    const found = openCard();
    // It may be open already and have the focus: then nothing else would show where it is.
    found
      ?.closest("article")
      ?.animate([{ outline: "2px solid var(--accent)" }, { outline: "2px solid transparent" }], 1_200);
    return found;
  });
}
