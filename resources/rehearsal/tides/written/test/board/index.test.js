import assert from "node:assert/strict";
import { test } from "node:test";
import { boardOf } from "../../src/board/index.js";

test("the banner stands above the readings", () => {
  const reading = { at: new Date("2026-04-07T06:10:00Z"), height: 219, level: "calm" };
  assert.equal(boardOf(reading, [reading]), "Calm 2.19 m\n\n06:10  2.19 m");
});
