/** What keeps a worker from working, in words that a user needs no manual for. */
import { type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { providerWaitLine } from "#shared/domain/conversation/provider-wait.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { formatWaitsForSlot, isAtWork, waitsForPlace } from "#shared/domain/worker/roles.ts";
import { clockTime } from "../../features/run/stages.ts";

export interface Waiting {
  readonly words: string;
  /** The card whose answer it waits for. */
  readonly card: string | null;
}

type Run = Pick<
  RunView,
  "attempts" | "workers" | "paused" | "providerLimit" | "maxParallelAgents" | "endedAt"
>;

const because = (words: string): Waiting => ({ words, card: null });

/** @returns null for a worker that works, is done, or has nothing to do yet */
export function waitsFor(worker: WorkerView, run: Run, inbox: readonly InboxItem[]): Waiting | null {
  if (run.endedAt !== null || worker.status === "done" || worker.status === "abandoned") return null;
  if (worker.byHand) return because("assigned to you");
  const isWorking = isAtWork(worker.state);
  const card = inbox.find(
    (item) => asks(item, worker.name) && !(isWorking && kindOfCard(item).askerWaits !== undefined),
  );
  if (card)
    return {
      words: `waiting for your answer: ${shownLine(kindOfCard(card).headline(card))}`,
      card: card.id,
    };
  if (worker.held) return because("paused by you");
  if (isWorking) return null;
  if (worker.budget.state === "exhausted") return because("paused: its budget is used up");
  if (run.paused === "budget") return because("paused: the budget of the run is used up");
  if (run.providerLimit)
    return because(`waiting: ${lowerFirst(providerWaitLine(run.providerLimit, clockTime))}`);
  if (run.paused !== "no") return because("paused with the run");
  if (worker.activity === waitsForPlace) return because(formatWaitsForSlot(run, "window"));
  if (worker.status === "review" && isToBeChosen(worker.name, run))
    return because("waiting for you to choose an attempt");
  if (worker.status === "review") return because("waiting for review");
  return worker.state === "waiting" && worker.activity !== "" ? because(shownLine(worker.activity)) : null;
}

/** Whether it is one of several attempts at a task, none of which is chosen yet. */
const isToBeChosen = (name: string, { attempts }: Run): boolean =>
  attempts.some((group) => group.chosen === null && group.attempts.some(({ worker }) => worker === name));

/** What it asked, or the trouble that it is in. */
function asks(item: InboxItem, name: string): boolean {
  const kind = kindOfCard(item);
  const from = kind.from(item);
  return kind.isInert !== true && (from === name || from?.endsWith(`/${name}`) === true);
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** The end of a text, from the last sentence that is longer than a word. */
export function lastSentence(text: string): string {
  const line = shownLine(
    text
      .trim()
      .split("\n")
      .findLast((one) => one.trim() !== "") ?? "",
  ).trim();
  const sentences = line.split(/(?<=[.!?])\s+/u);
  return sentences.findLast((one) => one.includes(" ")) ?? line;
}
