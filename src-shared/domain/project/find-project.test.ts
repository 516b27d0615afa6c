import { describe, expect, test } from "vitest";
import { cachePaths, filesToRead, findProject, packageFolders } from "./find-project.ts";
import type { ProjectFacts } from "./project-facts.ts";

const look = (files: Readonly<Record<string, string>>): ProjectFacts => {
  const paths = Object.keys(files);
  const texts = new Map(filesToRead(paths).map((path) => [path, files[path] ?? ""]));
  return findProject({ paths, texts });
};
const json = JSON.stringify;
/** Name → its plainest command. */
const commands = (facts: ProjectFacts): Record<string, string> =>
  Object.fromEntries(facts.checks.map((one) => [one.name, one.ways.at(-1)?.command ?? ""]));
const names = (facts: readonly { readonly name: string }[]): readonly string[] =>
  facts.map(({ name }) => name);

const scripts = { lint: "eslint .", test: "vitest run", start: "node server.js" };

test("PHPUnit is the project's own, or else the system's", () => {
  const { checks } = look({ "composer.json": "{}", "phpunit.xml": "" });
  expect(checks[0]?.ways.map(({ command }) => command)).toEqual(["php vendor/bin/phpunit", "phpunit"]);
  expect(checks[0]?.hints[0]).toMatchObject({
    probe: "test -e vendor/autoload.php",
    remedy: expect.stringContaining("composer install"),
  });
});

test("a solution of C++ alone is nothing for the .NET SDK", () => {
  const solution = (project: string) =>
    `\ufeff\r\nProject("{8BC9CEB8}") = "x", "${project}", "{D1C528B6}"\r\n`;
  const files = { "CMakeLists.txt": "", "x.cpp": "", "vs/x.vcxproj": "", "vs/x.sln": solution("x.vcxproj") };
  expect(names(look(files).checks)).toEqual(["ctest"]);
  expect(names(look(files).languages)).toEqual(["C++"]);
  const both = { ...files, "vs/x.sln": solution("x.vcxproj") + solution("..\\src\\y.csproj") };
  expect(names(look(both).checks)).toContain("vs: dotnet build");
});

test("cargo names all that does not compile where it can: which error it stops at differs each time", () => {
  const checks = look({ "Cargo.toml": "[package]\nname = 'x'" }).checks.slice(0, 2);
  expect(checks.map(({ ways }) => ways.map(({ command }) => command))).toEqual([
    ["cargo check --quiet --all-targets --keep-going", "cargo check --quiet --all-targets"],
    ["cargo clippy --quiet --all-targets --keep-going", "cargo clippy --quiet --all-targets"],
  ]);
});

describe("what a project is", () => {
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
      { ruff: "ruff check .", mypy: "mypy .", pytest: "python3 -m pytest -q" },
    ],
    [
      "Python with uv",
      { "pyproject.toml": '[project]\nname = "x"\n[tool.pytest.ini_options]\naddopts = "-q"', "uv.lock": "" },
      "Python",
      "uv",
      { pytest: "python3 -m pytest" },
    ],
    [
      "Python with poetry, and pytest named among its dependencies",
      { "pyproject.toml": '[tool.poetry.group.dev.dependencies]\npytest = "^8"' },
      "Python",
      "poetry",
      { pytest: "python3 -m pytest -q" },
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
      { "mvn test-compile": "mvn -B -q -o test-compile", "mvn test": "mvn -B -o test" },
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
    const facts = look(files);
    expect(names(facts.languages)).toContain(language);
    expect(names(facts.packageManagers)).toEqual([manager]);
    expect(commands(facts)).toEqual(checks);
    for (const { reason } of [...facts.languages, ...facts.packageManagers, ...facts.checks])
      expect(reason).not.toBe("");
  });

  test("C and C++ are built where no commit takes it up", () => {
    const cmake = look({ "CMakeLists.txt": "", "a.cpp": "", ".gitignore": "/build/\n" });
    expect(names(cmake.languages)).toEqual(["C++"]);
    expect(commands(cmake).ctest).toBe(
      "cmake -S . -B build && cmake --build build --parallel 2 && ctest --test-dir build --output-on-failure",
    );
    expect(commands(look({ "meson.build": "", "a.c": "" }))["meson test"]).toContain("/tmp/hox-build");
    expect(commands(look({ Makefile: "CC := cc\nall: a\ncheck test: all\n\t./run\n", "a.c": "" }))).toEqual({
      "make test": "make test",
    });
  });

  test("autotools build in their folder where their products are ignored, else in a copy outside", () => {
    const ignored = "configure\nconfig.status\nMakefile\n*.o\n";
    const facts = look({ "configure.ac": "", "Makefile.am": "", "a.c": "", ".gitignore": ignored });
    expect(facts.languages).toEqual([{ name: "C", reason: "configure.ac" }]);
    expect(commands(facts)).toEqual({
      "make check":
        "{ test -f configure || autoreconf --install; } && { test -f config.status || ./configure; } && make -j2 check",
    });
    expect(facts.checks[0]?.ways[0]?.needs.map(({ name }) => name)).toEqual(["autoreconf", "make"]);
    const shipped = look({ configure: "", "Makefile.in": "all:\ntest: all\n", "a.cc": "" });
    expect(names(shipped.languages)).toEqual(["C++"]);
    expect(commands(shipped)).toEqual({
      "make test":
        "cp -R . /tmp/hox-build && cd /tmp/hox-build && ACLOCAL=: AUTOCONF=: AUTOHEADER=: AUTOMAKE=: sh ./configure && make -j2 test",
    });
  });

  test("a Makefile is asked only where nothing else says how", () => {
    const both = look({ Makefile: "test:\n\tcargo test\n", "Cargo.toml": "" });
    expect(Object.keys(commands(both))).not.toContain("make test");
  });

  test("several languages add up, and each says which file it comes from", () => {
    const facts = look({ "package.json": json({ scripts }), "Cargo.toml": "", "a.txt": "" });
    expect(facts.languages).toEqual([
      { name: "Rust", reason: "Cargo.toml" },
      { name: "JavaScript", reason: "package.json" },
    ]);
    expect(facts.checks.find(({ name }) => name === "lint")?.reason).toBe("package.json: scripts.lint");
  });
});

