import assert from "node:assert/strict";
import { test } from "node:test";
import { amount } from "../src/money.js";
import { poster } from "../src/poster.js";

test("an amount says its currency", () => {
  assert.equal(amount(280), "€ 2.80");
});

test("a poster says both amounts in the same way", () => {
  assert.equal(poster({ name: "Coffee", cents: 280, before: 320 }), `Today: Coffee ${amount(280)} instead of ${amount(320)}`);
});
