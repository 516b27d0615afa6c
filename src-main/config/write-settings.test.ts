import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseConfig } from "./config.ts";
import { resourcePath } from "./resources-folder.ts";
import { withArchangelSwitch, withChecks, withDependencyRule } from "./write-settings.ts";

describe("withChecks", () => {
  const checks = { fast: ['say "x"'], slow: [{ command: "npm test", everyNIterations: 3 }] };
  const fast = 'fast_checks = ["say \\"x\\""]';
  const slow = 'slow_checks = [{ command = "npm test", every_n_iterations = 3 }]\n';

  it("adds checks where the file names none, and keeps everything else", () => {
    expect(withChecks("", checks)).toBe(`[backpressure]\n${fast}\n${slow}`);
    expect(withChecks('[models]\ndefault = "m" # mine\n', checks)).toBe(
      `[models]\ndefault = "m" # mine\n\n[backpressure]\n${fast}\n${slow}`,
    );
    const standard = readFileSync(resourcePath("config.default.toml"), "utf8");
    const text = withChecks(standard, checks);
    expect(text.replace(`${fast}\n${slow}`, "")).toBe(standard);
    expect(parseConfig(text).config.backpressure).toMatchObject({
      fastChecks: checks.fast,
      slowChecks: checks.slow,
    });
  });

  it.each([
    [
      '[backpressure]\nfast_checks = ["old"] # why\n\n[models]\n',
      `[backpressure]\n${fast} # why\n${slow}\n[models]\n`,
    ],
    ['[backpressure]\nfast_checks = [\n  "old",\n]\n', `[backpressure]\n${fast}\n${slow}`],
  ])("replaces the checks of %j", (before, after) => {
    expect(withChecks(before, checks)).toBe(after);
  });

  it.each([
    ["backpressure = { fast_checks = [] }\n", "form that Hox can't edit"],
    ["[backpressure]\nfast = 3\n", "errors"],
  ])("leaves %j alone and says what to write", (source, why) => {
    expect(() => withChecks(source, checks)).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(why),
        remedy: expect.stringContaining('say \\"x\\"'),
      }),
    );
  });
});

describe("withDependencyRule", () => {
  const rule = "javascript:left-pad@^1.3.0";

  it.each([
    ["", `[dependencies]\nallow = ["${rule}"]\n`],
    [
      "[dependencies]\n# mine\ndeny = []\n\n[merge_requests]\n",
      `[dependencies]\n# mine\ndeny = []\nallow = ["${rule}"]\n\n[merge_requests]\n`,
    ],
    [
      '[dependencies]\nallow = ["react"] # ours\ndeny = []\n',
      `[dependencies]\nallow = ["react", "${rule}"] # ours\ndeny = []\n`,
    ],
    [
      '[dependencies]\nallow = [\n  "react", # ours\n  "vue"\n]\n',
      `[dependencies]\nallow = [\n  "react", # ours\n  "vue",\n  "${rule}",\n]\n`,
    ],
    ['dependencies = { allow = ["react"] }\n', `dependencies = { allow = ["react", "${rule}"] }\n`],
    [`[dependencies]\nallow = ["${rule}"]\n`, `[dependencies]\nallow = ["${rule}"]\n`],
  ])("adds a rule to %j and changes nothing else", (before, after) => {
    expect(withDependencyRule(before, rule)).toBe(after);
  });

  it("leaves a file with errors alone and says what to write", () => {
    expect(() => withDependencyRule("[dependencies]\nallow = 3\n", rule)).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining(`"${rule}"`) }),
    );
  });
});

describe("withArchangelSwitch", () => {
  it("changes one line and keeps everything else", () => {
    const source =
      '# mine\n[[archangel]]\nname = "tests" # slow\nenabled = true # for now\n\n[budget]\nmax_usd = 3\n';
    const off = withArchangelSwitch(source, "tests", false);
    expect(off).toBe(source.replace("enabled = true", "enabled = false"));
    expect(withArchangelSwitch(off, "tests", true)).toBe(source);
    expect(withArchangelSwitch(source, "tests", true)).toBe(source);
    expect(withArchangelSwitch(source, "security", true)).toBe(
      `${source}\n[[archangel]]\nname = "security"\nenabled = true\n`,
    );
    expect(withArchangelSwitch('[[archangel]]\nname = "a"\npurpose = "b"\n', "a", false)).toBe(
      '[[archangel]]\nname = "a"\npurpose = "b"\nenabled = false\n',
    );
  });

  it("leaves a file with errors, or in another form, alone and says what to write", () => {
    expect(() => withArchangelSwitch("[budget]\nmax_usd = 'x'\n", "tests", true)).toThrow(/errors/u);
    expect(() => withArchangelSwitch('archangel = [{ name = "tests" }]\n', "tests", true)).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining("enabled = true") }),
    );
  });
});
