import assert from "node:assert/strict";
import { test } from "node:test";
import { takings } from "../src/day.js";

test("the takings of a day are all that was sold", () => {
  assert.equal(takings([[{ cents: 280 }], [{ cents: 320 }, { cents: 50 }]]), 650);
  assert.equal(takings([]), 0);
});
