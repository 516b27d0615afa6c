/**
 * Small projects for real test runners, and what their reports prove. `npm run -s test:real -- --runners` runs them with the
 * tools of the machine; `--record` keeps what they printed in `runner-reports.json`, which `npm test` reads.
 */

export interface RunnerCase {
  readonly runner: string;
  /** What is the matter with the project. */
  readonly when: string;
  /** Exits 0 where the runner is there. */
  readonly probe: string;
  /** What npm or pip installs for it, once for all cases. */
  readonly packages?: { readonly from: "npm" | "pip"; readonly names: readonly string[] };
  readonly files: Readonly<Record<string, string>>;
  readonly command: string;
  readonly outcome: "passed" | "failed" | "could-not-run";
  /** Names of what failed; null: none can be read. */
  readonly failures?: readonly string[] | null;
  readonly why?: string;
}

type Cases = readonly (readonly [
  when: string,
  command: string,
  proves: Pick<RunnerCase, "outcome" | "failures" | "why">,
  files: Readonly<Record<string, string>>,
])[];

const of = (
  runner: string,
  probe: string,
  base: Readonly<Record<string, string>>,
  cases: Cases,
  packages?: RunnerCase["packages"],
): readonly RunnerCase[] =>
  cases.map(([when, command, proves, files]) => ({
    ...{ runner, probe, when, command, files: { ...base, ...files } },
    ...(packages === undefined ? {} : { packages }),
    ...proves,
  }));

const passed = { outcome: "passed", failures: null } as const;
const failed = (...failures: readonly string[]) => ({ outcome: "failed", failures }) as const;
const notRun = (why: string, failures: readonly string[] | null = null) =>
  ({ outcome: "could-not-run", why, failures }) as const;

const python = {
  "test_a.py": "def test_ok(): assert True\n\n\ndef test_old(): assert 1 == 2\n",
};
const brokenPython = { "test_broken.py": "import nothing_there\n\n\ndef test_b(): pass\n" };
const pytest = of(
  "pytest",
  "python3 -m venv --help",
  python,
  [
    ["one test fails", "python3 -m pytest -q", failed("test_a.py::test_old"), {}],
    ["all pass", "python3 -m pytest -q -k ok", passed, {}],
    [
      "a file cannot be loaded",
      "python3 -m pytest -q",
      notRun("pytest was interrupted: 1 error during collection", ["test_broken.py"]),
      brokenPython,
    ],
    [
      "a file cannot be loaded and it goes on",
      "python3 -m pytest -q --continue-on-collection-errors",
      notRun("test_broken.py could not be loaded", ["test_a.py::test_old", "test_broken.py"]),
      brokenPython,
    ],
    [
      "it stops at the first",
      "python3 -m pytest -q -x",
      notRun("pytest was interrupted: stopping after 1 failures", ["test_a.py::test_old"]),
      {},
    ],
    ["no test is chosen", "python3 -m pytest -q -k nothing", notRun("no test ran"), {}],
    ["there is no test", "python3 -m pytest -q", notRun("no test ran"), { "test_a.py": "" }],
    [
      "every test is skipped",
      "python3 -m pytest -q",
      notRun("no test ran"),
      { "test_a.py": "import pytest\n\n\n@pytest.mark.skip\ndef test_a(): pass\n" },
    ],
    [
      "conftest.py is broken",
      "python3 -m pytest -q",
      notRun("conftest could not be loaded"),
      { "conftest.py": "import nothing_there\n" },
    ],
    [
      "an option is unknown",
      "python3 -m pytest --nothing",
      notRun("its command is wrong: unrecognized arguments: --nothing"),
      {},
    ],
    [
      "Python crashes",
      "python3 -m pytest -q",
      notRun("Fatal Python error: Segmentation fault"),
      { "test_b.py": "import os, signal\n\n\ndef test_b(): os.kill(os.getpid(), signal.SIGSEGV)\n" },
    ],
  ],
  { from: "pip", names: ["pytest==9.2.0"] },
);

const unittest = of(
  "unittest",
  "python3 --version",
  {
    "test_a.py":
      "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_ok(self): pass\n\n    def test_old(self): self.assertEqual(1, 2)\n",
  },
  [
    ["one test fails", "python3 -m unittest", failed("test_old (test_a.A.test_old)"), {}],
    [
      "a file cannot be loaded",
      "python3 -m unittest",
      notRun("test_broken could not be loaded", [
        "test_broken (unittest.loader._FailedTest.test_broken)",
        "test_old (test_a.A.test_old)",
      ]),
      brokenPython,
    ],
    ["there is no test", "python3 -m unittest", notRun("no test ran"), { "test_a.py": "" }],
  ],
);

