import { expect, test } from "vitest";
import { cardName, type InboxItem } from "#shared/contract/cards.ts";
import { cardNamed } from "./decide.ts";

const question = (nth: number): InboxItem => ({
  kind: "align-request",
  id: `card-${nth}`,
  run: "r",
  at: nth,
  nonce: `nonce-${nth}aaa`,
  shown: "",
  from: `agent-${nth}`,
  question: `Which of ${nth}?`,
  options: [],
  changeId: null,
});
const [first, second] = [question(1), question(2)];
const refusal = (inbox: readonly InboxItem[], wanted: string, listed: readonly string[] | null = null) => {
  try {
    return cardNamed(inbox, wanted, listed).id;
  } catch (error) {
    return `${(error as Error).message} ${(error as { remedy?: string }).remedy}`;
  }
};

test("a card is found by its name or its id, whatever else is waiting", () => {
  expect(cardName(first)).toMatch(/^question-1aaa$/u);
  expect(cardNamed([first, second], cardName(second), null)).toBe(second);
  expect(cardNamed([first, second], "card-1", null)).toBe(first);
  // Once it shows something else it is called otherwise: nobody answers what they have not looked at.
  const changed = { ...first, nonce: "nonce-1bbb" };
  expect(refusal([changed], cardName(first))).toContain(cardName(changed));
});

test("a number is refused with the names when several cards wait; a single card accepts it unless another one was shown", () => {
  for (const number of ["1", "2", "9"])
    for (const name of [first, second].map(cardName))
      expect(refusal([first, second], number)).toContain(name);
  expect(refusal([first], "1")).toBe("card-1");
  expect(refusal([first], "1", [first.nonce])).toBe("card-1");
  expect(refusal([first], "2")).toContain(cardName(first));
  // Two were listed, the first of them is gone: 1 was another one.
  expect(refusal([second], "1", [first.nonce, second.nonce])).toContain("has been closed or has changed");
  // The only one that was listed is answered, and another one came: nobody has looked at that.
  expect(refusal([second], "1", [])).toContain("has been closed or has changed");
  expect(refusal([], "1")).toContain("No cards are waiting for you.");
});
