import { expect, test } from "vitest";
import { rigorOf } from "./feature.ts";

test("the root and its parts write intent and acceptance tests, deeper levels only types", () => {
  for (const name of ["O-A-1", "O-B-3"])
    expect(rigorOf(name)).toMatch(/^Types always; a short note.*acceptance tests/u);
  for (const name of ["O-C-1", "O-D-2"])
    expect(rigorOf(name)).toMatch(/^Types with their limits.*nothing else/u);
});
