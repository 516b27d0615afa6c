import { expect, test } from "vitest";
import { fitsWish, readVersion, versionDifferences, versionProbe } from "./installed-versions.ts";

test.each<[tool: string, wanted: string, file: string, installed: string, fits: boolean | null]>([
  ["node", "22", ".nvmrc", "18.20.4", false],
  ["node", "v22", ".nvmrc", "22.1.0", true],
  ["nodejs", "22.4.0", ".tool-versions", "22.9.1", true],
  ["node", "lts/*", ".nvmrc", "18.20.4", null],
  ["node", ">=18 <23", "package.json", "24.0.0", false],
  ["node", "^18 || ^20", "package.json", "20.3.1", true],
  ["python", "3.12", ".python-version", "3.11.4", false],
  ["python", ">=3.9,<4,!=3.10.0", "pyproject.toml", "3.12.1", true],
  ["python", "~=3.11", "pyproject.toml", "3.12.1", true],
  ["python", "~=3.11.2", "pyproject.toml", "3.12.1", false],
  ["python", "==3.12.*", "pyproject.toml", "3.12.1", true],
  ["python", "^3.10", "pyproject.toml", "3.9.2", false],
  ["go", "1.22", "go.mod", "1.24.1", true],
  ["go", "go1.22.4", "go.mod", "1.21.0", false],
  ["rust", "1.80", "rust-toolchain.toml", "1.79.0", false],
  ["rust", "1.70", "Cargo.toml", "1.79.0", true],
  ["rust", "stable", "rust-toolchain.toml", "1.79.0", null],
  ["java", "temurin-17.0.2", ".tool-versions", "21.0.1", false],
  ["java", "17.0.2-tem", ".sdkmanrc", "17.0.9", true],
  ["java", "1.8", ".java-version", "8.0.392", true],
  ["ruby", "ruby-3.2.2", ".ruby-version", "3.2.9", true],
  ["ruby", "~> 3.2", "Gemfile", "4.0.0", false],
  ["php", "^8.2|^8.3", "composer.json", "8.1.2", false],
  ["dotnet", "8.0.100", "global.json", "8.0.404", true],
  ["node", "what you like", ".nvmrc", "18.20.4", null],
])("%s %s (%s) and %s: %s", (tool, version, file, installed, fits) => {
  expect(fitsWish({ tool, version, file }, installed)).toBe(fits);
});

test("versions as programs print them", () => {
  expect(readVersion("node", "v18.20.4\n")).toBe("18.20.4");
  expect(readVersion("go", "go version go1.22.1 linux/amd64")).toBe("1.22.1");
  expect(readVersion("java", 'openjdk version "1.8.0_392"\nOpenJDK 25.392')).toBe("8.0");
  expect(readVersion("elixir", "Erlang/OTP 26 [erts-14.0] Elixir 1.16.0 (compiled)")).toBe("1.16.0");
  expect(readVersion("rust", "rustc 1.80.0-nightly (abc 2024-05-01)")).toBe("1.80.0");
  expect(readVersion("node", "sh: 1: not found")).toBeNull();
});

test("each requirement is looked up where it applies, and an unknown tool is not", () => {
  expect(versionProbe({ tool: "nodejs", version: "22", file: "my front/.tool-versions" })).toBe(
    "cd './my front' && node --version",
  );
  expect(versionProbe({ tool: "erlang", version: "26", file: ".tool-versions" })).toBeNull();
});

test("a wrong version is reported with its remedy, once for each tool and folder", () => {
  const wishes = [
    { tool: "node", version: "22", file: ".nvmrc" },
    { tool: "python", version: ">=3.9", file: "backend/pyproject.toml" },
    { tool: "python", version: "3.12", file: "backend/.python-version" },
  ];
  const installed = [
    { file: ".nvmrc", tool: "node", version: "18.20.4" },
    { file: "backend/pyproject.toml", tool: "python", version: "3.11.2" },
    { file: "backend/.python-version", tool: "python", version: "3.11.2" },
  ];
  expect(versionDifferences(wishes, installed)).toEqual([
    "node 18.20.4 runs here, and .nvmrc asks for 22: make it the one that `node --version` names, then check again (hox check --again)",
    "python 3.11.2 runs here, and backend/.python-version asks for 3.12: make it the one that `python3 --version` names, or recreate .venv with it, then check again (hox check --again)",
  ]);
  expect(versionDifferences(wishes, [])).toEqual([]);
});
