import { describe, expect, test } from "vitest";
import {
  type Feature,
  featuresIn,
  hasMarkers,
  insertBefore,
  markOf,
  resolved,
  withFeatures,
} from "./feature.ts";
import { projects } from "./projects/projects.ts";

const base = { "a.txt": "top\nfirst\nplace\nlast\n" };
const feature = (id: string, more: Partial<Feature> = {}): Feature => ({
  id,
  title: id,
  asks: id,
  edits: [insertBefore("a.txt", "place\n", `line of ${id}\n`)],
  test: { path: `${id}.test`, content: id },
  ...more,
});
const [one, two] = [feature("one"), feature("two")];
const moves = feature("moves", {
  edits: [insertBefore("a.txt", "top\n", "see b.txt\n")],
  move: { path: "a.txt", from: "first\n", until: "last\n", into: "b.txt", head: "head\n", tail: "\n" },
});

describe("withFeatures", () => {
  test("combines features that meet in the same place", () => {
    expect(withFeatures(base, [one, two])["a.txt"]).toBe(
      "top\nfirst\nline of one\nline of two\nplace\nlast\n",
    );
  });

  test("moves a block with what others wrote in it", () => {
    const files = withFeatures(base, [moves, one]);
    expect(files["a.txt"]).toBe("see b.txt\ntop\nlast\n");
    expect(files["b.txt"]).toBe("head\nfirst\nline of one\nplace\n");
  });

  test("refuses a place that is there twice", () => {
    expect(() => withFeatures({ "a.txt": "place\nplace\n" }, [one])).toThrow("exactly once");
  });
});

const conflict =
  "top\nfirst\n<<<<<<< conflict 1 of 1\n%%%%%%% diff\n+line of one\n+++++++ side\nline of two\n>>>>>>> end\nplace\nlast\n";

describe("resolved", () => {
  test("keeps every feature whose lines are between the markers, and no other", () => {
    expect(hasMarkers(conflict)).toBe(true);
    expect(resolved(base, { "a.txt": conflict }, [one, two, moves], [])).toEqual({
      "a.txt": withFeatures(base, [one, two])["a.txt"],
    });
  });

  test("adds what the one who resolves it wants, and writes where a moved block went", () => {
    expect(Object.keys(resolved(base, { "a.txt": conflict }, [one, two, moves], [moves]))).toEqual([
      "a.txt",
      "b.txt",
    ]);
  });

  test("leaves files without markers alone", () => {
    expect(resolved(base, { "a.txt": withFeatures(base, [one])["a.txt"] ?? "" }, [one], [one])).toEqual({});
  });
});

describe.each(projects)("features of $name", ({ sets }) => {
  const features = [...new Set(sets.flatMap((set) => set.features))];

  test("are at least six, each with an id, a title and a test of its own", () => {
    expect(features.length).toBeGreaterThanOrEqual(6);
    for (const key of ["id", "title"] as const)
      expect(new Set(features.map((each) => each[key])).size).toBe(features.length);
    expect(new Set(features.map((each) => each.test.path)).size).toBe(features.length);
  });

  test("are told apart by the lines that they write", () => {
    for (const each of features)
      for (const edit of each.edits) expect(featuresIn(markOf(edit), features)).toEqual([each]);
  });
});
