import { describe, expect, it } from "vitest";
import { readFilterText, touchesFileNamed } from "./parse.ts";
import { translateRevset } from "./revset.ts";

const kindOf = (text: string): string => readFilterText(text).kind;

describe("text in the filter box", () => {
  it("is searched for if it is plain words", () => {
    expect(readFilterText(" Profile  client ")).toEqual({ kind: "words", words: ["profile", "client"] });
    for (const text of ["prio", "well-known", "C++", "wait...", "fix (again)", "src/api.ts", "story", "a & "])
      expect(kindOf(text), text).toBe("words");
  });

  it("is a revset if it has revset syntax", () => {
    for (const text of [
      "ready()",
      "agent(",
      "main..@",
      "::x",
      "@",
      "@-",
      "~mutable",
      "a & b",
      "x|y",
      "heads(a)-",
    ])
      expect(kindOf(text), text).toBe("revset");
  });

  it("is explicit: a revset after =, a search in quotation marks", () => {
    expect(readFilterText(" = main")).toEqual({ kind: "revset", revset: "main", at: 3 });
    expect(readFilterText('"ready() or not"')).toEqual({ kind: "words", words: ["ready() or not"] });
    expect(readFilterText('"half typed')).toEqual({ kind: "words", words: ["half typed"] });
  });

  it("is nothing while it is empty", () => {
    for (const text of ["", "  ", "=", '"', '""']) expect(kindOf(text), text).toBe("nothing");
  });
});

it("searches files with a reserved word", () => {
  const revset = touchesFileNamed('a*b"c[d');
  expect(revset).toContain('glob-i:"**/*a[*]b\\"c[[]d*"');
  expect(translateRevset(revset)).toMatchObject({ ok: true, revset });
});
