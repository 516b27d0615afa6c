import { expect, test } from "vitest";
import { withDependencyRule } from "./write-dependency-rule.ts";

const rule = "javascript:left-pad@^1.3.0";

test.each([
  ["", `[dependencies]\nallow = ["${rule}"]\n`],
  ["[fold]\nmax_rounds = 2\n", `[fold]\nmax_rounds = 2\n\n[dependencies]\nallow = ["${rule}"]\n`],
  [
    "[dependencies]\n# mine\ndeny = []\n[fold]\n",
    `[dependencies]\nallow = ["${rule}"]\n# mine\ndeny = []\n[fold]\n`,
  ],
  [
    '[dependencies]\nallow = ["react"] # ours\ndeny = []\n',
    `[dependencies]\nallow = ["react", "${rule}"] # ours\ndeny = []\n`,
  ],
  [
    '[dependencies]\nallow = [\n  "react", # ours\n  "vue"\n]\n',
    `[dependencies]\nallow = [\n  "react", # ours\n  "vue",\n  "${rule}",\n]\n`,
  ],
  [`[dependencies]\nallow = ["${rule}"]\n`, `[dependencies]\nallow = ["${rule}"]\n`],
])("adds a rule and changes nothing else: %j", (before, after) => {
  expect(withDependencyRule(before, rule)).toBe(after);
});

test("an ambiguous file is left alone, with instructions", () => {
  expect(() => withDependencyRule("[dependencies]\nallow = 3\n", rule)).toThrow("it has errors");
  expect(() => withDependencyRule('dependencies = { allow = ["react"] }\n', rule)).toThrow(
    expect.objectContaining({ remedy: expect.stringContaining(`"${rule}"`) }),
  );
});
