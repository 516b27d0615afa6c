import assert from "node:assert/strict";
import { test } from "node:test";
import { isRising } from "../../src/station/gauge.js";

test("the water rises when the last reading stands clearly above the one before", () => {
  const at = new Date(0);
  assert.equal(isRising([{ at, height: 200 }, { at, height: 205 }]), true);
  assert.equal(isRising([{ at, height: 200 }, { at, height: 204 }]), false);
  assert.equal(isRising([{ at, height: 200 }]), false);
});
