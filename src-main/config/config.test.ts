import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { agentsOf } from "../external-agents/agents-of.ts";
import { tempDir } from "../testing/kit.ts";
import { configPath, loadConfig, parseConfig, writeDefaultConfig } from "./config.ts";
import { resourcePath } from "./resources-folder.ts";
import { configKeys, defaultConfig, defaultSettings } from "./settings.ts";

let root: string;
/** Nothing is trusted. */
const place = () => ({ root, stateFolder: join(root, "state"), settings: defaultSettings });
beforeEach(() => {
  root = tempDir();
});

describe("config (PLAN-8)", () => {
  it("uses defaults without a file, and the generated file has the same", async () => {
    expect(await loadConfig(place())).toEqual({
      config: defaultConfig,
      path: null,
      problems: [],
      untrusted: [],
    });
    expect(await writeDefaultConfig(root)).toEqual({ path: configPath(root), written: true });
    expect(await loadConfig(place())).toEqual({
      config: defaultConfig,
      path: configPath(root),
      problems: [],
      untrusted: [],
    });
  });

  it("documents every key in the default file", () => {
    const text = readFileSync(resourcePath("config.default.toml"), "utf8");
    for (const key of configKeys) {
      const name = key.split(".").at(-1);
      expect(text).toMatch(new RegExp(`^(# )?(${name} = |\\[\\[${name}\\]\\]$)`, "mu"));
    }
  });

  it("never overwrites a file", async () => {
    await writeDefaultConfig(root);
    writeFileSync(configPath(root), "[budget]\nmax_usd = 3\n");
    expect(await writeDefaultConfig(root)).toMatchObject({ written: false });
    expect((await loadConfig(place())).config.budget.maxUsd).toBe(3);
  });

  it("takes from the user alone which agents use a login", async () => {
    await writeDefaultConfig(root);
    const tables = '[[agent]]\nname = "claude"\nsubscription = true\n[[agent]]\nname = "codex"\n';
    writeFileSync(configPath(root), `subscriptions = ["claude"]\n${tables}`);
    const logins = async (subscriptions: readonly string[]) => {
      const settings = { ...defaultSettings, subscriptions };
      const { config, problems } = await loadConfig({ ...place(), settings });
      expect(problems.map(({ message }) => message)).toEqual([
        'Unknown setting "subscriptions".',
        expect.stringContaining('has no setting "subscription"'),
      ]);
      return agentsOf(config).flatMap(({ name, isSubscription }) => (isSubscription ? [name] : []));
    };
    expect(await logins([])).toEqual([]);
    expect(await logins(["codex"])).toEqual(["codex"]);
  });

  it("reads the documents' example", () => {
    const { config, problems } = parseConfig(`protected_files = ["secret/**"]
[loop_defaults]
max_iterations = 50
max_tokens = 100000
max_budget_usd = 5.00
[backpressure]
fast_checks = ["cargo check", "cargo clippy --all-targets"]
slow_checks = [
    { command = "cargo test", every_n_iterations = 5 },
    { command = "cargo doc", every_n_iterations = 10 },
]
`);
    expect(problems).toEqual([]);
    expect(config.protectedFiles).toEqual([".git", ".jj", ".hox", "secret/**", "agents/*.md"]);
    expect(config.loopDefaults).toMatchObject({ maxIterations: 50, maxTokens: 100_000, maxBudgetUsd: 5 });
    expect(config.backpressure.slowChecks?.[1]).toEqual({ command: "cargo doc", everyNIterations: 10 });
  });

  it("reports line, error and remedy, and keeps the defaults of wrong settings", () => {
    const { config, problems } = parseConfig(`# mine
protected_files = [
  "../outside", # [
]

[validation]
validator_cuont = 4
validator_count = "four"

[models]
api_key_env = "sk-ant-123"
[archangel]
enabled = true
`);
    expect(problems.map(({ level, line, key }) => [level, line, key])).toEqual([
      ["error", 3, "protected_files"],
      ["error", 7, "validation.validator_cuont"],
      ["error", 8, "validation.validator_count"],
      ["error", 11, "models.api_key_env"],
      ["error", 12, "archangel"],
    ]);
    expect(problems[1]?.remedy).toContain("validation.validator_count");
    expect(problems[2]?.remedy).toContain("default (4)");
    expect(config).toEqual(defaultConfig);
  });

  it("reads hooks in order, and reports the line inside the wrong table", () => {
    const hook = (name: string, more: string) => `[[hooks]]\nname = "${name}"\n${more}\n`;
    const good = hook("format", 'on = "iteration"\ncommand = "npx biome format --write ."');
    expect(
      parseConfig(good + hook("tell", 'on = "run-complete"\ncommand = "sh tell.sh"\ntimeout_seconds = 5')),
    ).toEqual({
      problems: [],
      untrusted: [],
      config: {
        ...defaultConfig,
        hooks: [
          { name: "format", on: "iteration", command: "npx biome format --write .", timeoutSeconds: 60 },
          { name: "tell", on: "run-complete", command: "sh tell.sh", timeoutSeconds: 5 },
        ],
      },
    });
    const late = parseConfig(good + hook("late", 'command = "true"\non = "sometimes"'));
    expect(late.problems).toMatchObject([{ level: "error", line: 8, key: "hooks" }]);
    expect(late.config.hooks).toEqual([]);
    expect(parseConfig(good + hook("without", 'on = "iteration"')).problems).toMatchObject([{ line: 5 }]);
  });

  it.each([
    ['[gates]\nplan = "never"', 'must be "ask" or "auto"'],
    ["[budget]\nmax_usd = true", "must be a number"],
    ['[loop_defaults]\nauto_advance = "yes"', "must be true or false"],
    ["[backpressure]\nfast_checks = 3", "must be a list in [brackets]"],
    ['[[hooks]]\nname = "a"\non = "iteration"', "(at 0.command)"],
    ['[[hooks]]\nname = "a"\non = "iteration"\ncommand = "true"\nwhen = "late"', 'has no setting "when"'],
  ])("says in the file's terms what is wrong with %j", (source, words) => {
    const { problems } = parseConfig(source);
    expect(problems[0]?.message).toContain(words);
    expect(problems[0]?.message).not.toMatch(/invalid|expected|received/iu);
  });

  it("does not fail open on a file that is not TOML", () => {
    expect(parseConfig("[budget]\nmax_usd = = 3\n")).toMatchObject({
      config: defaultConfig,
      problems: [{ level: "error", line: 2, key: "" }],
    });
  });

  it.each([
    [7, 0.5, "Hox uses 5"],
    [7, 0.75, "requires 6 of 7 votes: 2 validators that are silent or wrong stop every result"],
    [4, 1, "one validator that is silent or wrong stops"],
  ])("with %i seats explains a share of %d", (seats, share, words) => {
    const { config, problems } = parseConfig(
      `[validation]\nvalidator_count = ${seats}\nconsensus_threshold = ${share}\n`,
    );
    expect(problems).toMatchObject([{ level: "warning", line: 3, message: expect.stringContaining(words) }]);
    expect(config.validation.consensusThreshold).toBe(share);
  });

  it("accepts a share that safety requires anyway, and reports too few seats and too many models", () => {
    expect(parseConfig("[validation]\nconsensus_threshold = 0.75\n").problems).toEqual([]);
    expect(parseConfig("[validation]\nvalidator_count = 3\n").problems).toMatchObject([
      { level: "warning", line: 2 },
    ]);
    expect(
      parseConfig('[validation]\nvalidator_count = 4\nmodels = ["a", "b", "c", "d", "e"]\n').problems,
    ).toMatchObject([
      { level: "warning", line: 3, message: expect.stringContaining("the last 1 are never used") },
    ]);
  });

  it.each([
    ['[workflow]\npanel = "off"', "judges a result that was rejected before", 3],
    ["[run]\nquick = true", "no votes", 3],
    ['[workflow]\npanel = "on"', "", 0],
    ['[workflow]\npanel = "auto"', "", 0],
  ])("warns of panel settings without effect with %s", (other, text, count) => {
    const { problems } = parseConfig(
      `${other}\n[validation]\nstrategy = "peer_review"\nvalidator_count = 7\nconsensus_threshold = 0.7\n`,
    );
    const unused = problems.filter(({ message }) => message.includes("have no effect"));
    expect(unused.map(({ level, line }) => [level, line])).toEqual(
      [4, 5, 6].slice(0, count).map((line) => ["warning", line]),
    );
    for (const { message } of unused) expect(message).toContain(text);
  });

  it("warns of a strategy and a threshold for one validator", () => {
    const { problems } = parseConfig(
      '[workflow]\npanel = "on"\n[validation]\nstrategy = "peer_review"\nvalidator_count = 1\n',
    );
    expect(problems).toMatchObject([
      { key: "validation.strategy", message: expect.stringContaining("There is no panel") },
      { key: "validation.validator_count" },
    ]);
  });

  it("knows every strategy by name, and refuses another one with its line", () => {
    for (const strategy of ["dedicated_validators", "peer_review", "historical_compare"])
      expect(parseConfig(`[validation]\nstrategy = "${strategy}"\n`)).toMatchObject({
        problems: [],
        config: { validation: { strategy } },
      });
    for (const phases of ["checks", "seats"])
      expect(parseConfig(`[validation]\nphases = "${phases}"\n`)).toMatchObject({
        problems: [],
        config: { validation: { phases } },
      });
    expect(parseConfig('[validation]\nphases = "votes"\n').problems).toMatchObject([
      { level: "error", line: 2, key: "validation.phases", message: expect.stringContaining('"checks"') },
    ]);
    expect(parseConfig('[validation]\n# mine\nstrategy = "majority"\n').problems).toMatchObject([
      { level: "error", line: 3, message: expect.stringContaining('"peer_review"') },
    ]);
  });
});

describe("sandbox.hosts", () => {
  it("accepts names, true subdomains, addresses and ports", () => {
    const { config, problems } = parseConfig(
      '[sandbox]\nhosts = ["npm.example.com", "*.example.com", "192.0.2.7:8443"]\n',
    );
    expect(problems).toEqual([]);
    expect(config.sandbox.hosts).toEqual(["npm.example.com", "*.example.com", "192.0.2.7:8443"]);
  });

  it.each([
    ["*", "must have a single star, at the start"],
    ["https://example.com/", "must be a host without scheme"],
    ["127.0.0.1:5000", "must not be this machine’s loopback"],
    ["localhost", "must be a full name"],
  ])("opens nothing for %j, and reports its line and what is wrong", (entry, words) => {
    const { config, problems } = parseConfig(`# mine\n[sandbox]\nhosts = ["example.com", "${entry}"]\n`);
    expect(problems).toMatchObject([{ level: "error", line: 3, key: "sandbox.hosts" }]);
    expect(problems[0]?.message).toContain(words);
    expect(problems[0]?.message).toContain("(at 1)");
    expect(config.sandbox.hosts).toEqual([]);
  });
});
