import { describe, expect, test } from "vitest";
import { readReport } from "./failure-report.ts";

const read = (...lines: readonly string[]): readonly string[] | null =>
  readReport({ output: lines.join("\n"), workspace: "/w/agent-1", command: "check", exitCode: 1 }).failures;

describe("test runners", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      "pytest",
      [
        "FAILED tests/test_a.py::test_p[a b] - AssertionError: assert 'a b' == 'z'",
        "FAILED tests/test_a.py::test_p[c - d] - AssertionError: assert 'c - d' == 'z'",
        "FAILED tests/test_a.py::test_fail - assert [1] == [2]",
        "ERROR tests/test_a.py::test_err - ValueError: x",
        "SUBFAILED(i=1) u_test.py::T::test_s - AssertionError: 1 != 5",
        "===================== 4 failed, 1 passed, 1 error in 0.15s =====================",
      ],
      [
        "tests/test_a.py::test_p[a b]",
        "tests/test_a.py::test_p[c - d]",
        "tests/test_a.py::test_fail",
        "tests/test_a.py::test_err",
        "u_test.py::T::test_s SUBFAILED(i=1)",
      ],
    ],
    [
      "unittest",
      [
        "ERROR: test_e (u_test.T.test_e)",
        "FAIL: test_s (u_test.T.test_s) (i=0)",
        "Ran 3 tests in 0.002s",
        "",
        "FAILED (failures=1, errors=1, skipped=1)",
      ],
      ["test_e (u_test.T.test_e)", "test_s (u_test.T.test_s) (i=0)"],
    ],
    [
      "jest",
      [
        "FAIL ./a.test.js",
        "  ● Console",
        "  ● suite › old red",
        "    > 1 | describe()",
        "  ● alone",
        "FAIL ./b.test.js (5.2 s)",
        "  ● Test suite failed to run",
        "Test Suites: 2 failed, 2 total",
        "Tests:       2 failed, 1 passed, 3 total",
      ],
      ["./b.test.js › Test suite failed to run", "./a.test.js › suite › old red", "./a.test.js › alone"],
    ],
    [
      "vitest",
      [
        " FAIL  w.spec.js [ w.spec.js ]",
        " FAIL  v.spec.js > suite > old red",
        " Test Files  2 failed (2)",
        "      Tests  1 failed | 1 passed (2)",
      ],
      ["w.spec.js [ w.spec.js ]", "v.spec.js > suite > old red"],
    ],
    [
      "mocha",
      [
        "    inner",
        "      1) old red",
        "  1 passing (9ms)",
        "  2 failing",
        "",
        "  1) suite",
        "       inner",
        "         old red:",
        "     Error: x",
        "      at Context.<anonymous> (m.js:1:81)",
        "  2) hooks",
        '       "before all" hook for "never":',
        "     Error: y",
      ],
      ["suite > inner > old red", 'hooks > "before all" hook for "never"'],
    ],
    [
      "node --test",
      [
        "  ✖ child (35.31931ms)",
        "✖ parent (42.8ms)",
        "ℹ fail 2",
        "✖ failing tests:",
        "",
        "test at test/a.test.mjs:4:39",
        "✖ child (35.31931ms)",
        "  AssertionError",
      ],
      ["test/a.test.mjs > child"],
    ],
    [
      "TAP",
      ["    not ok 1 - old red", "not ok 2 later # TODO", "not ok 1 - suite", "# fail 1"],
      ["old red", "suite"],
    ],
    [
      // Its assertions have names of their own, the same in every test.
      "tape",
      [
        ...["# function", "ok 9 should be equal", "# function name", "not ok 10 should be equal"],
        ...["# took 12 ms", "not ok 11 should be equal", "# tests 34", "# pass  32", "# fail  2"],
      ],
      ["function name > should be equal", "should be equal"],
    ],
    [
      "bun",
      [
        "a.test.ts:",
        "(pass) good",
        "(fail) suite > bad [0.11ms]",
        " 1 pass",
        " 1 fail",
        "Ran 2 tests across 1 files. [8ms]",
      ],
      ["a.test.ts > suite > bad"],
    ],
    [
      "cargo test",
      [
        "running 2 tests",
        "failures:",
        "",
        "---- tests::old stdout ----",
        "thread panicked",
        "failures:",
        "    tests::old",
        "",
        "test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        "failures:",
        "    src/lib.rs - f (line 12)",
        "",
        "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s",
      ],
      ["tests::old", "src/lib.rs - f"],
    ],
    [
      "go test",
      [
        "--- FAIL: TestOld (0.00s)",
        "    --- FAIL: TestOld/case_1 (0.00s)",
        "    a_test.go:7: no",
        "FAIL",
        "FAIL\texample.com/x/a\t0.003s",
        "ok  \texample.com/x/b\t0.002s",
        "FAIL\texample.com/x/c [build failed]",
        "FAIL",
      ],
      ["example.com/x/a TestOld", "example.com/x/a TestOld/case_1", "example.com/x/c [build failed]"],
    ],
    [
      "go test -json",
      [
        '{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"x/a","Test":"TestOld","Elapsed":0}',
        '{"Time":"2026-01-01T00:00:00Z","Action":"fail","Package":"x/a","Elapsed":0}',
      ],
      ["x/a TestOld", "x/a (package)"],
    ],
    [
      "RSpec",
      [
        "10 examples, 2 failures, 1 pending",
        "",
        "rspec ./spec/a_spec.rb:12 # A is old",
        "rspec './spec/a_spec.rb[1:2]' # A too",
      ],
      ["./spec/a_spec.rb # A is old", "./spec/a_spec.rb # A too"],
    ],
    [
      "Minitest",
      [
        "  1) Failure:",
        "ATest#test_old [test/a_test.rb:5]:",
        "Expected false",
        "  2) Error:",
        "ATest#test_boom:",
        "5 runs, 6 assertions, 1 failures, 1 errors, 0 skips",
      ],
      ["ATest#test_old", "ATest#test_boom"],
    ],
    [
      "PHPUnit",
      [
        "1) App\\ATest::testOld with data set #1",
        "Failed asserting",
        "Tests: 5, Assertions: 6, Failures: 1, Skipped: 1.",
      ],
      ["App\\ATest::testOld with data set #1"],
    ],
    [
      "ExUnit",
      ["  1) test adds (App.ATest)", "     test/a_test.exs:5", "1 doctest, 5 tests, 1 failure"],
      ["test adds (App.ATest)"],
    ],
    [
      "dotnet test",
      [
        "  Failed App.Tests.A.Old [12 ms]",
        "Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5, Duration: 20 ms - App.dll",
        "Passed!  - Failed:     0, Passed:     4, Skipped:     0, Total:     4, Duration: 20 ms - B.dll",
      ],
      ["App.Tests.A.Old"],
    ],
    [
      "Maven",
      [
        "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.1 s <<< FAILURE! -- in x.ATest",
        "[ERROR] x.ATest.old -- Time elapsed: 0.01 s <<< FAILURE!",
        "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0",
      ],
      ["x.ATest.old"],
    ],
    [
      "Gradle",
      ["ATest > old() FAILED", "    java.lang.AssertionError", "5 tests completed, 1 failed"],
      ["ATest > old()"],
    ],
    [
      "ctest",
      [
        "50% tests passed, 1 tests failed out of 2",
        "",
        "The following tests FAILED:",
        "\t  1 - old (Failed)",
        "Errors while running CTest",
      ],
      ["old"],
    ],
    [
      "meson",
      [
        "1/2 app:old   FAIL            0.01s   exit status 1",
        "2/2 app:good OK 0.01s",
        "Ok:                 1",
        "Fail:               1",
      ],
      ["app:old"],
    ],
  ])("%s names what failed", (_name, lines, names) => {
    expect(read(...lines)).toEqual(names);
  });
});

