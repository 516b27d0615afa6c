import assert from "node:assert/strict";
import { test } from "node:test";
import { createReadings } from "../src/readings.js";

test("readings come back in the order in which they were taken", () => {
  const readings = createReadings();
  readings.add(new Date("2026-04-07T06:00:00Z"), 212);
  readings.add(new Date("2026-04-07T06:10:00Z"), 219);
  assert.deepEqual(
    readings.all().map(({ height }) => height),
    [212, 219],
  );
  assert.equal(readings.latest()?.height, 219);
});

test("a height that is no whole number of centimetres is refused", () => {
  assert.throws(() => createReadings().add(new Date(), 2.19), /whole centimetres/u);
});
