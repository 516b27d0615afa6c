import { describe, expect, test } from "vitest";
import { commandsOf, projectOf } from "./testing/project-of.ts";

const json = JSON.stringify;
const scripts = { lint: "eslint .", test: "vitest run", start: "node server.js" };

test("PHPUnit is the project's own, else the system's", () => {
  const { checks } = projectOf({ "composer.json": "{}", "phpunit.xml": "" });
  expect(checks[0]?.ways.map(({ command }) => command)).toEqual(["php vendor/bin/phpunit", "phpunit"]);
  expect(checks[0]?.hints[0]).toMatchObject({
    probe: "test -e vendor/autoload.php",
    remedy: expect.stringContaining("composer install"),
  });
});

test("cargo names all that does not compile if it can: the first error differs each time", () => {
  const checks = projectOf({ "Cargo.toml": "[package]\nname = 'x'" }).checks.slice(0, 2);
  expect(checks.map(({ ways }) => ways.map(({ command }) => command))).toEqual([
    ["cargo check --quiet --all-targets --keep-going", "cargo check --quiet --all-targets"],
    ["cargo clippy --quiet --all-targets --keep-going", "cargo clippy --quiet --all-targets"],
  ]);
});

describe("requirements are", () => {
  test("versions of tools, each with its file", () => {
    const facts = projectOf({
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

  test("versions of sibling projects, each with the path of its file", () => {
    const facts = projectOf({
      "web/package.json": json({ scripts, engines: { node: ">=18" } }),
      "web/.nvmrc": "22",
      "docs/.nvmrc": "16",
    });
    expect(facts.toolchains).toEqual([{ tool: "node", version: "22", file: "web/.nvmrc" }]);
  });

  test("an environment in the folder comes before the system's, and a lock file's tool between them", () => {
    const facts = projectOf({ "pyproject.toml": "[tool.pytest.ini_options]", "uv.lock": "" });
    expect(facts.checks[0]?.ways.map(({ command }) => command)).toEqual([
      ".venv/bin/python -m pytest -q --continue-on-collection-errors",
      "venv/bin/python -m pytest -q --continue-on-collection-errors",
      "uv run --no-sync python -m pytest -q --continue-on-collection-errors",
      "python3 -m pytest -q --continue-on-collection-errors",
    ]);
    expect(facts.checks[0]?.ways[0]?.needs[0]).toMatchObject({
      probe: `.venv/bin/python -c "import pytest"`,
      remedy: expect.stringContaining("uv sync"),
    });
  });

  test("packages that are not installed are reported if a script fails", () => {
    const manifest = json({ scripts, devDependencies: { eslint: "9" } });
    const remedyWith = (files: Readonly<Record<string, string>>) =>
      projectOf({ "package.json": manifest, ...files }).checks[0]?.hints[0]?.remedy;
    expect(remedyWith({ "package-lock.json": "{}" })).toContain("`npm ci`");
    // It would fail without one.
    expect(remedyWith({})).toContain("`npm install`");
    expect(projectOf({ "package.json": json({ scripts }) }).checks[0]?.hints).toEqual([]);
  });
});

describe("scripts of other names", () => {
  const found = (scripts: Readonly<Record<string, string>>, also: Readonly<Record<string, string>> = {}) =>
    commandsOf(projectOf({ "package.json": json({ scripts }), ...also }));
  test("the nearest to test is used if there is none", () => {
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

  test("check is classified by what it runs", () => {
    const check = { check: "npm run --silent check" };
    expect(found({ check: "biome check ." })).toEqual(check);
    expect(
      projectOf({ "package.json": json({ scripts: { check: "biome check ." } }) }).checks[0]?.speed,
    ).toBe("fast");
    expect(
      projectOf({ "package.json": json({ scripts: { check: "tsc && vitest run" } }) }).checks[0],
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

  test("bun finds tests itself", () => {
    const bun = { "bun.lock": "" };
    expect(found({}, { ...bun, "src/a.test.ts": "" })).toEqual({ "bun test": "bun test" });
    expect(found({ test: "bun test --bail" }, { ...bun, "src/a.test.ts": "" })).toEqual({
      test: "bun run test",
    });
    expect(found({}, { "src/a.test.ts": "" })).toEqual({});
    expect(found({}, bun)).toEqual({});
  });
});
