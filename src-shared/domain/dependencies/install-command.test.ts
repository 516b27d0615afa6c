import { expect, test } from "vitest";
import { installation } from "./install-command.ts";
import type { DependencyRequest, PackageManager } from "./request.ts";

const ask = (manager: PackageManager, over: Partial<DependencyRequest> = {}): DependencyRequest => ({
  manager,
  folder: "",
  name: "plain",
  version: null,
  dev: false,
  ...over,
});

test.each<[PackageManager, Partial<DependencyRequest>, readonly string[], string]>([
  [
    "npm",
    { version: "^1.2" },
    [],
    "npm install --ignore-scripts --no-audit --no-fund --save-prod 'plain@^1.2'",
  ],
  ["npm", { dev: true }, [], "npm install --ignore-scripts --no-audit --no-fund --save-dev 'plain'"],
  ["pnpm", { dev: true }, [], "pnpm add --ignore-scripts --save-dev 'plain'"],
  ["pnpm", {}, ["pnpm-workspace.yaml"], "pnpm add --ignore-scripts --save-prod --workspace-root 'plain'"],
  ["pnpm", { folder: "app" }, ["pnpm-workspace.yaml"], "pnpm add --ignore-scripts --save-prod 'plain'"],
  [
    "yarn",
    { dev: true },
    [],
    "case \"$(yarn --version)\" in 1.*) yarn add --ignore-scripts --non-interactive --dev 'plain' ;; *) yarn add --dev 'plain' ;; esac",
  ],
  ["bun", { dev: true, version: "2" }, [], "bun add --ignore-scripts --dev 'plain@2'"],
  ["uv", { version: "2.1" }, [], "uv add 'plain==2.1'"],
  ["uv", { version: ">=2, <3", dev: true }, [], "uv add --dev 'plain>=2,<3'"],
  ["poetry", { version: "2.1", dev: true }, [], "poetry add --no-interaction --group dev 'plain@2.1'"],
  ["cargo", { version: "1.0", dev: true }, [], "cargo add --dev 'plain@1.0' && cargo fetch"],
  ["go", { name: "example.com/x", version: "0.7.0" }, [], "go get 'example.com/x@v0.7.0' && go mod download"],
  ["go", { name: "example.com/x" }, [], "go get 'example.com/x@latest' && go mod download"],
])("%s %o", (manager, over, paths, command) => {
  expect(installation(ask(manager, over), paths).command).toBe(command);
});

test("pip adds a line to the list of requirements, for development to the one for that", () => {
  const plan = installation(ask("pip", { version: "2.1" }), ["requirements.txt"]);
  expect(plan.command).toContain("printf '%s\\n' 'plain==2.1' >> 'requirements.txt'");
  expect(plan.command).toContain("--only-binary=:all:");
  expect(plan).toMatchObject({ files: ["requirements.txt"], packages: [".venv"] });
  expect(installation(ask("pip", { dev: true }), ["requirements.txt", "requirements-dev.txt"]).files).toEqual(
    ["requirements-dev.txt"],
  );
});

test("pip has the list of pyproject.toml changed first, if the project has its requirements there", () => {
  const text = '[project]\nname = "x"\ndependencies = ["a>=1"]\n';
  const into = (over: Partial<DependencyRequest>, paths: readonly string[], pyproject = text) =>
    installation(ask("pip", over), paths, new Map([["api/pyproject.toml", pyproject]]));
  const plan = into({ folder: "api", version: "2.1" }, ["api/pyproject.toml"]);
  expect(plan).toMatchObject({
    files: ["api/pyproject.toml"],
    packages: ["api/.venv"],
    edits: { "api/pyproject.toml": text.replace('"a>=1"', '"a>=1", "plain==2.1"') },
  });
  expect(plan.command).toContain("--only-binary=:all: -- 'plain==2.1' 'a>=1'");
  expect(plan.problem).toBeUndefined();
  // Another list that is there is for what this one does not name.
  const both = ["api/pyproject.toml", "api/requirements/dev.txt"];
  expect(into({ folder: "api" }, both).files).toEqual(["api/pyproject.toml"]);
  expect(into({ folder: "api", dev: true }, both).files).toEqual(["api/requirements/dev.txt"]);
  const files = ["api/pyproject.toml", "api/requirements.txt"];
  expect(into({ folder: "api", dev: true }, files).edits?.["api/pyproject.toml"]).toBe(
    `${text}\n[dependency-groups]\ndev = ["plain"]\n`,
  );
  expect(into({ folder: "api", dev: true }, files, '[project]\nname = "x"\n').files).toEqual([
    "api/requirements.txt",
  ]);
  expect(into({ folder: "api" }, ["api/pyproject.toml"], text.replace("a>=1", "plain")).edits).toEqual({});
  expect(
    into({ folder: "api" }, ["api/pyproject.toml"], '[project]\nname = "x"\ndynamic = ["dependencies"]\n')
      .problem,
  ).toContain("the user");
});

test("the lock file is the nearest one, and only it and the manifest may change", () => {
  const member = installation(ask("npm", { folder: "packages/app" }), [
    "package.json",
    "package-lock.json",
    "packages/app/package.json",
  ]);
  expect(member.files).toEqual(["packages/app/package.json", "package-lock.json"]);
  expect(member.packages).toEqual(["node_modules", "packages/app/node_modules"]);
  expect(installation(ask("npm"), ["npm-shrinkwrap.json"]).files).toContain("npm-shrinkwrap.json");
  expect(installation(ask("cargo", { folder: "crates/a" }), ["Cargo.toml", "Cargo.lock"]).files).toEqual([
    "crates/a/Cargo.toml",
    "Cargo.lock",
    "Cargo.toml",
  ]);
  expect(installation(ask("go"), ["go.mod"]).files).toEqual(["go.mod", "go.sum"]);
});

test("pip and pnpm install nothing when the repository names code that would run", () => {
  const pip = (text: string) =>
    installation(ask("pip"), ["requirements.txt"], new Map([["requirements.txt", text]])).problem;
  expect(pip("requests==2\n")).toBeUndefined();
  expect(pip("-e ./tools/evil\n")).toContain("Line 1 of requirements.txt");
  const pnpm = (text: string) =>
    installation(ask("pnpm"), ["pnpm-workspace.yaml"], new Map([["pnpm-workspace.yaml", text]])).problem;
  expect(pnpm("packages:\n  - app\n")).toBeUndefined();
  for (const key of ["pnpmfile", "configDependencies", "scriptShell"])
    expect(pnpm(`${key}: tools/evil.cjs\n`)).toContain(`${key} of pnpm-workspace.yaml`);
});

test("the card says where packages are named by an address", () => {
  const scripts = (spec: string) =>
    installation(
      ask("yarn"),
      ["package.json"],
      new Map([["package.json", JSON.stringify({ dependencies: { odd: spec } })]]),
    ).scripts;
  for (const spec of [
    "git+ssh://git@example.org/a",
    "user/repo#main",
    "https://example.org/a.tgz",
    "github:user/repo",
  ])
    expect(scripts(spec)).toContain("odd by an address");
  for (const spec of ["^1.2.0", "workspace:*", "npm:other@1", "latest"])
    expect(scripts(spec)).toBe("No install script of any package runs.");
});
