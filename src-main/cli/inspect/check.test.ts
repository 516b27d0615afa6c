import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { hoxInProcess } from "../testing/in-process.ts";

let folder: string;
let repository: TestRepository;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hox-cli-check-"));
  repository = await createTestRepository();
});
afterAll(async () => {
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

const check = (...args: readonly string[]) =>
  hoxInProcess(["check", ...args], {
    folder: repository.repository.root,
    env: { HOX_STATE: join(folder, "state") },
  });

const lines = (text: string): readonly Record<string, unknown>[] =>
  text.split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);

test("hox check prints its findings and exits 2 for none, 1 for failures, 0 for success", async () => {
  expect(await check()).toMatchObject({ code: 2, stdout: expect.stringContaining("No checks found.") });

  const commit = async (lint: string): Promise<void> => {
    await repository.write("package.json", JSON.stringify({ scripts: { lint } }));
    await repository.write("ruff.toml", "");
    await repository.write("web/package.json", "{}");
    await repository.write(".nvmrc", "14\n");
    await repository.write(".python-version", "3\n");
    await repository.write("setup.py", "");
    await repository.terminal(["commit", "-m", "lint", "--quiet"]);
  };
  await commit("exit 3");
  const red = await check();
  expect(red.code).toBe(1);
  expect(red.stdout).toContain("Python, JavaScript with pip, npm");
  expect(red.stdout).toMatch(/^lint +failed, \d/mu);
  expect(red.stdout).toContain("npm run --silent lint  # package.json: scripts.lint");
  expect(red.stdout).toMatch(/^ruff +missing, Install ruff into \.venv/mu);
  expect(red.stdout).toMatch(/^ {2}node \d+\.\d+\.\d+ runs here, and \.nvmrc asks for 14: make it the one/mu);
  expect(red.stdout).not.toContain("python 3.");
  expect(red.stderr).toContain("preflight: running lint (2 of 2)");

  await commit("exit 0");
  const green = await check("--json", "--write");
  expect([green.code, lines(green.stdout).at(-1)]).toEqual([0, { kind: "end", code: 0 }]);
  expect(await readFile(join(repository.repository.root, ".hox/config.toml"), "utf8")).toBe(
    '[backpressure]\nfast_checks = ["npm run --silent lint"]\nslow_checks = []\n',
  );
  const named = lines((await check("--json")).stdout);
  expect(named[1]).toMatchObject({ name: "lint", outcome: "passed", reason: "set in .hox/config.toml" });

  // Packages of a folder below the root count as those of the root do: with others it is another look.
  const isKept = async (): Promise<unknown> => lines((await check("--json")).stdout)[0]?.isKept;
  expect(await isKept()).toBe(true);
  await mkdir(join(repository.repository.root, "web/node_modules"), { recursive: true });
  expect(await isKept()).toBe(false);
  expect(await repository.terminal(["workspace", "list"])).not.toContain("checkout");
});
