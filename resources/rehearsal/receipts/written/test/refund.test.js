import assert from "node:assert/strict";
import { test } from "node:test";
import { amount } from "../src/money.js";

test("what is given back is written with its minus", () => {
  assert.match(amount(-150), /-1\.50/u);
});