describe("a monorepo", () => {
  const member = (name: string) => json({ name, scripts: { test: "vitest run" } });
  test.each([
    ["pnpm-workspace.yaml", "pnpm --recursive --if-present run test"],
    ["package.json", "npm run --silent test --workspaces --if-present"],
  ])("lists its packages by %s, and runs what only they have", (file, command) => {
    const facts = look({
      "package.json": json(file === "package.json" ? { workspaces: ["packages/*", "!packages/old"] } : {}),
      ...(file === "package.json"
        ? {}
        : { [file]: "packages:\n  - packages/*\n  - '!packages/old'\n", "pnpm-lock.yaml": "" }),
      "packages/one/package.json": member("one"),
      "packages/two/package.json": member("two"),
      "packages/old/package.json": member("old"),
      "packages/one/node_modules/three/package.json": member("three"),
    });
    expect(names(facts.workspaces)).toEqual(["packages/one", "packages/two"]);
    expect(commands(facts)).toEqual({ test: command });
    expect(facts.checks[0]?.reason).toBe("2 packages have a script test");
  });

  test("packages two folders below the one that names them have checks too", () => {
    const facts = look({
      "package.json": json({ workspaces: ["packages/*/*"] }),
      "packages/ui/button/package.json": member("button"),
    });
    expect(names(facts.workspaces)).toEqual(["packages/ui/button"]);
    expect(commands(facts)).toEqual({ test: "npm run --silent test --workspaces --if-present" });
  });

  test("what only members need is named where their checks fail", () => {
    const facts = look({
      "package.json": json({ private: true, scripts: { test: "turbo test" } }),
      "pnpm-workspace.yaml": "packages: ['packages/*']",
      "pnpm-lock.yaml": "",
      "packages/one/package.json": json({ devDependencies: { vitest: "3" } }),
    });
    expect(facts.checks[0]?.hints[0]?.remedy).toContain("`pnpm install --frozen-lockfile` in the repository");
    const beside = look({
      "frontend/package.json": json({ scripts, devDependencies: { eslint: "9" } }),
      "frontend/package-lock.json": "",
    });
    expect(beside.checks[0]?.hints[0]?.remedy).toContain("`npm ci` in frontend of the repository");
  });

  test("uv's members run in the environment of the workspace, beside what its root checks", () => {
    const facts = look({
      "pyproject.toml":
        '[tool.ruff]\n[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/old"]\n',
      "uv.lock": "",
      "packages/one/pyproject.toml": '[project]\nname = "one"\n[tool.pytest.ini_options]\n',
      "packages/old/pyproject.toml": '[project]\nname = "old"\n[tool.pytest.ini_options]\n',
    });
    expect(facts.workspaces).toEqual([
      { name: "packages/one", reason: "pyproject.toml: [tool.uv.workspace]" },
    ]);
    expect(names(facts.packageManagers)).toContain("uv");
    const [one, old] = ["one", "old"].map((name) =>
      facts.checks
        .find((found) => found.name === `packages/${name}: pytest`)
        ?.ways.map(({ command }) => command.replace(`cd packages/${name} && `, "")),
    );
    expect(one).toEqual([
      ".venv/bin/python -m pytest -q",
      "venv/bin/python -m pytest -q",
      "../../.venv/bin/python -m pytest -q",
      "uv run --no-sync python -m pytest -q",
      "python3 -m pytest -q",
    ]);
    expect(old).not.toContain("uv run --no-sync python -m pytest -q");
    expect(facts.checks[0]?.name).toBe("ruff");
  });

  test("go.work names modules that are checked together", () => {
    const facts = look({
      "go.work": "go 1.22\n\nuse ./api // first\nuse (\n\t./web\n\t../outside\n\t.\n)\n",
      "api/go.mod": "module api\n",
      "web/go.mod": "module web\n",
    });
    expect(facts.workspaces).toEqual([
      { name: "api", reason: "go.work" },
      { name: "web", reason: "go.work" },
    ]);
    expect(commands(facts)).toEqual({
      "go vet": "go vet ./api/... ./web/... ./...",
      "go test": "go test ./api/... ./web/... ./...",
    });
    expect(facts.toolchains).toEqual([{ tool: "go", version: "1.22", file: "go.work" }]);
  });

  test("cargo's members are checked together", () => {
    const facts = look({ "Cargo.toml": "[workspace]\nmembers = ['a']", "a/Cargo.toml": "" });
    expect(names(facts.workspaces)).toEqual(["a"]);
    expect(commands(facts)["cargo test"]).toBe("cargo test --quiet --no-fail-fast --workspace");
  });

  test("projects beside each other are checked in their folders, those of others are not", () => {
    const facts = look({
      "README.md": "",
      "backend/pyproject.toml": "[tool.pytest.ini_options]",
      "my front/package.json": json({ scripts: { lint: "eslint ." } }),
      "examples/package.json": json({ scripts: { lint: "eslint ." } }),
      "vendor/x/Cargo.toml": "",
    });
    expect(commands(facts)).toEqual({
      "backend: pytest": "cd backend && python3 -m pytest -q",
      "my front: lint": "cd ./'my front' && npm run --silent lint",
    });
    expect(facts.checks[0]?.ways.at(-1)?.needs[0]?.probe).toBe(`cd backend && python3 -c "import pytest"`);
  });
});

