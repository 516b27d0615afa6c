import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test } from "vitest";
import { trustRepositoryConfig } from "../../config/write-settings.ts";
import { done, write } from "../../engine/testing/three-agents-script.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { defineScript } from "../../model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../../model/stand-in/stand-in.ts";
import { tempDir } from "../../testing/kit.ts";
import { exitCode } from "../command-line.ts";

const entry = fileURLToPath(new URL("../../cli.ts", import.meta.url));
let folder: string;
let repository: TestRepository;
let standIn: StandIn;

beforeEach(async () => {
  folder = tempDir();
  repository = await createTestRepository({
    files: {
      "check.sh": "! grep -rn BROKEN src\n",
      ".hox/config.toml":
        '[backpressure]\nfast_checks = ["sh check.sh"]\nslow_checks = []\npreflight = "off"\n',
    },
  });
  await repository.terminal(["bookmark", "set", "main", "-r", "@-"]);
  await trustRepositoryConfig(join(folder, "own"), repository.repository.root);
  const steps = [write("src/store.txt", "the store\n"), done("The store is written.")];
  standIn = await startStandIn({
    script: defineScript({ name: "quick", routes: { "agent-1": [{ name: "works", steps }] } }),
  });
});
afterEach(async () => {
  await standIn.close();
  await repository.remove();
});

/** @param machine whose state it is: another one never heard of the run, and has no key */
const hox = (machine: string, args: readonly string[], cwd = repository.repository.root) =>
  execa(process.execPath, [entry, ...args], {
    cwd,
    reject: false,
    stdin: "ignore",
    env: {
      HOX_STATE: join(folder, machine),
      ANTHROPIC_API_KEY: machine === "own" ? standIn.apiKey : "",
      ANTHROPIC_BASE_URL: standIn.url,
      npm_lifecycle_event: "",
      NO_COLOR: "1",
    },
  });
const linesOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("hox replay plays a run, also from an exported file without a repository or a model", {
  tags: ["long"],
}, async () => {
  const ran = await hox("own", ["run", "--goal", "Write the store", "--quick", "--approve", "land"]);
  expect([ran.exitCode, ran.stderr]).toEqual([exitCode.done, ""]);
  const asked = standIn.count();

  const watched = await hox("own", ["replay", "last"]);
  expect(watched.exitCode).toBe(exitCode.done);
  expect(watched.stdout).toContain("Changes nothing.\nWrite the store\n");
  expect(watched.stdout).toContain("Result: complete");

  const file = join(folder, "run.hoxrun");
  const exported = await hox("own", ["export", "last", file]);
  expect([exported.exitCode, exported.stdout]).toEqual([
    exitCode.done,
    expect.stringContaining("Replay it on any machine: hox replay"),
  ]);

  // Where neither the repository is nor a model.
  const there = await hox("other", ["replay", file, "--json"], folder);
  const entries = linesOf(there.stdout);
  expect(entries.map(({ kind }) => kind)).toEqual([...entries.slice(1).map(() => "moment"), "end"]);
  expect(entries.at(-1)).toMatchObject({ run: { stage: "complete", goal: "Write the store" } });
  const page = join(folder, "run.md");
  expect((await hox("other", ["export", file, page], folder)).exitCode).toBe(exitCode.done);
  expect(await readFile(page, "utf8")).toContain("The store is written.");

  expect(standIn.count(), "requests to the model after the run").toBe(asked);
});
