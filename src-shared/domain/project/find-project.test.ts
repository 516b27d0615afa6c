import { describe, expect, test } from "vitest";
import { commandsOf, namesOf, projectOf } from "./testing/project-of.ts";

const json = JSON.stringify;
const scripts = { lint: "eslint .", test: "vitest run", start: "node server.js" };

describe("project detection", () => {
  test.each<[string, Record<string, string>, string, string, Record<string, string>]>([
    [
      "npm",
      { "package.json": json({ scripts }), "package-lock.json": "{}" },
      "JavaScript",
      "npm",
      { lint: "npm run --silent lint", test: "npm run --silent test" },
    ],
    [
      "pnpm, by its lock file",
      { "package.json": json({ scripts }), "pnpm-lock.yaml": "" },
      "JavaScript",
      "pnpm",
      { lint: "pnpm run lint", test: "pnpm run test" },
    ],
    [
      "yarn, by what package.json names",
      { "package.json": json({ scripts: { test: "jest" }, packageManager: "yarn@4.1.0" }) },
      "JavaScript",
      "yarn",
      { test: "yarn run test" },
    ],
    [
      "bun and TypeScript",
      {
        "package.json": json({ scripts: { test: "bun test" }, devDependencies: { typescript: "5" } }),
        "bun.lock": "",
        "tsconfig.json": "{}",
      },
      "TypeScript",
      "bun",
      { test: "bun run test", tsc: "bun x --no-install tsc --noEmit" },
    ],
    [
      "Python with pip",
      { "pyproject.toml": "[tool.ruff]\n[tool.mypy]\n", "tests/conftest.py": "" },
      "Python",
      "pip",
      {
        ruff: "ruff check .",
        mypy: "mypy .",
        pytest: "python3 -m pytest -q --continue-on-collection-errors",
      },
    ],
    [
      "Python with uv",
      { "pyproject.toml": '[project]\nname = "x"\n[tool.pytest.ini_options]\naddopts = "-q"', "uv.lock": "" },
      "Python",
      "uv",
      { pytest: "python3 -m pytest --continue-on-collection-errors" },
    ],
    [
      "Python with poetry, and pytest named among its dependencies",
      { "pyproject.toml": '[tool.poetry.group.dev.dependencies]\npytest = "^8"' },
      "Python",
      "poetry",
      { pytest: "python3 -m pytest -q --continue-on-collection-errors" },
    ],
    [
      "Python with conda, and tests of the standard library",
      { "environment.yml": "name: lab\ndependencies:\n  - numpy\n", "tests/test_one.py": "" },
      "Python",
      "conda",
      { unittest: "python3 -m unittest discover -s tests" },
    ],
    [
      "Rust",
      { "Cargo.toml": "[package]\nname = 'x'" },
      "Rust",
      "cargo",
      {
        "cargo check": "cargo check --quiet --all-targets",
        clippy: "cargo clippy --quiet --all-targets",
        "cargo test": "cargo test --quiet --no-fail-fast",
      },
    ],
    [
      "Go",
      { "go.mod": "module example.com/x\n\ngo 1.22\n" },
      "Go",
      "go modules",
      { "go vet": "go vet ./...", "go test": "go test ./..." },
    ],
    [
      "Java with Maven",
      { "pom.xml": "<project/>", "core/pom.xml": "", "src/main/java/A.java": "" },
      "Java",
      "Maven",
      { "mvn test-compile": "mvn -B -q -o test-compile", "mvn test": "mvn -B -o --fail-at-end test" },
    ],
    [
      "Kotlin with Gradle",
      { "build.gradle.kts": "", gradlew: "", "src/main/kotlin/A.kt": "" },
      "Kotlin",
      "Gradle",
      {
        "gradle testClasses": "gradle --offline --no-daemon --console=plain -q testClasses",
        "gradle test": "gradle --offline --no-daemon --console=plain --continue test",
      },
    ],
    [
      "Ruby",
      { Gemfile: "ruby '3.2'\n", ".rspec": "", ".rubocop.yml": "" },
      "Ruby",
      "Bundler",
      { rubocop: "rubocop", rspec: "rspec" },
    ],
    [
      "a gem without Bundler",
      { "a.gemspec": "", Rakefile: "", "test/test_a.rb": "" },
      "Ruby",
      "RubyGems",
      { "rake test": "rake test" },
    ],
    [
      "C#",
      { "App.sln": "", "src/App/App.csproj": "", "global.json": json({ sdk: { version: "8.0.100" } }) },
      "C#",
      "NuGet",
      { "dotnet build": "dotnet build --nologo --verbosity quiet", "dotnet test": "dotnet test --nologo" },
    ],
    [
      "PHP",
      { "composer.json": json({ require: { php: "^8.2" } }), "phpunit.xml.dist": "", "phpstan.neon": "" },
      "PHP",
      "Composer",
      { phpstan: "php vendor/bin/phpstan analyse --no-progress", phpunit: "phpunit" },
    ],
    [
      "Elixir",
      { "mix.exs": "", "mix.lock": "" },
      "Elixir",
      "Mix",
      { "mix compile": "mix compile", "mix test": "mix test" },
    ],
  ])("%s", (_name, files, language, manager, checks) => {
    const facts = projectOf(files);
    expect(namesOf(facts.languages)).toContain(language);
    expect(namesOf(facts.packageManagers)).toEqual([manager]);
    expect(commandsOf(facts)).toEqual(checks);
    for (const { reason } of [...facts.languages, ...facts.packageManagers, ...facts.checks])
      expect(reason).not.toBe("");
  });

  test("C and C++ are built in a folder that is not committed", () => {
    const cmake = projectOf({ "CMakeLists.txt": "", "a.cpp": "", ".gitignore": "/build/\n" });
    expect(namesOf(cmake.languages)).toEqual(["C++"]);
    expect(commandsOf(cmake).ctest).toBe(
      "cmake -S . -B build && cmake --build build --parallel 2 && ctest --test-dir build --output-on-failure",
    );
    expect(commandsOf(projectOf({ "meson.build": "", "a.c": "" }))["meson test"]).toContain("/tmp/hox-build");
    expect(
      commandsOf(projectOf({ Makefile: "CC := cc\nall: a\ncheck test: all\n\t./run\n", "a.c": "" })),
    ).toEqual({
      "make test": "make test",
    });
  });

  test("autotools build in their folder if their products are ignored, else in a copy outside", () => {
    const ignored = "configure\nconfig.status\nMakefile\n*.o\n";
    const facts = projectOf({ "configure.ac": "", "Makefile.am": "", "a.c": "", ".gitignore": ignored });
    expect(facts.languages).toEqual([{ name: "C", reason: "configure.ac" }]);
    expect(commandsOf(facts)).toEqual({
      "make check":
        "{ test -f configure || autoreconf --install; } && { test -f config.status || ./configure; } && make -j2 check",
    });
    expect(facts.checks[0]?.ways[0]?.needs.map(({ name }) => name)).toEqual(["autoreconf", "make"]);
    const shipped = projectOf({ configure: "", "Makefile.in": "all:\ntest: all\n", "a.cc": "" });
    expect(namesOf(shipped.languages)).toEqual(["C++"]);
    expect(commandsOf(shipped)).toEqual({
      "make test":
        "cp -R . /tmp/hox-build && cd /tmp/hox-build && ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=: sh ./configure && make -j2 test",
    });
  });

  test("a Makefile is used only as a last resort", () => {
    const both = projectOf({ Makefile: "test:\n\tcargo test\n", "Cargo.toml": "" });
    expect(Object.keys(commandsOf(both))).not.toContain("make test");
  });

  test("several languages add up, and each has its source file", () => {
    const facts = projectOf({ "package.json": json({ scripts }), "Cargo.toml": "", "a.txt": "" });
    expect(facts.languages).toEqual([
      { name: "Rust", reason: "Cargo.toml" },
      { name: "JavaScript", reason: "package.json" },
    ]);
    expect(facts.checks.find(({ name }) => name === "lint")?.reason).toBe("package.json: scripts.lint");
  });
});

