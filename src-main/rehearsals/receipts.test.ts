import { afterEach, expect, it } from "vitest";
import { createFixture, type Fixture, over } from "../engine/testing/run-fixture.ts";
import { styleIn } from "./receipts-agents.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
});

it("the rehearsal with forks goes through when a person only answers cards", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  fixture = await createFixture({ rehearsal: "receipts" });
  const { repo, root, standIn } = fixture;
  fixture.answers = {
    ...fixture.answers,
    "align-request": () => ({ kind: "answer", text: "2.80 EUR" }),
  };
  await fixture.start({ goal: "Write every amount with its currency", rehearsal: "receipts" });
  const run = await fixture.until(over, 240_000);
  expect(standIn.unmatched()).toEqual([]);
  expect(run).toMatchObject({ stage: "complete", failure: null, landed: { bookmark: "main" } });
  const show = (path: string) => repo.terminal(["file", "show", "-r", "main", path], { cwd: root });
  expect(await show("src/money.js")).toContain("currency.code");
  expect(await show("src/print.js")).toContain("takings(receipts)");
});

it.each([
  ["2.80 EUR", "code"],
  ["€ 2.80", "sign"],
  ["Put the sign in front, please", "sign"],
  ["As you like", "code"],
])("%s → %s", (words, style) => expect(styleIn(words)).toBe(style));
