import { expect, test, vi } from "vitest";
import { EngineRefusal, StaleAnswer } from "../../../engine-errors.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";

let fixture: Fixture | null = null;

test("a card whose content changed rejects an old answer", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture();
  const one = fixture;
  one.answers = { ...agreeable, land: () => null };
  await one.start();
  const card = await one.card("land");
  const yes = { kind: "approve", bookmark: "main" } as const;
  await expect(
    one.execute("inbox.answer", { ...card, nonce: "guess", decision: yes }),
  ).rejects.toBeInstanceOf(StaleAnswer);
  await expect(one.execute("inbox.answer", { ...card, shown: "else", decision: yes })).rejects.toBeInstanceOf(
    StaleAnswer,
  );
  await expect(one.execute("inbox.answer", { ...card, decision: { kind: "retry" } })).rejects.toBeInstanceOf(
    EngineRefusal,
  );
  // Somebody moves the bookmark after the card was shown.
  await one.repo.terminal(["new", "main", "-m", "meanwhile"]);
  await one.repo.terminal(["bookmark", "set", "main", "-r", "@"]);
  await expect(one.execute("inbox.answer", { ...card, decision: yes })).rejects.toBeInstanceOf(StaleAnswer);
  const again = await one.card("land");
  expect(again.nonce).not.toBe(card.nonce);
  expect(again).toMatchObject({ brought: { branch: "main", commits: ["meanwhile"], commitCount: 1 } });
  // The branch may be seen to have moved a moment later, and then the card is another one once more.
  await vi.waitFor(async () => one.execute("inbox.answer", { ...(await one.card("land")), decision: yes }), {
    timeout: 60_000,
    interval: 200,
  });
  expect(await one.until(over)).toMatchObject({ stage: "complete", landed: { bookmark: "main" } });
  const below = ["log", "--no-graph", "-r", "main & description(substring:meanwhile)::", "-T", '"x"'];
  expect(await one.repo.terminal(below)).toBe("x");
});
