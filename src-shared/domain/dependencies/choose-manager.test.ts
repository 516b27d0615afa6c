import { expect, test } from "vitest";
import { chooseManager, dependencyFiles } from "./choose-manager.ts";
import type { PackageManager } from "./request.ts";

const choose = (
  files: Readonly<Record<string, string>>,
  folder = "",
  wanted: PackageManager | null = null,
): string => {
  const chosen = chooseManager(
    { paths: Object.keys(files), texts: new Map(Object.entries(files)) },
    folder,
    wanted,
  );
  return "manager" in chosen ? chosen.manager : chosen.problem;
};

test.each<[string, Readonly<Record<string, string>>]>([
  ["npm", { "package.json": "{}" }],
  ["pnpm", { "package.json": "{}", "pnpm-lock.yaml": "" }],
  ["yarn", { "package.json": "{}", "yarn.lock": "" }],
  ["yarn", { "package.json": '{"packageManager":"yarn@4.1.0"}' }],
  ["bun", { "package.json": "{}", "bun.lock": "" }],
  ["uv", { "pyproject.toml": "[tool.uv]\n" }],
  ["poetry", { "pyproject.toml": "", "poetry.lock": "" }],
  ["pip", { "requirements.txt": "" }],
  ["pip", { "requirements/base.txt": "" }],
  ["pip", { "pyproject.toml": '[project]\nname = "x"\n', "setup.py": "" }],
  ["cargo", { "Cargo.toml": "" }],
  ["go", { "go.mod": "" }],
])("%s by %o", (manager, files) => {
  expect(choose(files)).toBe(manager);
});

test("a member of a workspace has the manager of its root", () => {
  const files = { "package.json": "{}", "pnpm-lock.yaml": "", "packages/app/package.json": "{}" };
  expect(choose(files, "packages/app")).toBe("pnpm");
  expect(
    dependencyFiles(Object.keys({ ...files, ".npmrc": "", "other/.npmrc": "" }), "packages/app"),
  ).toEqual(["package.json", "packages/app/package.json", ".npmrc"]);
});

test("with several managers one must be named, and it must exist", () => {
  const files = { "package.json": "{}", "Cargo.toml": "" };
  expect(choose(files)).toBe(
    "The repository's root has several package managers. Name one as manager: npm, cargo.",
  );
  expect(choose(files, "", "cargo")).toBe("cargo");
  expect(choose(files, "", "pnpm")).toBe(
    "The repository's root is not managed by pnpm. It is managed by npm, cargo.",
  );
  expect(choose({ "readme.md": "" }, "", "npm")).toBe("npm");
  expect(choose({ "readme.md": "" }, "", "cargo")).toContain("no package manifest");
});

test.each([
  ["Maven", "pom.xml", "mvn dependency:go-offline"],
  ["Gradle", "build.gradle.kts", "gradle build"],
  ["Bundler", "Gemfile", "bundle add"],
  ["Composer", "composer.json", "composer require"],
  ["Mix", "mix.exs", "mix deps.get"],
  ["NuGet", "App.csproj", "dotnet add package"],
  ["pipenv", "Pipfile", "pipenv install"],
  ["conda", "environment.yml", "conda env update"],
])("%s is refused with what the user does instead", (name, file, command) => {
  const problem = choose({ [file]: "" });
  expect(problem).toContain(`cannot add dependencies of ${name}`);
  expect(problem).toContain(command);
});

test("pip creates no list next to a Python manifest that Hox does not write", () => {
  for (const file of ["setup.py", "setup.cfg"]) {
    const files = { [file]: "", "pyproject.toml": "[build-system]\n" };
    expect(choose(files)).toContain("the user adds it to install_requires");
    expect(choose(files, "", "pip")).toBe(choose(files));
  }
  expect(choose({ "pyproject.toml": "[tool.ruff]\n" }, "", "pip")).toBe("pip");
});

test("a missing or unreadable manifest is reported", () => {
  expect(choose({ "readme.md": "" })).toContain("has no package manifest");
  expect(choose({ "readme.md": "" }, "app")).toBe("The shared base has no folder app.");
  expect(choose({ "package.json": "{}", "bun.lockb": "" })).toContain("--save-text-lockfile");
});