describe("what is asked for", () => {
  test("versions of tools, each with its file", () => {
    const facts = look({
      "package.json": json({ engines: { node: ">=18", pnpm: ">=9" } }),
      ".nvmrc": "v22 # the newest\n",
      ".python-version": "3.12\n",
      "rust-toolchain.toml": '[toolchain]\nchannel = "1.80"\n',
      ".tool-versions": "elixir 1.16.0\n# erlang 26\n",
      "go.mod": "module x\ngo 1.22\ntoolchain go1.22.4\n",
      "mise.toml": '[tools]\njava = "21"\n',
    });
    expect(facts.toolchains).toEqual([
      { tool: "node", version: "v22", file: ".nvmrc" },
      { tool: "python", version: "3.12", file: ".python-version" },
      { tool: "rust", version: "1.80", file: "rust-toolchain.toml" },
      { tool: "elixir", version: "1.16.0", file: ".tool-versions" },
      { tool: "java", version: "21", file: "mise.toml" },
      { tool: "go", version: "go1.22.4", file: "go.mod" },
      { tool: "pnpm", version: ">=9", file: "package.json" },
    ]);
  });

  test("versions of projects beside each other, each with the path of its file", () => {
    const facts = look({
      "web/package.json": json({ scripts, engines: { node: ">=18" } }),
      "web/.nvmrc": "22",
      "docs/.nvmrc": "16",
    });
    expect(facts.toolchains).toEqual([{ tool: "node", version: "22", file: "web/.nvmrc" }]);
  });

  test("an environment in the folder comes before the system's, and a lock file's tool between them", () => {
    const facts = look({ "pyproject.toml": "[tool.pytest.ini_options]", "uv.lock": "" });
    expect(facts.checks[0]?.ways.map(({ command }) => command)).toEqual([
      ".venv/bin/python -m pytest -q",
      "venv/bin/python -m pytest -q",
      "uv run --no-sync python -m pytest -q",
      "python3 -m pytest -q",
    ]);
    expect(facts.checks[0]?.ways[0]?.needs[0]).toMatchObject({
      probe: `.venv/bin/python -c "import pytest"`,
      remedy: expect.stringContaining("uv sync"),
    });
  });

  test("packages that are not installed are named where a script fails", () => {
    const manifest = json({ scripts, devDependencies: { eslint: "9" } });
    const remedyWith = (files: Readonly<Record<string, string>>) =>
      look({ "package.json": manifest, ...files }).checks[0]?.hints[0]?.remedy;
    expect(remedyWith({ "package-lock.json": "{}" })).toContain("`npm ci`");
    // It would fail without one.
    expect(remedyWith({})).toContain("`npm install`");
    expect(look({ "package.json": json({ scripts }) }).checks[0]?.hints).toEqual([]);
  });
});

