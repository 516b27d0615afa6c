import { expect, it } from "vitest";
import { groupRecent } from "./remove-recent.ts";

it("separates copies for rehearsals from repositories and keeps the order of both", () => {
  const one = (path: string, isRehearsal: boolean) => ({
    ...{ path, isRehearsal, name: path, openedAt: 0, exists: true, unfinished: null },
  });
  const { repositories, rehearsals } = groupRecent([
    one("r2", true),
    one("a", false),
    one("r1", true),
    one("b", false),
  ]);
  expect(repositories.map(({ path }) => path)).toEqual(["a", "b"]);
  expect(rehearsals.map(({ path }) => path)).toEqual(["r2", "r1"]);
});