const nodeFiles = {
  "test/a.test.mjs":
    'import assert from "node:assert";\nimport { test } from "node:test";\ntest("ok", () => {});\ntest("old", () => assert.equal(1, 2));\n',
};
const brokenNode = { "test/broken.test.mjs": 'import "./nothing.mjs";\n' };
const node = ["tap", "spec"].flatMap((reporter) => {
  const command = `node --test --test-reporter=${reporter}`;
  const name = reporter === "tap" ? "old" : "test/a.test.mjs > old";
  const broken = reporter === "tap" ? "test/broken.test.mjs" : "test/broken.test.mjs > test/broken.test.mjs";
  return of(`node --test (${reporter})`, "node --version", nodeFiles, [
    ["one test fails", command, failed(name), {}],
    [
      "a file cannot be loaded",
      command,
      notRun("test/broken.test.mjs could not be loaded", [name, broken]),
      brokenNode,
    ],
    ["there is no test", command, notRun("no test ran"), { "test/a.test.mjs": "", "other.mjs": "" }],
  ]);
});

const javascript = { from: "npm", names: ["jest@30.5.2", "mocha@12.0.3", "vitest@4.1.12"] } as const;
const jest = of(
  "jest",
  "npm --version",
  {
    "package.json": '{ "name": "x", "jest": {} }\n',
    "a.test.js": 'test("ok", () => {});\ntest("old", () => expect(1).toBe(2));\n',
  },
  [
    ["one test fails", "jest", failed("./a.test.js › old"), {}],
    [
      "a file cannot be loaded",
      "jest",
      notRun("1 test file could not be loaded", [
        "./broken.test.js › Test suite failed to run",
        "./a.test.js › old",
      ]),
      { "broken.test.js": 'require("./nothing");\n' },
    ],
    [
      "it stops at the first",
      "jest --runInBand",
      notRun("1 of 2 test files did not run", ["./a.test.js › old"]),
      {
        "package.json": '{ "name": "x", "jest": { "bail": 1 } }\n',
        "b.test.js": 'test("b", () => {});\n',
      },
    ],
    [
      "there is no test",
      "jest",
      notRun("no test ran"),
      { "a.test.js": "", "package.json": '{ "name": "x", "jest": { "testMatch": ["**/none.js"] } }\n' },
    ],
    ["every test is skipped", "jest", notRun("no test ran"), { "a.test.js": 'test.skip("ok", () => {});\n' }],
  ],
  javascript,
);

const vitest = of(
  "Vitest",
  "npm --version",
  {
    "package.json": '{ "name": "x", "type": "module" }\n',
    "a.test.js":
      'import { expect, test } from "vitest";\ntest("ok", () => {});\ntest("old", () => expect(1).toBe(2));\n',
  },
  [
    ["one test fails", "vitest run", failed("a.test.js > old"), {}],
    [
      "a file cannot be loaded",
      "vitest run",
      notRun("broken.test.js could not be loaded", ["broken.test.js [ broken.test.js ]", "a.test.js > old"]),
      { "broken.test.js": 'import "./nothing.js";\n' },
    ],
    [
      "it stops at the first",
      "vitest run --bail 1",
      notRun("--bail 1 ends it at the first failure", ["a.test.js > old"]),
      {},
    ],
    ["there is no test", "vitest run none --passWithNoTests", notRun("no test ran"), {}],
  ],
  javascript,
);

const mocha = of(
  "Mocha",
  "npm --version",
  {
    "test/a.js": 'it("ok", () => {});\nit("old", () => { throw new Error("x"); });\n',
  },
  [
    ["one test fails", "mocha", failed("old"), {}],
    [
      "a file cannot be loaded",
      "mocha",
      notRun("Mocha loaded no test: Error: Cannot find module './nothing'"),
      { "test/b.js": 'require("./nothing");\n' },
    ],
    [
      "a hook fails",
      "mocha",
      notRun('the "before all" hook failed, so its tests did not run', [
        "old",
        'hooks > "before all" hook for "never"',
      ]),
      {
        "test/0.js":
          'describe("hooks", () => {\n  before(() => { throw new Error("y"); });\n  it("never", () => {});\n});\n',
      },
    ],
    ["there is no test", "mocha", notRun("no test file was found"), { "test/a.js": "" }],
  ],
  javascript,
);