describe("linters", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    [
      "tsc",
      ["src/t.ts(1,7): error TS2322: Type 'string' is not assignable.", "src/u.ts:3:1 - error TS1: No."],
      ["src/t.ts: TS2322: Type 'string' is not assignable.", "src/u.ts: TS1: No."],
    ],
    [
      "eslint, wherever the folder is",
      [
        "/w/agent-1/src/l.js",
        "  1:7  error    'x' is never used   no-unused-vars",
        "  2:7  warning  Less                 semi",
        "",
        "✖ 2 problems (1 error, 1 warning)",
      ],
      ["src/l.js: 'x' is never used no-unused-vars"],
    ],
    [
      "ruff, long",
      ["F401 [*] `os` imported but unused", " --> a.py:1:8", "  |", "Found 1 error."],
      ["a.py: F401 [*] `os` imported but unused"],
    ],
    ["ruff, short", ["a.py:1:8: F401 `os` unused", "Found 1 error."], ["a.py: F401 `os` unused"]],
    ["flake8", ["./a.py:1:1: F401 'os' unused"], ["./a.py: F401 'os' unused"]],
    [
      "mypy",
      ["m.py:1: error: Incompatible types  [assignment]", "Found 1 error in 1 file (checked 1 source file)"],
      ["m.py: Incompatible types  [assignment]"],
    ],
    ["gcc", ["a.c:3:5: error: expected ';'"], ["a.c: expected ';'"]],
    [
      "cargo",
      [
        "error[E0308]: mismatched types",
        " --> src/lib.rs:1:2",
        "error: could not compile `x` (lib) due to 1 previous error",
      ],
      ["src/lib.rs: error[E0308]: mismatched types"],
    ],
    ["go vet", ["# x", "./a.go:5:2: unreachable code"], ["./a.go: unreachable code"]],
  ])("%s lists its findings, without line numbers", (_name, lines, names) => {
    expect(read(...lines)).toEqual(names);
  });
});

describe("an untrusted report", () => {
  test.each([
    ["that names fewer than it counts", ["FAILED t.py::a - no", "2 failed in 0.1s"]],
    [
      "of tests that a signal ended",
      ["failures:\n    a\n\ntest result: FAILED. 0 passed; 1 failed; x", "(signal: 6)"],
    ],
    [
      "with an error that belongs to no test",
      [" FAIL  a > b", " Test Files  1 failed (1)", "  Tests  1 failed (1)", "  Errors  1 error"],
    ],
    ["that nobody knows", ["something broke"]],
    ["of tests that all passed, beside a failure of something else", ["5 passed in 0.1s"]],
  ])("%s", (_name, lines) => {
    expect(read(...lines)).toBeNull();
  });

  test("reading takes no time, however long its lines are", () => {
    const begun = performance.now();
    const long = ["a > ", "1) ", "not ok 1 - ", "FAIL ", "Tests: ", "Tests  ", "    a"].map((part) =>
      part.repeat(120_000 / part.length),
    );
    expect(
      read(...long, "1 failed in 0.1s", "  1 failing", "test result: ok. 0 passed; 1 failed;"),
    ).toBeNull();
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  test("the output of a failed test is no finding of a linter", () => {
    expect(read("a.c:3:5: error: expected", "FAILED t.py::a - no", "1 failed in 0.1s")).toEqual(["t.py::a"]);
  });
});
