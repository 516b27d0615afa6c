import { expect, test } from "vitest";
import { byWhatWaits, type InboxItem } from "./cards.ts";

const card = (id: string, kind: string, more: object = {}): InboxItem =>
  ({ id, kind, ...more }) as unknown as InboxItem;

test("the budget of the run comes before every card, a suggestion after every card, others in order", () => {
  const cards = [
    card("s", "suggestion"),
    card("t", "trouble"),
    card("w", "budget", { worker: "agent-1" }),
    card("q", "align-request"),
    card("b", "budget", { worker: null }),
  ];
  expect(byWhatWaits(cards).map(({ id }) => id)).toEqual(["b", "t", "w", "q", "s"]);
});
