import { describe, expect, test } from "vitest";
import { commandsOf, namesOf, projectOf } from "./testing/project-of.ts";

const json = JSON.stringify;
const scripts = { lint: "eslint .", test: "vitest run", start: "node server.js" };

describe("a monorepo", () => {
  const member = (name: string) => json({ name, scripts: { test: "vitest run" } });
  test.each([
    ["pnpm-workspace.yaml", "pnpm --recursive --if-present run test"],
    ["package.json", "npm run --silent test --workspaces --if-present"],
  ])("lists its packages by %s, and runs what only they have", (file, command) => {
    const facts = projectOf({
      "package.json": json(file === "package.json" ? { workspaces: ["packages/*", "!packages/old"] } : {}),
      ...(file === "package.json"
        ? {}
        : { [file]: "packages:\n  - packages/*\n  - '!packages/old'\n", "pnpm-lock.yaml": "" }),
      "packages/one/package.json": member("one"),
      "packages/two/package.json": member("two"),
      "packages/old/package.json": member("old"),
      "packages/one/node_modules/three/package.json": member("three"),
    });
    expect(namesOf(facts.workspaces)).toEqual(["packages/one", "packages/two"]);
    expect(commandsOf(facts)).toEqual({ test: command });
    expect(facts.checks[0]?.reason).toBe("2 packages have a script test");
  });

  test("packages two folders below the one that names them have checks too", () => {
    const facts = projectOf({
      "package.json": json({ workspaces: ["packages/*/*"] }),
      "packages/ui/button/package.json": member("button"),
    });
    expect(namesOf(facts.workspaces)).toEqual(["packages/ui/button"]);
    expect(commandsOf(facts)).toEqual({ test: "npm run --silent test --workspaces --if-present" });
  });

  test("requirements of members are reported if their checks fail", () => {
    const facts = projectOf({
      "package.json": json({ private: true, scripts: { test: "turbo test" } }),
      "pnpm-workspace.yaml": "packages: ['packages/*']",
      "pnpm-lock.yaml": "",
      "packages/one/package.json": json({ devDependencies: { vitest: "3" } }),
    });
    expect(facts.checks[0]?.hints[0]?.remedy).toContain("`pnpm install --frozen-lockfile` in the repository");
    const project = projectOf({
      "frontend/package.json": json({ scripts, devDependencies: { eslint: "9" } }),
      "frontend/package-lock.json": "",
    });
    expect(project.checks[0]?.hints[0]?.remedy).toContain("`npm ci` in frontend of the repository");
  });

  test("uv's members run in the workspace's environment, in addition to its root's checks", () => {
    const facts = projectOf({
      "pyproject.toml":
        '[tool.ruff]\n[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/old"]\n',
      "uv.lock": "",
      "packages/one/pyproject.toml": '[project]\nname = "one"\n[tool.pytest.ini_options]\n',
      "packages/old/pyproject.toml": '[project]\nname = "old"\n[tool.pytest.ini_options]\n',
    });
    expect(facts.workspaces).toEqual([
      { name: "packages/one", reason: "pyproject.toml: [tool.uv.workspace]" },
    ]);
    expect(namesOf(facts.packageManagers)).toContain("uv");
    const [one, old] = ["one", "old"].map((name) =>
      facts.checks
        .find((found) => found.name === `packages/${name}: pytest`)
        ?.ways.map(({ command }) => command.replace(`cd packages/${name} && `, "")),
    );
    expect(one).toEqual([
      ".venv/bin/python -m pytest -q --continue-on-collection-errors",
      "venv/bin/python -m pytest -q --continue-on-collection-errors",
      "../../.venv/bin/python -m pytest -q --continue-on-collection-errors",
      "uv run --no-sync python -m pytest -q --continue-on-collection-errors",
      "python3 -m pytest -q --continue-on-collection-errors",
    ]);
    expect(old).not.toContain("uv run --no-sync python -m pytest -q --continue-on-collection-errors");
    expect(facts.checks[0]?.name).toBe("ruff");
  });

  test("go.work names modules that are checked together", () => {
    const facts = projectOf({
      "go.work": "go 1.22\n\nuse ./api // first\nuse (\n\t./web\n\t../outside\n\t.\n)\n",
      "api/go.mod": "module api\n",
      "web/go.mod": "module web\n",
    });
    expect(facts.workspaces).toEqual([
      { name: "api", reason: "go.work" },
      { name: "web", reason: "go.work" },
    ]);
    expect(commandsOf(facts)).toEqual({
      "go vet": "go vet ./api/... ./web/... ./...",
      "go test": "go test ./api/... ./web/... ./...",
    });
    expect(facts.toolchains).toEqual([{ tool: "go", version: "1.22", file: "go.work" }]);
  });

  test("cargo's members are checked together", () => {
    const facts = projectOf({ "Cargo.toml": "[workspace]\nmembers = ['a']", "a/Cargo.toml": "" });
    expect(namesOf(facts.workspaces)).toEqual(["a"]);
    expect(commandsOf(facts)["cargo test"]).toBe("cargo test --quiet --no-fail-fast --workspace");
  });

  test("sibling projects are checked in their folders, foreign ones are not", () => {
    const facts = projectOf({
      "README.md": "",
      "backend/pyproject.toml": "[tool.pytest.ini_options]",
      "my front/package.json": json({ scripts: { lint: "eslint ." } }),
      "examples/package.json": json({ scripts: { lint: "eslint ." } }),
      "vendor/x/Cargo.toml": "",
    });
    expect(commandsOf(facts)).toEqual({
      "backend: pytest": "cd backend && python3 -m pytest -q --continue-on-collection-errors",
      "my front: lint": "cd ./'my front' && npm run --silent lint",
    });
    expect(facts.checks[0]?.ways.at(-1)?.needs[0]?.probe).toBe(`cd backend && python3 -c "import pytest"`);
  });
});
