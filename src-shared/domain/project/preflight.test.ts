import { describe, expect, test } from "vitest";
import { tomlData } from "../text/toml.ts";
import {
  type LookedCheck,
  newlyPassed,
  notLooked,
  type Preflight,
  type PreflightEvent,
  reducePreflight,
} from "./preflight.ts";
import { checksAsToml, lookLines, preflightTroubles, proposedChecks } from "./preflight-checks.ts";

const looked = (name: string, over: Partial<LookedCheck> = {}): LookedCheck => ({
  name,
  command: `run ${name}`,
  speed: "fast",
  everyNIterations: 2,
  reason: "package.json",
  outcome: "passed",
  failures: null,
  ms: 1_000,
  output: "",
  remedy: null,
  ...over,
});
const look = (checks: readonly LookedCheck[], over: Partial<Preflight> = {}): Preflight => ({
  commitId: "abcdef0123456789",
  at: 0,
  facts: { languages: [], packageManagers: [], workspaces: [], toolchains: [] },
  installed: [],
  isConfigured: { fast: false, slow: false },
  checks,
  setUpMs: 0,
  setUpFailures: [],
  timeoutSeconds: 300,
  ...over,
});
const lint = looked("lint");
const missing = looked("ruff", { outcome: "missing", remedy: "Install it." });

describe("the user is asked", () => {
  test.each<[string, Preflight, readonly string[]]>([
    ["not, where all is green", look([lint]), []],
    ["when nothing is found", look([]), ["empty"]],
    ["when nothing that is found can run", look([missing]), ["empty"]],
    ["not about a program that is missing, where others check", look([lint, missing]), []],
    [
      "about one that is missing and that the settings name",
      look([missing], { isConfigured: { fast: true, slow: true } }),
      ["red"],
    ],
    ["not where the settings switch checks off", look([], { isConfigured: { fast: true, slow: true } }), []],
    ["when one is red", look([lint, looked("test", { outcome: "failed" })]), ["red"]],
    ["when a fast one takes half a minute", look([looked("lint", { ms: 30_001 })]), ["slow"]],
    ["not, when a slow one does", look([looked("test", { speed: "slow", ms: 30_001 })]), []],
    [
      "when one needs more than half of its time",
      look([looked("test", { speed: "slow", ms: 150_001 })]),
      ["slow"],
    ],
    ["when one ran out of it", look([looked("test", { speed: "slow", outcome: "timed-out" })]), ["slow"]],
  ])("%s", (_name, found, troubles) => {
    expect(preflightTroubles(found)).toEqual(troubles);
  });

  test("not about what they left out", () => {
    const red = looked("test", { outcome: "failed" });
    expect(preflightTroubles(look([lint, red]), [red.command])).toEqual([]);
    expect(preflightTroubles(look([red]), [red.command])).toEqual(["empty"]);
  });
});

test("proposed checks can run, are TOML, and do not slow every iteration down", () => {
  const checks = proposedChecks(
    look([lint, missing, looked("types", { ms: 31_000 }), looked('say "x"', { speed: "slow" })]),
  );
  expect(tomlData(`[backpressure]\n${checksAsToml(checks).join("\n")}\n`)).toEqual({
    backpressure: {
      fast_checks: ["run lint"],
      slow_checks: [
        { command: "run types", every_n_iterations: 3 },
        { command: 'run say "x"', every_n_iterations: 2 },
      ],
    },
  });
});

test("a preflight is settled by a decision, and repeated when checks are set", () => {
  const found = look([looked("test", { outcome: "failed", failures: ["a", "b"] })]);
  const reduce = (...events: readonly PreflightEvent[]) => events.reduce(reducePreflight, notLooked);
  const seen: PreflightEvent = { kind: "Looked", look: found, isKept: false };
  const goOn: PreflightEvent = { kind: "Decided", decision: { kind: "go-on" }, by: "user" };
  expect(reduce(seen)).toMatchObject({ look: found, isSettled: false, looks: 1 });
  expect(reduce(seen, goOn, goOn)).toEqual(reduce(seen, goOn));
  const leaveOut: PreflightEvent = {
    kind: "Decided",
    decision: { kind: "leave-out", commands: ["run test"] },
    by: "user",
  };
  expect(reduce(seen, leaveOut)).toMatchObject({ leftOut: ["run test"], isSettled: true });
  const unread = look([looked("lint", { outcome: "failed" }), lint]);
  const passing = reduce({ kind: "Looked", look: unread, isKept: false });
  expect(newlyPassed(passing, ["run lint", "other"], "result")).toEqual(["run lint"]);
  const passed: PreflightEvent = { kind: "Passed", commands: ["run lint"], reach: "result" };
  expect(newlyPassed(reducePreflight(passing, passed), ["run lint"], "result")).toEqual([]);
  expect(newlyPassed(reducePreflight(passing, passed), ["run lint"], "everyone")).toEqual(["run lint"]);
  // What is red by name stays known by name: a test that is red now and then must not become everybody's.
  expect(newlyPassed(reduce(seen), ["run test"], "result")).toEqual([]);
  const given = { fast: ["true"], slow: [] };
  const use: PreflightEvent = {
    kind: "Decided",
    decision: { kind: "use-checks", checks: given },
    by: "user",
  };
  expect(reduce(seen, use)).toMatchObject({ look: null, given, isSettled: false });
  expect(reduce(seen, use, seen)).toMatchObject({ looks: 2 });
  expect(lookLines(reduce(seen))).toEqual(["test  run test: failed, 1.0 s, 2 failed: a, b"]);
  expect(lookLines(reduce(seen, leaveOut))).toEqual([
    "test  run test: left out, 1.0 s, 2 failed: a, b",
    "No checks run. The agents’ work lands unchecked.",
  ]);
});