const crate = '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n';
const rust = {
  "Cargo.toml": crate,
  "src/lib.rs":
    "pub fn f() -> i32 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn ok() {}\n    #[test]\n    fn old() {\n        assert_eq!(super::f(), 2);\n    }\n}\n",
  "tests/other.rs": "#[test]\nfn other() {\n    assert_eq!(x::f(), 1);\n}\n",
};
const cargo = of("cargo test", "cargo --version", rust, [
  ["one test fails", "cargo test --quiet --no-fail-fast", failed("tests::old"), {}],
  [
    "it stops at the first test program",
    "cargo test --quiet",
    notRun("cargo stopped after the first test program that failed", ["tests::old"]),
    {},
  ],
  [
    "a test does not compile",
    "cargo test --quiet --no-fail-fast",
    notRun('`x` (test "other") does not compile', [
      "tests/other.rs: error[E0425]: cannot find function `nothing` in this scope",
    ]),
    { "tests/other.rs": "#[test]\nfn other() {\n    nothing();\n}\n" },
  ],
  [
    "only a test does not compile, which nothing needs",
    "cargo check --quiet --all-targets --keep-going",
    failed("tests/other.rs: error[E0425]: cannot find function `nothing` in this scope"),
    { "tests/other.rs": "#[test]\nfn other() {\n    nothing();\n}\n" },
  ],
  [
    "a test does not compile, and tests would have followed",
    "cargo check --quiet --all-targets --keep-going && cargo test --quiet",
    notRun('`x` (test "other") does not compile', [
      "tests/other.rs: error[E0425]: cannot find function `nothing` in this scope",
    ]),
    { "tests/other.rs": "#[test]\nfn other() {\n    nothing();\n}\n" },
  ],
  [
    "what others need does not compile",
    "cargo check --quiet --all-targets --keep-going",
    notRun("`x` (lib) does not compile", [
      "src/lib.rs: error[E0425]: cannot find function `nothing` in this scope",
    ]),
    { "src/lib.rs": "pub fn f() -> i32 {\n    nothing()\n}\n" },
  ],
  [
    "a test aborts",
    "cargo test --quiet --no-fail-fast",
    notRun("a test program was ended (signal: 6, SIGABRT: process abort signal)"),
    { "tests/other.rs": "#[test]\nfn other() {\n    std::process::abort();\n}\n" },
  ],
  [
    "there is no test",
    "cargo test --quiet",
    notRun("no test ran"),
    { "src/lib.rs": "pub fn f() {}\n", "tests/other.rs": "" },
  ],
]);

const go = of(
  "go test",
  "go version",
  {
    "go.mod": "module example.com/x\n\ngo 1.19\n",
    "a/a_test.go":
      'package a\n\nimport "testing"\n\nfunc TestOk(t *testing.T)  {}\nfunc TestOld(t *testing.T) { t.Error("no") }\n',
    "c/c.go": "package c\n",
  },
  [
    ["one test fails", "go test ./...", failed("example.com/x/a TestOld"), {}],
    [
      "a test cannot be built",
      "go test ./...",
      notRun("example.com/x/b could not be built", [
        "example.com/x/a TestOld",
        "example.com/x/b [build failed]",
      ]),
      { "b/b_test.go": 'package b\n\nimport "testing"\n\nfunc TestB(t *testing.T) { nothing() }\n' },
    ],
    [
      "a test cannot be built, as JSON",
      "go test -json ./...",
      notRun("example.com/x/b could not be built", [
        "example.com/x/b [build failed]",
        "example.com/x/a TestOld",
        "example.com/x/a (package)",
      ]),
      { "b/b_test.go": 'package b\n\nimport "testing"\n\nfunc TestB(t *testing.T) { nothing() }\n' },
    ],
    [
      "a package without tests cannot be built",
      "go test ./...",
      notRun("example.com/x/e could not be built", ["example.com/x/a TestOld"]),
      { "e/e.go": "package e\n\nfunc F() { nothing() }\n" },
    ],
    [
      "a module is not there",
      "go test ./...",
      notRun("it stopped before any test ran", [
        "d/d.go: cannot find module providing package example.com/none: module lookup disabled by GOPROXY=off",
      ]),
      { "d/d.go": 'package d\n\nimport _ "example.com/none"\n' },
    ],
    [
      "a test panics",
      "go test ./...",
      notRun("a panic ended the tests of a package early", ["example.com/x/a TestOk"]),
      {
        "a/a_test.go":
          'package a\n\nimport "testing"\n\nfunc TestOk(t *testing.T)  { panic("x") }\nfunc TestOld(t *testing.T) { t.Error("no") }\n',
      },
    ],
    ["there is no test", "go test ./c/...", notRun("no test ran"), {}],
  ],
);

