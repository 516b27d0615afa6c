import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { configKeys } from "../../config/settings.ts";
import { tempDir } from "../../testing/kit.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";

let folder: string;
let state: string;
beforeEach(async () => {
  folder = tempDir();
  state = join(folder, "state");
  await mkdir(join(folder, "repository", ".hox"), { recursive: true });
  await mkdir(state);
});

const write = (text: string): Promise<void> =>
  writeFile(join(folder, "repository", ".hox", "config.toml"), text);

const hox = (...args: readonly string[]) => command("config", ...args);

const command = (...args: readonly string[]) =>
  hoxInProcess(args, { folder: join(folder, "repository"), env: { HOX_STATE: state } });
const values = (stdout: string) =>
  Object.fromEntries(
    stdout
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter((line) => line.kind === "value")
      .map(({ key, value, source }) => [key, { value, source }]),
  );

test("hox config prints every value and its source: file with line, settings, default", async () => {
  await writeFile(join(state, "settings.json"), '{ "model": "claude-opus-5-5", "maxParallelAgents": 7 }');
  const without = values((await hox("--json")).stdout);
  expect(Object.keys(without)).toEqual(configKeys);
  expect(without["models.default"]).toEqual({ value: "claude-opus-5-5", source: { kind: "settings" } });

  await write(
    '# ours\n[models]\nvalidator = "claude-haiku-5-5"\n\n[budget]\nmax_usd = 3.5\nmax_tokens = 1000\n',
  );
  const { code, stdout, stderr } = await hox("--json");
  expect([code, stderr]).toEqual([exitCode.done, ""]);
  expect(values(stdout)).toMatchObject({
    "budget.max_tokens": { value: 1_000, source: { kind: "file", line: 7 } },
    "budget.max_usd": {
      value: 3.5,
      source: { kind: "file", line: 6, path: expect.stringMatching(/\.hox.config\.toml$/u) },
    },
    "models.validator": { value: "claude-haiku-5-5", source: { kind: "file", line: 3 } },
    // With a file of its own the repository has a model of its own.
    "models.default": { value: "claude-sonnet-5-5", source: { kind: "default" } },
    "loop_defaults.max_parallel_agents": { value: 7, source: { kind: "settings" } },
    "backpressure.fast_checks": { value: null, source: { kind: "default" } },
  });

  const text = (await hox()).stdout;
  expect(text).toMatch(
    /^\[budget\]\nmax_tokens = 1000 +# \.hox\/config\.toml:7\nmax_usd = 3\.5 +# \.hox\/config\.toml:6$/mu,
  );
  expect(text).toMatch(/^# fast_checks: found from the repository +# default$/mu);
  expect(text).toContain("# No checks found");
  expect(text).toContain(
    "# Validators: A panel of 4 (3 must approve) judges a large or risky result.\n#   One validator",
  );
  const scripts = { lint: "eslint ." };
  await writeFile(join(folder, "repository", "package.json"), JSON.stringify({ scripts }));
  expect((await hox()).stdout).toContain(
    "#   lint (fast): npm run --silent lint  # package.json: scripts.lint",
  );
});

test("hox config --check exits 1 with line and remedy of every error, and 0 if a run can start", async () => {
  expect(await hox("--check")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("the defaults apply"),
  });
  await write('[gates]\nplan = "maybe"\nmutatoins = "ask"\n[validation]\nvalidator_count = 3\n');
  const { code, stdout, stderr } = await hox("--check");
  expect([code, stdout]).toEqual([exitCode.error, ""]);
  expect(stderr).toMatch(/^\.hox\/config\.toml:2: error: "gates\.plan" .*\n {2}Fix it/mu);
  expect(stderr).toMatch(/^\.hox\/config\.toml:3: error: .*\n {2}Did you mean "gates\.mutations"\?/mu);
  expect(stderr).toMatch(/^\.hox\/config\.toml:5: warning: /mu);
  // Without --check the values are still told, what is wrong with its default.
  const all = await hox();
  expect(all.code).toBe(exitCode.done);
  expect(all.stdout).toMatch(/^plan = "ask" +# default$/mu);
  expect(all.stderr).toContain("No run starts");

  await write("[budget\n");
  expect((await hox("--check", "--json")).stdout).toContain('"line":1');
  await write('[validation]\nvalidator_count = 3\n[gates]\nplan = "auto"\n');
  expect((await hox("--check")).code).toBe(exitCode.done);
  await write('[validation]\nvalidator_count = 7\n[workflow]\npanel = "on"\n');
  expect((await hox()).stdout).toContain("# Validators: A panel of 7 (5 must approve) judges every result.");
  await write('[gates]\nplan = "auto"\n');
  expect((await hox("--check")).stdout).toContain("No errors");
});

test("hox trust lists the settings that loosen the user's limits, and enables exactly these", async () => {
  await write('[sandbox]\nhosts = ["one.example"]\n[gates]\nland = "auto"\n');
  expect((await hox()).stdout).toMatch(
    /^land = "ask" +# ignored until you trust it \(hox trust\): \.hox\/config\.toml:4 has "auto"$/mu,
  );
  const unasked = await command("trust");
  expect(unasked).toMatchObject({ code: exitCode.waits, stderr: expect.stringContaining("--yes") });
  expect(unasked.stdout).toContain(
    'gates.land = "auto"\n      Results land on your branch without your approval.',
  );
  expect((await command("trust", "--yes")).code).toBe(exitCode.done);
  expect((await hox()).stdout).toMatch(/^land = "auto" +# \.hox\/config\.toml:4$/mu);

  await write('[sandbox]\nhosts = ["one.example", "two.example"]\n[gates]\nland = "auto"\n');
  const changed = await command("trust", "--ignore");
  expect(changed.stdout).toContain("two.example");
  expect(changed.stdout).not.toContain("one.example");
  const [listed] = (await command("trust", "--json", "--ignore")).stdout.split("\n");
  expect(JSON.parse(listed ?? "")).toMatchObject({ text: 'sandbox.hosts: "two.example"', isIgnored: true });
  expect((await hox()).stdout).toMatch(/^hosts = \["one\.example"\] +# ignored/mu);
});
