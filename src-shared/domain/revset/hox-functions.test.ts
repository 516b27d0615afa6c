import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { writeMetadata } from "../change-metadata/write-trailers.ts";
import { notMeasured } from "../metrics/measured-worker.ts";
import { metricNames, metricsTrailer } from "../metrics/metrics-trailer.ts";
import { tokenize, tokenText } from "./parse.ts";
import { completeRevset, translateRevset } from "./revset.ts";

const translated = (text: string): string => {
  const result = translateRevset(text);
  if (!result.ok) throw new Error(result.error.message);
  return result.revset;
};
const errorOf = (text: string) => {
  const result = translateRevset(text);
  if (result.ok) throw new Error(`no error in ${text}`);
  return { ...result.error, at: text.slice(result.error.start, result.error.end) };
};

/** Whether a description is found. The syntax that is used means the same in Rust's regular expressions and in ours. */
function finds(text: string, description: string): boolean {
  const revset = translated(text);
  if (revset === "none()") return false;
  const cut = tokenize(revset);
  const pattern = cut.ok ? cut.tokens.find(({ kind }) => kind === "string") : undefined;
  if (!pattern) throw new Error(revset);
  return new RegExp(tokenText(pattern).replace("(?m)", ""), "mu").test(description);
}
const figuresOf = (failedCalls: number, score: number | null, tool = "run_command"): string =>
  writeMetadata("Task\n\nWhat is to be done.\n", {
    kind: "task",
    metrics: metricsTrailer({ ...notMeasured("agent-1"), failedCalls, toolCalls: { [tool]: 7 } }, 2, score),
  });

const compare = {
  ">": (a: number, b: number) => a > b,
  ">=": (a: number, b: number) => a >= b,
  "<": (a: number, b: number) => a < b,
  "<=": (a: number, b: number) => a <= b,
  "=": (a: number, b: number) => a === b,
} as const;
const operator = fc.constantFrom(...(Object.keys(compare) as (keyof typeof compare)[]));
const whole = fc.oneof(fc.nat(12), fc.nat(1_200), fc.nat());

describe("figures in revsets (HOX-6.2)", () => {
  it("compare whole numbers as numbers", () => {
    fc.assert(
      fc.property(operator, whole, whole, (sign, is, than) => {
        expect(finds(`metrics(failures ${sign} ${than})`, figuresOf(is, null))).toBe(compare[sign](is, than));
      }),
      { numRuns: 1_000 },
    );
  });

  it("compare scores by three decimals, even with impossible ones", () => {
    const thousandths = fc.oneof(
      fc.integer({ min: 0, max: 1_000 }),
      fc.constantFrom(0, 999, 1_000, 1_001, 5_000),
    );
    fc.assert(
      fc.property(operator, fc.integer({ min: 0, max: 1_000 }), thousandths, (sign, is, than) => {
        const text = (than / 1_000).toFixed(3).replace(/\.?0+$/u, "");
        expect(finds(`score(${sign}${text})`, figuresOf(0, is / 1_000))).toBe(compare[sign](is, than));
      }),
      { numRuns: 1_000 },
    );
  });

  it("find any change with figures, and nothing in a tool's name", () => {
    expect(finds("metrics()", figuresOf(0, null))).toBe(true);
    expect(finds("score()", figuresOf(0, null))).toBe(false);
    expect(finds("score()", figuresOf(0, 0.5))).toBe(true);
    expect(finds("metrics()", writeMetadata("Task\n", { kind: "task" }))).toBe(false);
    expect(finds("metrics(failures=7)", figuresOf(1, null, "failures"))).toBe(false);
    expect(finds("score()", figuresOf(1, null, 'score":0.900,"'))).toBe(false);
    expect(finds("metrics(failures>3, tool_calls=7)", figuresOf(0, null))).toBe(true);
    for (const name of metricNames) expect(finds(`metrics(${name}<100)`, figuresOf(1, null))).toBe(true);
  });

  it("report at its position what cannot be compared", () => {
    expect(errorOf("metrics(failure>3)")).toMatchObject({
      at: "failure>3",
      expected: expect.arrayContaining(["failures"]),
    });
    expect(errorOf("metrics(failure>3)").message).toContain("Did you mean “failures”");
    expect(errorOf("metrics(failures>3.5)").message).toContain("whole number");
    expect(errorOf("metrics(tool_calls)").message).toContain("metrics(failures>3)");
    expect(errorOf("score(high)")).toMatchObject({
      at: "high",
      message: expect.stringContaining("score(>0.8)"),
    });
    expect(errorOf("score(total>0.8)").message).toContain("no metric name");
    expect(errorOf("score(>0.81234)").message).toContain("three decimal places");
    expect(errorOf('score(">0.8")').message).toContain("score(>0.8)");
    expect(errorOf("score(>0.8 & x)").message).toContain("comparison");
  });

  it("work anywhere in a revset, and are suggested while typing", () => {
    expect(translated("heads(score(>0.8)) & @")).toMatch(/^heads\(description\(regex:".*"\)\) & @$/u);
    const inside = "metrics(fai";
    expect(completeRevset(inside, inside.length).items.map(({ insert }) => insert)).toEqual([
      "failures>",
      "votes_failed>",
    ]);
    expect(completeRevset("sc", 2).items[0]?.insert).toBe("score(");
  });
});
