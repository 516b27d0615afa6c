import fc from "fast-check";
import { expect, test } from "vitest";
import { againstBase, type BaseOutcome, isBlocking } from "./preflight.ts";

const failed = (...failures: readonly string[]): BaseOutcome => ({ outcome: "failed", failures });
const unread: BaseOutcome = { outcome: "failed", failures: null };
const notRun = (...failures: readonly string[]): BaseOutcome => ({
  outcome: "could-not-run",
  failures: failures.length === 0 ? null : failures,
  why: "1 error during collection",
});
const passed: BaseOutcome = { outcome: "passed", failures: null };

test("a check that failed on the base counts only when more fails", () => {
  expect(againstBase(failed("a"), failed("a", "b"))).toMatchObject({ outcome: "known-failure", known: 1 });
  expect(againstBase(failed("a", "c"), failed("a", "b"))).toEqual({
    outcome: "failed",
    fresh: ["c"],
    known: 1,
  });
  // The same finding a second time is one more.
  expect(againstBase(failed("a", "a"), failed("a"))).toMatchObject({ outcome: "failed", fresh: ["a"] });
});

test("without a readable report nothing is proved", () => {
  expect(againstBase(unread, unread).outcome).toBe("unproven");
  expect(againstBase(failed("a"), unread).outcome).toBe("unproven");
  expect(againstBase(notRun(), unread).outcome).toBe("could-not-run");
  // Before, one could tell what failed: whoever broke that has made it worse.
  expect(againstBase(unread, failed("a")).outcome).toBe("failed");
  expect(againstBase({ outcome: "timed-out", failures: null }, failed("a")).outcome).toBe("timed-out");
});

test("a base that could not run excuses no later failure", () => {
  // Nothing is worse, and nothing shows that.
  expect(againstBase(notRun("a.py"), notRun("a.py"))).toMatchObject({ outcome: "unproven", known: 1 });
  expect(againstBase(notRun(), notRun()).outcome).toBe("unproven");
  // One more file that cannot be loaded, or tests that run now and fail: yours to repair.
  expect(againstBase(notRun("a.py", "b.py"), notRun("a.py"))).toMatchObject({
    ...{ outcome: "could-not-run", fresh: ["b.py"] },
  });
  expect(againstBase(failed("a.py::x"), notRun("a.py"))).toMatchObject({
    ...{ outcome: "failed", fresh: ["a.py::x"] },
  });
  expect(againstBase(failed("a.py::x"), notRun()).outcome).toBe("failed");
  expect(againstBase(unread, notRun()).outcome).toBe("failed");
  expect(againstBase(failed("a.py"), notRun("a.py")).outcome).toBe("unproven");
  // What ran before has to run.
  expect(againstBase(notRun("a"), failed("a")).outcome).toBe("could-not-run");
  expect(againstBase(notRun(), notRun("a.py")).outcome).toBe("could-not-run");
});

test("a check that could not run on the base is not the agent's fault", () => {
  for (const outcome of ["missing", "timed-out"] as const) {
    const same = { outcome, failures: null };
    expect(againstBase(same, same).outcome).toBe("unproven");
    expect(againstBase(same, passed).outcome).toBe(outcome);
    expect(againstBase(same, undefined).outcome).toBe(outcome);
  }
});

test("a check that passed on the base, or did not run there, counts in full; a passing one never blocks", () => {
  const names = fc.option(fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1 }));
  const outcome = fc.record({
    outcome: fc.constantFrom<BaseOutcome["outcome"]>(
      ...(["failed", "passed", "missing", "timed-out", "could-not-run"] as const),
    ),
    failures: names,
  });
  fc.assert(
    fc.property(outcome, outcome, (now, base) => {
      expect(againstBase(now, passed).outcome).toBe(now.outcome);
      expect(againstBase(now, undefined).outcome).toBe(now.outcome);
      const compared = againstBase(now, base);
      if (now.outcome === "passed") expect(isBlocking(compared)).toBe(false);
      // What is exactly as before never keeps anybody from going on.
      expect(isBlocking(againstBase(base, base))).toBe(false);
      // Only what both name in whole is known.
      if (compared.outcome === "known-failure")
        expect([now.outcome, base.outcome, now.failures === null, base.failures === null]).toEqual([
          ...["failed", "failed", false, false],
        ]);
      if (compared.outcome === "unproven") expect(base.outcome).not.toBe("passed");
    }),
  );
});
