// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts that are looked into
import { describe, expect, it } from "vitest";
import { expressionProblems, expressionsIn, slownessOf } from "./expressions.mjs";

describe("the check of regular expressions", () => {
  it.each([
    [String.raw`^\[{1,2}\s*([^\]]+?)\s*\]`, "polynomial"],
    ["#.*$", "polynomial"],
    ["^(?:a+)+$", "exponential"],
    [String.raw`(?:~|\/)[^\s]*\.md\b`, "polynomial"],
  ])("finds that %s is slow", (source, time) => {
    expect(slownessOf({ source, flags: "u" })).toContain(`${time} time`);
  });

  it.each([String.raw`^\[([^\]]*)\]`, "^#[^\\n]*", String.raw`(?<!\d)\d+\.\d+`])("lets %s pass", (source) => {
    expect(slownessOf({ source, flags: "u" })).toBeNull();
  });

  const planted = 'export const trimmed = (text: string) =>\n  text.replace(/[. ]+$/u, "");\n';

  it("names a planted violation, its place and what to do", () => {
    const [problem, ...others] = expressionProblems(expressionsIn("src-main/a.ts", planted), []);
    expect(others).toEqual([]);
    expect(problem).toMatch(
      /^src-main\/a\.ts:2: \/\[\. \]\+\$\/u takes polynomial time .* Rewrite it, or add it/u,
    );
  });

  it("accepts one with a reason, and none without", () => {
    const allowed = (reason: string) => [{ file: "src-main/a.ts", source: "[. ]+$", reason }];
    const expressions = expressionsIn("src-main/a.ts", planted);
    expect(expressionProblems(expressions, allowed("A name of at most 255 bytes."))).toEqual([]);
    expect(expressionProblems(expressions, allowed(" "))).toHaveLength(1);
  });

  it.each([
    'new RegExp("[. ]+$", "u")',
    "RegExp(`[. ]+$`)",
    'const end = "$"; new RegExp(`[. ]+${end}`)',
    "const end = String.raw`[. ]+`; new RegExp(String.raw`${end}$`)",
  ])("looks into %s", (code) => {
    const [problem] = expressionProblems(expressionsIn("src-main/a.ts", code), []);
    expect(problem).toContain("takes polynomial time");
  });

  it.each(["new RegExp(text)", "RegExp(`^${name}$`)", "new RegExp(a + b)"])(
    "asks for the reason of %s, which is only known when it runs",
    (code) => {
      const expressions = expressionsIn("src-main/a.ts", code);
      expect(expressionProblems(expressions, [])).toHaveLength(1);
      const source = /\((.*)\)/u.exec(code)?.[1] ?? "";
      expect(
        expressionProblems(expressions, [{ file: "src-main/a.ts", source, reason: "Words of Hox." }]),
      ).toEqual([]);
    },
  );

  it("refuses a reason that is not needed any more", () => {
    const allowed = [{ file: "src-main/a.ts", source: "[. ]+$", reason: "A name." }];
    expect(expressionProblems([], allowed)).toEqual([
      "src-main/a.ts: /[. ]+$/ is allowed, and is not there or not slow.",
    ]);
  });
});
