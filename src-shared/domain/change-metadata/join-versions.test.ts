import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import {
  beginOf,
  type History,
  joinVersions,
  type Step,
  type Version,
  writtenByHox,
} from "./join-versions.ts";

const base: Version = { commit: "base", description: "task\n", parents: ["ground"], byHox: true };
const version = (commit: string, change: Partial<Version>): Version => ({ ...base, commit, ...change });
const user = { byHox: false };
const since = (...versions: readonly Version[]): History => [...versions.toReversed(), base];

describe("a divergent change", () => {
  it("keeps both sides' edits", () => {
    const joined = since(version("a", { description: "told anew\n", ...user }));
    const moved = since(version("b", { parents: ["elsewhere"] }));
    const marked = since(version("c", { description: "task\n\nHox-Status: done\n" }));
    expect(joinVersions([joined, moved])).toEqual({ description: "told anew\n", place: 1 });
    expect(joinVersions([moved, joined])).toEqual({ description: "told anew\n", place: 0 });
    expect(joinVersions([joined, moved, marked])).toEqual({
      description: "told anew\n\nHox-Status: done\n",
      place: 1,
    });
  });

  it("is not moved by a rewrite of its parents", () => {
    const rebased = since(version("a", user), version("b", user));
    const moved = since(version("c", { parents: ["elsewhere"] }));
    expect(joinVersions([rebased, moved])).toEqual({ description: "task\n", place: 1 });
  });

  it("prefers the user's version of the same edit, and keeps both descriptions", () => {
    const theirs = since(version("a", { description: "theirs\n\nHox-Priority: low\n", ...user }));
    const ours = since(version("b", { description: "ours\n\nHox-Priority: high\nHox-Iteration: 2\n" }));
    const joined = "theirs\n\nours\n\nHox-Priority: low\nHox-Iteration: 2\n";
    expect(joinVersions([theirs, ours]).description).toBe(joined);
    expect(joinVersions([ours, theirs]).description).toBe(joined);
    const there = since(version("c", { parents: ["there"], ...user }));
    const here = since(version("d", { parents: ["here"] }));
    expect(joinVersions([there, here]).place).toBe(0);
    expect(joinVersions([here, there]).place).toBe(1);
  });

  it("is left to the users if two of them disagree", () => {
    const one = since(version("a", { description: "one\n", parents: ["here"], ...user }));
    const other = since(version("b", { description: "other\n", parents: ["there"], ...user }));
    expect(joinVersions([one, other])).toEqual({ description: undefined, place: undefined });
  });

  it("counts Hox's rewrite of a user's edit as the user's", () => {
    const theirs = since(
      version("a", { description: "theirs\n", ...user }),
      version("b", { description: "theirs\n" }),
    );
    const ours = since(version("c", { description: "ours\n" }));
    expect(joinVersions([ours, theirs]).description).toBe("theirs\n\nours\n");
  });

  it("is merged from an intermediate merge on", () => {
    const middle = version("m", { description: "task\n\nHox-Rank: b\n" });
    const joined = since(middle, version("a", { description: "told\n\nHox-Rank: b\n", ...user }));
    const ranked = since(middle, version("b", { description: "task\n\nHox-Rank: c\n" }));
    const left = since(version("c", {}));
    for (const histories of [
      [joined, ranked, left],
      [left, ranked, joined],
    ])
      expect(joinVersions(histories).description).toBe("told\n\nHox-Rank: c\n");
  });

  it("is repaired if Hox wrote one of the commits since they diverged", () => {
    const theirs = (commit: string) => version(commit, user);
    expect(writtenByHox([since(theirs("a")), since(theirs("b"))])).toBe(false);
    expect(writtenByHox([since(theirs("a")), since(theirs("b"), version("c", {}))])).toBe(true);
    expect(writtenByHox([[version("a", {})], [version("b", {})]])).toBe(false);
  });

  it("is left alone if its commits have nothing in common", () => {
    const other: History = [version("x", {}), version("y", {})];
    expect(joinVersions([since(version("a", {})), other])).toEqual({
      description: undefined,
      place: undefined,
    });
  });

  it("is the same in any order of its commits, as long as they do not contradict", () => {
    const titles = fc.constantFrom("task", "told");
    const ranks = fc.constantFrom("", "a");
    const places = fc.constantFrom("ground", "elsewhere");
    fc.assert(
      fc.property(fc.array(fc.tuple(titles, ranks, places), { minLength: 2, maxLength: 4 }), (sides) => {
        const histories = sides.map(([title, rank, parent], at) =>
          since(
            version(`${at}`, {
              description: `${title}\n${rank === "" ? "" : `\nHox-Rank: ${rank}\n`}`,
              parents: [parent],
              byHox: at % 2 === 0,
            }),
          ),
        );
        const joined = joinVersions(histories);
        const turned = joinVersions(histories.toReversed());
        expect(turned.description).toBe(joined.description);
        const parents = (list: readonly History[], place = -1) => list[place]?.[0]?.parents.join();
        expect(parents(histories.toReversed(), turned.place)).toBe(parents(histories, joined.place));
        const all = sides.flat();
        if (all.includes("told")) expect(joined.description).toMatch(/^told\n/);
        if (all.includes("a")) expect(joined.description).toContain("Hox-Rank: a");
        expect(parents(histories, joined.place)).toBe(all.includes("elsewhere") ? "elsewhere" : "ground");
      }),
    );
  });
});

/** A log, newest first: each operation stands on one or two older ones. */
const log = fc
  .array(fc.tuple(fc.boolean(), fc.nat(), fc.nat(), fc.boolean()), { minLength: 1, maxLength: 24 })
  .map((drawn) => {
    const steps = drawn.map(([, one, other, merged], place): Step => {
      const parents = place === 0 ? [] : [...new Set([one % place, ...(merged ? [other % place] : [])])];
      return { id: String(place), parents: parents.map(String) };
    });
    return {
      steps: steps.toReversed(),
      having: new Set(steps.filter((_, at) => drawn[at]?.[0]).map(({ id }) => id)),
    };
  });

test("the result has the condition, none of its parents has, and no newer one like it exists", async () => {
  await fc.assert(
    fc.asyncProperty(log, async ({ steps, having }) => {
      const asked: string[] = [];
      const found = await beginOf(steps, async (id) => {
        asked.push(id);
        return having.has(id);
      });
      const first = steps.find(
        ({ id, parents }) => having.has(id) && !parents.some((one) => having.has(one)),
      );
      expect(found).toEqual(first ?? null);
      expect(new Set(asked).size).toBe(asked.length);
    }),
  );
});

test("a concurrent operation hides nothing", async () => {
  const steps = [
    { id: "snapshot", parents: ["before"] },
    { id: "rebase", parents: ["before"] },
    { id: "before", parents: [] },
  ];
  expect((await beginOf(steps, async (id) => id === "rebase"))?.id).toBe("rebase");
});
