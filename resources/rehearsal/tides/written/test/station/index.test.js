import assert from "node:assert/strict";
import { test } from "node:test";
import { highFrom } from "../../src/station/alarm.js";
import { judge } from "../../src/station/index.js";

test("the newest reading is judged, and high comes before rising", () => {
  const at = new Date(0);
  assert.equal(judge([]), null);
  const low = highFrom - 50;
  assert.equal(judge([{ at, height: low }]).level, "calm");
  assert.equal(judge([{ at, height: low }, { at, height: low + 10 }]).level, "rising");
  assert.equal(judge([{ at, height: low }, { at, height: highFrom }]).level, "high");
});
