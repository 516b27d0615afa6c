/** The cards of runs that are followed: answered as was said in advance, or by whoever is at the terminal. */
import type { Gate } from "#shared/contract/cards/gates.ts";
import { type CardAnswer, type InboxItem, kindOfCard } from "#shared/contract/cards.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { HostState } from "../api/host-state.ts";
import { EngineRefusal, StaleAnswer } from "../engine/engine-errors.ts";
import type { ExitCode } from "./command-line.ts";
import { cardText, decidedBefore, gateOf, gatesOpenedFor } from "./decide.ts";
import { decideWhileOpen } from "./decide-while-open.ts";
import { print, printJson } from "./output.ts";
import type { RunOptions } from "./run-options.ts";
import { leaveToPerson } from "./run-outcome.ts";
import { printNotice } from "./tell-notice.ts";

/** @returns what answers the cards that are given to it; its result is null where the runs go on */
export function createCardAnswerer(
  state: HostState,
  options: RunOptions,
  stop: AbortSignal,
  isFollowed: (run: string) => boolean,
): (items: readonly InboxItem[]) => Promise<ExitCode | null> {
  const engine = state.engine();
  const answered = new Set<string>();

  const openedFor = (id: string): readonly Gate[] => {
    const { run, otherRuns } = engine.state();
    const asking = [run, ...otherRuns.map((one) => one.run)].find((one) => one?.id === id);
    return gatesOpenedFor(options.approve ?? [], { rehearsal: asking?.rehearsal ?? null });
  };

  /** @returns whether it counts; what nobody asks any more is told and left */
  const give = async (item: InboxItem, decision: CardAnswer, isTyped: boolean): Promise<boolean> => {
    try {
      await engine.execute("inbox.answer", { id: item.id, nonce: item.nonce, shown: item.shown, decision });
    } catch (error) {
      const isLeft = error instanceof StaleAnswer || (isTyped && error instanceof EngineRefusal);
      if (!isLeft) throw error;
      const { message, remedy } = error;
      printNotice({ kind: "notice", level: "warning", text: message, remedy }, options);
      return false;
    }
    if (options.json) printJson({ kind: "decided", id: item.id, card: item.kind, decision });
    else
      print(
        `   you          ${shownLine(decision.kind === "answer" ? decision.text : decision.kind)} (${gateOf(item) ?? item.kind})`,
      );
    return true;
  };

  /** Asks again what is still open after an answer that did not count. */
  const askPerson = async (item: InboxItem): Promise<void> => {
    for (;;) {
      const decision = await decideWhileOpen(state, item, stop);
      if (decision === null)
        return print("\nThis card is closed: it was answered elsewhere, or its subject has changed.");
      if (await give(item, decision, true)) return;
    }
  };

  return async (items) => {
    for (const item of items) {
      // What nobody waits for is answered later, or never.
      if (!isFollowed(item.run) || answered.has(item.nonce) || kindOfCard(item).isInert) continue;
      answered.add(item.nonce);
      const before = decidedBefore(item, openedFor(item.run));
      if (before !== null) {
        await give(item, before, false);
        continue;
      }
      if (!options.json) print(`\n${cardText(item)}`);
      if (options.json || !process.stdin.isTTY) return leaveToPerson(item, options);
      await askPerson(item);
    }
    return null;
  };
}
