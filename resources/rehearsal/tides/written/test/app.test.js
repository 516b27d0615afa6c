import assert from "node:assert/strict";
import { test } from "node:test";
import { show } from "../src/app.js";
import { createReadings } from "../src/readings.js";
import { highFrom } from "../src/station/alarm.js";

test("a reading goes from the wall to the board", () => {
  const readings = createReadings();
  assert.equal(show(readings), "No reading yet.");
  readings.add(new Date("2026-04-07T06:00:00Z"), 212);
  readings.add(new Date("2026-04-07T06:10:00Z"), highFrom);
  assert.match(show(readings), /^HIGH WATER/u);
});