describe("scripts of other names", () => {
  const found = (scripts: Readonly<Record<string, string>>, also: Readonly<Record<string, string>> = {}) =>
    commands(look({ "package.json": json({ scripts }), ...also }));
  test("the nearest to test, where there is none of that name", () => {
    expect(found({ "test:unit": "vitest run", "test:e2e": "playwright test" })).toEqual({
      "test:unit": "npm run --silent test:unit",
    });
    expect(found({ test: "vitest", "test:unit": "vitest run unit" })).toEqual({
      test: "npm run --silent test",
    });
    expect(found({ "test:ci": "jest --ci", tests: "jest --watch" })).toEqual({
      "test:ci": "npm run --silent test:ci",
    });
    expect(found({ tests: "jest --watch" })).toEqual({});
  });

  test("check says what it is by what it runs", () => {
    const check = { check: "npm run --silent check" };
    expect(found({ check: "biome check ." })).toEqual(check);
    expect(look({ "package.json": json({ scripts: { check: "biome check ." } }) }).checks[0]?.speed).toBe(
      "fast",
    );
    expect(
      look({ "package.json": json({ scripts: { check: "tsc && vitest run" } }) }).checks[0],
    ).toMatchObject({
      name: "check",
      speed: "slow",
    });
    // All that it runs is run already.
    expect(found({ check: "npm run lint && npm test", lint: "eslint .", test: "jest" })).not.toHaveProperty(
      "check",
    );
    expect(found({ check: "svelte-check", test: "jest" })).toHaveProperty("check");
  });

  test("bun finds tests by itself", () => {
    const bun = { "bun.lock": "" };
    expect(found({}, { ...bun, "src/a.test.ts": "" })).toEqual({ "bun test": "bun test" });
    expect(found({ test: "bun test --bail" }, { ...bun, "src/a.test.ts": "" })).toEqual({
      test: "bun run test",
    });
    expect(found({}, { "src/a.test.ts": "" })).toEqual({});
    expect(found({}, bun)).toEqual({});
  });
});

describe("where packages are installed", () => {
  test("in the root, beside every manifest and in every member", () => {
    const files = {
      "package.json": json({ workspaces: ["packages/*/*"] }),
      "packages/ui/button/package.json": "{}",
      "backend/pyproject.toml": "",
      "examples/app/package.json": "{}",
      "docs/a.md": "",
    };
    const folders = packageFolders({
      paths: Object.keys(files),
      texts: new Map(Object.entries(files)),
    });
    expect(folders).toEqual(["", "backend", "packages/ui/button"]);
    expect(cachePaths(["node_modules", ".venv", "lib/cache"], folders)).toEqual([
      "node_modules",
      ".venv",
      "lib/cache",
      "backend/node_modules",
      "backend/.venv",
      "packages/ui/button/node_modules",
      "packages/ui/button/.venv",
    ]);
  });
});

describe("what is not understood", () => {
  test("no checks are found where there are none, and what npm init writes is none", () => {
    expect(look({ "README.md": "" }).checks).toEqual([]);
    const test = 'echo "Error: no test specified" && exit 1';
    expect(look({ "package.json": json({ scripts: { test } }) }).checks).toEqual([]);
  });

  test("a package.json that cannot be read fails until it can", () => {
    expect(look({ "package.json": "{ scripts" }).checks).toMatchObject([{ name: "package.json" }]);
  });

  test("settings that cannot be parsed hide no language", () => {
    expect(names(look({ "pyproject.toml": "[tool.pytest", "tests/conftest.py": "" }).checks)).toEqual([
      "pytest",
    ]);
    expect(look({ "package.json": json({ workspaces: 3, scripts: [] }) }).checks).toEqual([]);
  });
});
