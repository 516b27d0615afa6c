import { describe, expect, it } from "vitest";
import { luminance, readable } from "./diff-view.tsx";

const rgb = (hex: string) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as never;
const contrast = (one: string, other: string): number => {
  const [a = 0, b = 0] = [luminance(rgb(one)), luminance(rgb(other))].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
};

describe("colours of code", () => {
  it("can be read on a word that was added or taken away, in both themes", () => {
    for (const colour of ["#737373", "#D5901C", "#18a46c", "#ffffff", "#0a0a0a"]) {
      for (const background of ["#c5ddcc", "#f0cbcc"])
        expect(contrast(readable(colour, "light"), background)).toBeGreaterThan(4.5);
      for (const background of ["#264d38", "#5d3132"])
        expect(contrast(readable(colour, "dark"), background)).toBeGreaterThan(4.5);
    }
  });

  it("stay as they are where they can be read already, or are none", () => {
    expect(readable("#0a0a0a", "light")).toBe("#0a0a0a");
    expect(readable("#ffffff", "dark")).toBe("#ffffff");
    expect(readable("inherit", "dark")).toBe("inherit");
  });
});
