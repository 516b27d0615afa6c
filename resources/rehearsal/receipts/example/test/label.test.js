import assert from "node:assert/strict";
import { test } from "node:test";
import { label } from "../src/label.js";

test("a label shouts the name above the amount", () => {
  assert.match(label({ name: "Coffee", cents: 280 }), /^COFFEE\n.*2\.80/u);
});
