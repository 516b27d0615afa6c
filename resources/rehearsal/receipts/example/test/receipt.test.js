import assert from "node:assert/strict";
import { test } from "node:test";
import { receipt } from "../src/receipt.js";

test("a receipt names each thing and ends with the total", () => {
  const lines = receipt([
    { name: "Coffee", cents: 280 },
    { name: "Paper", cents: 320 },
  ]).split("\n");
  assert.equal(lines.length, 3);
  assert.match(lines[2], /^Total\b.*6\.00/u);
});
