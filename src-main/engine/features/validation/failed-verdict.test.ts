import { afterEach, expect, test } from "vitest";
import type { AnswerTo, InboxItem, ItemOf } from "#shared/contract/cards.ts";
import { agreeable, createFixture, type Fixture, over } from "../../testing/run-fixture.ts";
import { judgedConfig, judgedScript, seat } from "../../testing/verdict-script.ts";

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.remove();
  fixture = undefined;
});

const votesCard = async (one: Fixture): Promise<ItemOf<"votes">> => {
  const isVotes = (item: InboxItem): item is ItemOf<"votes"> => item.kind === "votes";
  const run = await one.until((now, inbox) => over(now) || inbox.some(isVotes));
  const card = one.engine.state().inbox.find(isVotes);
  if (card) return card;
  throw new Error(
    `Nobody was asked about the verdict: the run is ${run.stage}, ${JSON.stringify(run.failure)}.`,
  );
};
const answer = (one: Fixture, item: InboxItem, decision: AnswerTo<"votes">) =>
  one.engine.execute("inbox.answer", { ...item, decision });

test("rejected after its repair rounds a result is a person's: repaired with a word, judged again, landed", async () => {
  fixture = await createFixture({
    ceremony: "auto",
    files: judgedConfig(["validator_count = 1", "repair_rounds = 1"]),
    script: judgedScript({ "validator-1": seat((attempt) => (attempt < 3 ? "reject" : "approve")) }),
  });
  fixture.answers = agreeable;
  await fixture.start();
  const card = await votesCard(fixture);
  expect(card).toMatchObject({
    validation: {
      attempt: 2,
      verdict: "rejected",
      seats: [{ seat: "validator-1", vote: "reject", reason: "Round 2: no mail.", counted: true }],
    },
    rounds: [
      {
        attempt: 1,
        verdict: "rejected",
        reasons: [expect.stringContaining("Round 1: no mail.")],
        repair: { askedBy: "rule", words: "", summary: "Mail is kept now." },
      },
    ],
    repairRounds: 1,
  });
  expect(card.microDollars).toBeGreaterThan(0);
  await answer(fixture, card, { kind: "repair", words: "Keep the address too." });
  const run = await fixture.until(over);
  expect(run).toMatchObject({ stage: "complete", validation: { attempt: 3, verdict: "approved" } });
  const repairs = fixture.standIn.requests().filter(({ seen }) => seen.prompt.startsWith("[INTEGRATE]"));
  expect(repairs.at(-1)?.seen.prompt).toContain("The user: Keep the address too.");
});
