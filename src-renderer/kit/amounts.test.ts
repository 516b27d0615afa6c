import { describe, expect, test } from "vitest";
import { dollars, duration, parseDollars, parseTokens, tokens } from "./amounts.ts";

describe("amounts on screen", () => {
  test("small sums keep enough decimals to be told apart from nothing", () => {
    expect(dollars(0)).toBe("$0.00");
    expect(dollars(1_234)).toBe("$0.0012");
    expect(dollars(84_000)).toBe("$0.084");
    expect(dollars(1_840_000)).toBe("$1.84");
  });

  test("tokens never take more than three figures and a unit", () => {
    expect(tokens(999)).toBe("999");
    expect(tokens(12_340)).toBe("12.3k");
    expect(tokens(200_000)).toBe("200k");
    expect(tokens(1_000_000)).toBe("1M");
  });

  test("time is written in its two largest units", () => {
    expect(duration(420)).toBe("420 ms");
    expect(duration(61_000)).toBe("1 min 1 s");
    expect(duration(7_200_000)).toBe("2 h");
  });

  test("what a user types is an amount, nothing, or a mistake", () => {
    expect(parseDollars("")).toBeNull();
    expect(parseDollars("$2.50")).toBe(2_500_000);
    expect(parseDollars("2,5")).toBe(2_500_000);
    expect(parseDollars("two")).toBeUndefined();
    expect(parseDollars("0")).toBeUndefined();
    expect(parseTokens("")).toBeNull();
    expect(parseTokens("200k")).toBe(200_000);
    expect(parseTokens("100,000")).toBe(100_000);
    expect(parseTokens("1.5M")).toBe(1_500_000);
    expect(parseTokens("-3")).toBeUndefined();
  });
});
