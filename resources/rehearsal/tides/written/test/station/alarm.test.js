import assert from "node:assert/strict";
import { test } from "node:test";
import { highFrom, isHigh } from "../../src/station/alarm.js";

test("the water is high from the height that was decided", () => {
  assert.equal(highFrom, 400);
  assert.equal(isHigh({ height: highFrom }), true);
  assert.equal(isHigh({ height: highFrom - 1 }), false);
});