describe("unsupported projects", () => {
  test("no checks are found without any, and npm init's default is none", () => {
    expect(projectOf({ "README.md": "" }).checks).toEqual([]);
    const test = 'echo "Error: no test specified" && exit 1';
    expect(projectOf({ "package.json": json({ scripts: { test } }) }).checks).toEqual([]);
  });

  test("an unreadable package.json fails until it is fixed", () => {
    expect(projectOf({ "package.json": "{ scripts" }).checks).toMatchObject([{ name: "package.json" }]);
  });

  test("settings that cannot be parsed hide no language", () => {
    expect(namesOf(projectOf({ "pyproject.toml": "[tool.pytest", "tests/conftest.py": "" }).checks)).toEqual([
      "pytest",
    ]);
    expect(projectOf({ "package.json": json({ workspaces: 3, scripts: [] }) }).checks).toEqual([]);
  });
});

test("a solution of C++ only is ignored for the .NET SDK", () => {
  const solution = (project: string) =>
    `\ufeff\r\nProject("{8BC9CEB8}") = "x", "${project}", "{D1C528B6}"\r\n`;
  const files = { "CMakeLists.txt": "", "x.cpp": "", "vs/x.vcxproj": "", "vs/x.sln": solution("x.vcxproj") };
  expect(namesOf(projectOf(files).checks)).toEqual(["ctest"]);
  expect(namesOf(projectOf(files).languages)).toEqual(["C++"]);
  const both = { ...files, "vs/x.sln": solution("x.vcxproj") + solution("..\\src\\y.csproj") };
  expect(namesOf(projectOf(both).checks)).toContain("vs: dotnet build");
});