const ctest = of(
  "ctest",
  "ctest --version && cmake --version",
  {
    "CMakeLists.txt":
      "cmake_minimum_required(VERSION 3.10)\nproject(x C)\nenable_testing()\nadd_executable(ok ok.c)\nadd_test(NAME ok COMMAND ok)\nadd_executable(old old.c)\nadd_test(NAME old COMMAND old)\n",
    "ok.c": "int main(void) { return 0; }\n",
    "old.c": "int main(void) { return 1; }\n",
  },
  [
    [
      "one test fails",
      "cmake -S . -B build && cmake --build build && ctest --test-dir build",
      failed("old"),
      {},
    ],
    [
      "it is not built",
      "cmake -S . -B build && ctest --test-dir build",
      notRun("ok and 1 more did not run", ["ok", "old"]),
      {},
    ],
    [
      "it does not compile",
      "cmake -S . -B build && cmake --build build && ctest --test-dir build",
      notRun("it stopped before any test ran", ["old.c: ‘nothing’ undeclared (first use in this function)"]),
      { "old.c": "int main(void) { nothing; }\n" },
    ],
    ["there is no test", "ctest --test-dir .", notRun("no test ran"), {}],
  ],
);

const pom = (more: string): string =>
  `<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><version>1</version>${more}</project>\n`;
const javaTest = (body: string): string =>
  `import org.junit.Assert;\nimport org.junit.Test;\n\npublic class ATest {\n    @Test\n    public void ok() {}\n\n    @Test\n    public void old() { ${body} }\n}\n`;
const java = pom(
  "<artifactId>a</artifactId><properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target></properties><dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies>",
);
const parent = {
  "pom.xml": pom(
    "<artifactId>p</artifactId><packaging>pom</packaging><modules><module>a</module><module>b</module></modules>",
  ),
  "a/pom.xml": java,
  "a/src/test/java/ATest.java": javaTest("Assert.assertEquals(1, 2);"),
  "b/pom.xml": java.replace("<artifactId>a<", "<artifactId>b<"),
  "b/src/test/java/ATest.java": javaTest(""),
};
const debianMaven = "mvn -B -o -Dmaven.repo.local=/usr/share/maven-repo";
const maven = of(
  "Maven",
  "mvn --version && test -d /usr/share/maven-repo/org/apache/maven/surefire/surefire-junit4",
  { "pom.xml": java, "src/test/java/ATest.java": javaTest("Assert.assertEquals(1, 2);") },
  [
    ["one test fails", `${debianMaven} test`, failed("old(ATest)"), {}],
    [
      "it does not compile",
      `${debianMaven} test`,
      notRun("it does not compile", null),
      { "src/test/java/ATest.java": javaTest("nothing();") },
    ],
    [
      "it stops at the first module",
      `${debianMaven} test`,
      notRun("Maven did not reach b and 1 more", ["old(ATest)"]),
      { ...parent, "src/test/java/ATest.java": "" },
    ],
    [
      "it goes on after the first module",
      `${debianMaven} --fail-at-end test`,
      failed("old(ATest)"),
      { ...parent, "src/test/java/ATest.java": "" },
    ],
    [
      "there is no test",
      `${debianMaven} test`,
      notRun("no test ran"),
      { "src/test/java/ATest.java": "", "src/test/java/B.java": "class B {}\n" },
    ],
  ],
);

