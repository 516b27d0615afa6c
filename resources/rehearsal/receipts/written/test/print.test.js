import assert from "node:assert/strict";
import { test } from "node:test";
import { amount } from "../src/money.js";
import { roll } from "../src/print.js";

test("the roll of a day ends with what was taken, with its currency", () => {
  const sold = [[{ name: "Coffee", cents: 280 }], [{ name: "Paper", cents: 320 }]];
  assert.ok(roll(sold).endsWith(`Taken today  ${amount(600)}`));
});
