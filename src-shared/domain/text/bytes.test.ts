import { expect, test } from "vitest";
import { formatBytes } from "./bytes.ts";

test("an amount of data has at least two digits and a unit that fits", () => {
  expect([0, 812, 4_200, 999_499, 999_600, 4_250_000, 130e9, 7e15].map(formatBytes)).toEqual([
    "0 bytes",
    "812 bytes",
    "4.2 kB",
    "999 kB",
    "1.0 MB",
    "4.3 MB",
    "130 GB",
    "7000 TB",
  ]);
});