const phpunit = of(
  "PHPUnit",
  "phpunit --version",
  {
    "tests/ATest.php":
      "<?php\n\nclass ATest extends PHPUnit\\Framework\\TestCase\n{\n    public function testOk() { $this->assertTrue(true); }\n    public function testOld() { $this->assertTrue(false); }\n}\n",
  },
  [
    ["one test fails", "phpunit tests", failed("ATest::testOld"), {}],
    [
      "a file cannot be loaded",
      "phpunit tests",
      notRun(
        "PHP ended early: Fatal error: Uncaught Error: Failed opening required 'none.php' (include_path='.:/usr/share/php') in tests/BTest.php:3",
      ),
      { "tests/BTest.php": "<?php\n\nrequire 'none.php';\n" },
    ],
    [
      "it stops at the first",
      "phpunit --stop-on-failure tests",
      notRun("--stop-on-failure ends it at the first failure", ["ATest::testOld"]),
      {},
    ],
    ["there is no test", "phpunit tests", notRun("no test ran"), { "tests/ATest.php": "<?php\n" }],
    [
      "every test is skipped",
      "phpunit tests",
      notRun("no test ran"),
      {
        "tests/ATest.php":
          "<?php\n\nclass ATest extends PHPUnit\\Framework\\TestCase\n{\n    public function testOk() { $this->markTestSkipped(); }\n}\n",
      },
    ],
  ],
);

const rake = of(
  "rake",
  "rake --version && ruby -rminitest -e 1",
  {
    Rakefile: 'require "rake/testtask"\nRake::TestTask.new { |t| t.pattern = "test/*_test.rb" }\n',
    "test/a_test.rb":
      'require "minitest/autorun"\nclass ATest < Minitest::Test\n  def test_ok; end\n  def test_old; assert false; end\nend\n',
  },
  [
    ["one test fails", "rake test", failed("ATest#test_old"), {}],
    [
      "a file cannot be loaded",
      "rake test",
      notRun("rake stopped before any test ran"),
      { "test/b_test.rb": 'require "nothing/there"\n' },
    ],
    [
      "there is no test",
      "rake test",
      notRun("no test ran"),
      {
        "test/a_test.rb": "",
        Rakefile: 'require "rake/testtask"\nRake::TestTask.new { |t| t.pattern = "none/*_test.rb" }\n',
      },
    ],
    [
      "every test is skipped",
      "rake test",
      notRun("no test ran"),
      {
        "test/a_test.rb":
          'require "minitest/autorun"\nclass ATest < Minitest::Test\n  def test_ok; skip; end\nend\n',
      },
    ],
  ],
);

const elixir = (body: string): string =>
  `defmodule XTest do\n  use ExUnit.Case\n  test "ok" do\n    assert true\n  end\n\n  test "old" do\n    ${body}\n  end\nend\n`;
const mix = of(
  "mix test",
  "mix --version",
  {
    "mix.exs":
      'defmodule X.MixProject do\n  use Mix.Project\n  def project, do: [app: :x, version: "0.1.0", elixir: "~> 1.10", deps: []]\nend\n',
    "lib/x.ex": "defmodule X do\n  def f, do: 1\nend\n",
    "test/test_helper.exs": "ExUnit.start()\n",
    "test/x_test.exs": elixir("assert X.f() == 2"),
  },
  [
    ["one test fails", "mix test", failed("test old (XTest)"), {}],
    [
      "a test does not compile",
      "mix test",
      notRun("test/b_test.exs does not compile"),
      { "test/b_test.exs": 'defmodule BTest do\n  use ExUnit.Case\n  test "b", do: nothing()\nend\n' },
    ],
    [
      "it does not compile",
      "mix test",
      notRun("lib/x.ex does not compile"),
      { "lib/x.ex": "defmodule X do\n  def f, do: nothing()\nend\n" },
    ],
    [
      "it stops at the first",
      "mix test --max-failures 1",
      notRun("it stopped after the first failures", ["test old (XTest)"]),
      {},
    ],
    ["there is no test", "mix test", notRun("no test ran"), { "test/x_test.exs": "" }],
  ],
);

const make = of(
  "make",
  "make --version",
  { Makefile: "check:\n\t@echo 'tests/jqtest: nothing known'; false\n" },
  [
    ["its report is nobody's", "make check", { outcome: "failed", failures: null }, {}],
    ["there is no such target", "make test", notRun("No rule to make target 'test'"), {}],
  ],
);

/** All of them. */
export const runnerCases: readonly RunnerCase[] = [
  ...[...pytest, ...unittest, ...node, ...jest, ...vitest, ...mocha, ...cargo, ...go, ...ctest],
  ...[...maven, ...phpunit, ...rake, ...mix, ...make],
];
