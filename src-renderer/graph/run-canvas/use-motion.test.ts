import { expect, test } from "vitest";
import { motionBetween } from "./use-motion.ts";

const before = { order: "three lanes" };
const looked = { order: "three lanes" };
const grown = { order: "four lanes" };

test.each([
  { what: "only time passes", from: before, to: before, things: 50, motion: "still" },
  { what: "only time passes for hundreds", from: before, to: before, things: 350, motion: "still" },
  { what: "a lane comes", from: before, to: grown, things: 200, motion: "glides" },
  { what: "a user looks at another time", from: before, to: looked, things: 200, motion: "glides" },
  { what: "a lane comes to hundreds of marks", from: before, to: grown, things: 201, motion: "fades" },
  {
    what: "a user looks at another time of hundreds",
    from: before,
    to: looked,
    things: 201,
    motion: "still",
  },
  {
    what: "the canvas is drawn for the first time",
    from: { order: "" },
    to: grown,
    things: 20,
    motion: "still",
  },
])("where $what: $motion", ({ from, to, things, motion }) => {
  expect(motionBetween(from, to, things)).toBe(motion);
});
