import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { readDefaultRegistry } from "./default-registry.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** A package manager that says this, and nothing else on PATH. */
function onlyPrograms(outputs: Readonly<Record<string, string>>): void {
  for (const [name, script] of Object.entries(outputs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  vi.stubEnv("PATH", folder);
}

test("each language's registries are those of its package manager's settings, without credentials", async () => {
  onlyPrograms({
    npm: '[ "$PWD" = / ] && echo https://me:secret@npm.example.com/path/',
    yarn: "echo https://yarn.example.com",
    python3:
      '[ "$2" = pip ] && exit 1; printf "https://index.example.com/simple\\nhttps://files.example.com\\n"',
    go: 'printf "https://go.example.com,direct\\nsum.example.com\\n"',
  });
  expect(await readDefaultRegistry("javascript")).toEqual({
    urls: ["https://npm.example.com/path/", "https://yarn.example.com"],
    environment: expect.objectContaining({ npm_config_registry: "https://npm.example.com/path/" }),
  });
  expect(await readDefaultRegistry("python")).toEqual({
    urls: ["https://index.example.com/simple", "https://files.example.com"],
    environment: {},
  });
  expect(await readDefaultRegistry("go")).toEqual({
    urls: ["https://go.example.com", "https://sum.example.com"],
    environment: { GOPROXY: "https://go.example.com", GOSUMDB: "sum.example.com" },
  });
  onlyPrograms({ python3: "echo https://own.example.com/simple" });
  expect((await readDefaultRegistry("python")).environment.PIP_INDEX_URL).toBe(
    "https://own.example.com/simple",
  );
});

test("cargo's are those that it has used before", async () => {
  const index = join(folder, "registry", "index", "index.example.com-0123456789abcdef");
  mkdirSync(index, { recursive: true });
  writeFileSync(join(index, "config.json"), '{"dl":"https://static.example.com/crates"}');
  expect(await readDefaultRegistry("rust", { CARGO_HOME: folder })).toEqual({
    urls: ["https://index.example.com", "https://static.example.com/crates"],
    environment: {},
  });
  expect((await readDefaultRegistry("rust", { CARGO_HOME: join(folder, "none") })).urls).toEqual([]);
});

test("unknown registries are empty", async () => {
  onlyPrograms({ npm: "exit 1", yarn: "echo undefined", go: "exit 1", python3: "exit 1" });
  for (const language of ["javascript", "python", "go"] as const)
    expect((await readDefaultRegistry(language)).urls).toEqual([]);
});
