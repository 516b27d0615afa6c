import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { trustRepositoryConfig } from "../../config/write-settings.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { type StandIn, startStandIn } from "../../model/stand-in/stand-in.ts";
import { eventually, tempDir } from "../../testing/kit.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";

const entry = fileURLToPath(new URL("../../cli.ts", import.meta.url));
let folder: string;
let repository: TestRepository;
let standIn: StandIn;

const config = "[backpressure]\nfast_checks = []\nslow_checks = []\n\n[validation]\nvalidator_count = 1\n";

beforeEach(async () => {
  folder = tempDir();
  repository = await createTestRepository({
    files: { "README.md": "weather\n", ".hox/config.toml": config },
  });
  await repository.terminal(["bookmark", "set", "main", "-r", "@-"]);
  await trustRepositoryConfig(join(folder, "state"), repository.repository.root);
  // One seat sees the diff, and rejects what says so in its goal.
  standIn = await startStandIn({
    script: {
      name: "judged",
      routes: {
        "validator-1": [
          {
            name: "judges",
            prompt: "[VALIDATE]",
            steps: [
              (seen) => ({
                calls: [
                  {
                    tool: "cast_vote",
                    input: {
                      vote: seen.prompt.includes("reject me") ? "reject" : "approve",
                      commit: /^Commit: ([0-9a-f]+)/mu.exec(seen.prompt)?.[1] ?? "",
                      reason: "I read it.",
                    },
                  },
                ],
              }),
            ],
          },
        ],
      },
    },
  });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await standIn.close();
  await repository.remove();
});

const environment = () => ({
  HOX_STATE: join(folder, "state"),
  ANTHROPIC_API_KEY: standIn.apiKey,
  ANTHROPIC_BASE_URL: standIn.url,
});
async function hox(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, ...output } = await hoxInProcess(args, {
    folder: repository.repository.root,
    env: { ...environment(), ...env },
  });
  return { exitCode: code, ...output };
}
const newChange = (description: string, files: Readonly<Record<string, string>>) =>
  repository.repository.newChange({ parents: ["main"], description, files });
const leftFolders = (): readonly string[] =>
  (existsSync(join(folder, "state", "repositories"))
    ? readdirSync(join(folder, "state", "repositories"), { recursive: true })
    : []
  )
    .map(String)
    .filter((path) => path.includes("panel-"));

test("a verdict is printed with reasons, trust and exit code, and bad input with a remedy", async () => {
  const good = await newChange("Show the wind", { "a.txt": "wind\n" });
  const bad = await newChange("Please reject me", { "a.txt": "storm\n" });
  const approved = await hox(["validate", good.changeId]);
  // What the configuration is warned of, and nothing else.
  expect([approved.exitCode, approved.stderr]).toEqual([
    exitCode.done,
    expect.stringMatching(/^.*1 validator can't tolerate a faulty one.*$/u),
  ]);
  expect(approved.stdout).toMatch(/validator-1 +approve \(whole result, [\w.-]+\): I read it\./u);
  expect(approved.stdout).toContain("approved: 1 of 1 approve");
  expect(approved.stdout).toContain("This panel has no track record here yet.");
  expect(approved.stdout).toMatch(/Spent \$0\.\d{4}, [\d,]+ tokens\./u);

  const rejected = await hox(["validate", bad.changeId, "--json"]);
  expect(rejected.exitCode).toBe(exitCode.rejected);
  expect(JSON.parse(rejected.stdout)).toMatchObject({
    kind: "validation",
    changeId: bad.changeId,
    code: 5,
    validation: { verdict: "rejected", seats: [{ vote: "reject", reason: "I read it." }] },
    trust: { approved: 0, rejected: 0 },
  });
  expect((await hox(["validate", good.changeId, "--goal", "reject me"])).exitCode).toBe(exitCode.rejected);

  const nobody = await hox(["validate", "none()"]);
  expect([nobody.exitCode, nobody.stderr]).toEqual([
    exitCode.error,
    expect.stringMatching(/matches no change\.\nList changes with `hox log`/u),
  ]);
  const keyless = await hox(["validate", good.changeId], { ANTHROPIC_API_KEY: "" });
  expect([keyless.exitCode, keyless.stderr]).toEqual([
    exitCode.error,
    expect.stringContaining("No API key is set."),
  ]);
  const unnamed = await hox(["validate"]);
  expect([unnamed.exitCode, unnamed.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining("missing required argument 'change'"),
  ]);

  standIn.fail({ kind: "stall", role: "validator-1" });
  const before = standIn.requests().length;
  const slow = execa(process.execPath, [entry, "validate", good.changeId], {
    cwd: repository.repository.root,
    reject: false,
    stdin: "ignore",
    env: { ...environment(), npm_lifecycle_event: "", NO_COLOR: "1" },
  });
  await eventually(() => expect(standIn.requests().length).toBeGreaterThan(before));
  slow.kill("SIGINT");
  const ended = await slow;
  expect([ended.exitCode, ended.stderr]).toEqual([
    exitCode.interrupted,
    expect.stringContaining("Cancelled, no verdict."),
  ]);
  expect(leftFolders()).toEqual([]);
});
