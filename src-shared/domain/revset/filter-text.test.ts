import { describe, expect, it } from "vitest";
import { readFilterText, touchesFileNamed } from "./filter-text.ts";
import { translateRevset } from "./revset.ts";

const kindOf = (text: string): string => readFilterText(text).kind;

describe("what is typed into the filter box", () => {
  it("is searched for where it is plain words", () => {
    expect(readFilterText(" Profile  client ")).toEqual({ kind: "words", words: ["profile", "client"] });
    for (const text of ["prio", "well-known", "C++", "wait...", "fix (again)", "src/api.ts", "story", "a & "])
      expect(kindOf(text), text).toBe("words");
  });

  it("is a revset where it has the signs of one", () => {
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

  it("is what is asked for: a revset after =, the words between quotation marks", () => {
    expect(readFilterText(" = main")).toEqual({ kind: "revset", revset: "main", at: 3 });
    expect(readFilterText('"ready() or not"')).toEqual({ kind: "words", words: ["ready() or not"] });
    expect(readFilterText('"half typed')).toEqual({ kind: "words", words: ["half typed"] });
  });

  it("is nothing while there is nothing to look for", () => {
    for (const text of ["", "  ", "=", '"', '""']) expect(kindOf(text), text).toBe("nothing");
  });
});

it("asks for files by a word that means nothing but itself", () => {
  const revset = touchesFileNamed('a*b"c[d');
  expect(revset).toContain('glob-i:"**/*a[*]b\\"c[[]d*"');
  expect(translateRevset(revset)).toMatchObject({ ok: true, revset });
});
