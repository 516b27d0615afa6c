import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseConfig } from "./config.ts";
import { resourcePath } from "./resources-folder.ts";
import { ChecksNotWritten, withChecks } from "./write-checks.ts";

const checks = { fast: ['say "x"'], slow: [{ command: "npm test", everyNIterations: 3 }] };
const written =
  'fast_checks = ["say \\"x\\""]\nslow_checks = [{ command = "npm test", every_n_iterations = 3 }]\n';

test("checks are written if the file has none, and all else stays byte for byte", () => {
  expect(withChecks("", checks)).toBe(`[backpressure]\n${written}`);
  expect(withChecks('[models]\ndefault = "m" # mine\n', checks)).toBe(
    `[models]\ndefault = "m" # mine\n\n[backpressure]\n${written}`,
  );
  const standard = readFileSync(resourcePath("config.default.toml"), "utf8");
  const text = withChecks(standard, checks);
  expect(text.replace(written, "")).toBe(standard);
  expect(parseConfig(text).config.backpressure).toMatchObject({
    fastChecks: checks.fast,
    slowChecks: checks.slow,
  });
});

test("existing checks are replaced", () => {
  const before = '[backpressure]\nfast_checks = ["old"] # why\ntimeout_seconds = 7\n[models]\n';
  expect(withChecks(before, checks)).toBe(`[backpressure]\n${written}timeout_seconds = 7\n[models]\n`);
});

test.each([
  ["a list of several lines", '[backpressure]\nfast_checks = [\n  "old",\n]\n'],
  ["a dotted key", 'backpressure.fast_checks = ["old"]\n'],
  ["a file with a mistake", "[backpressure]\nfast = 3\n"],
])("%s is left to the user, with instructions", (_name, source) => {
  const failing = () => withChecks(source, checks);
  expect(failing).toThrow(ChecksNotWritten);
  try {
    failing();
  } catch (error) {
    expect((error as ChecksNotWritten).remedy).toContain('say \\"x\\"');
  }
});
