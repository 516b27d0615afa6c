import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { configPath, loadConfig, parseConfig } from "./config.ts";
import { looseningRules } from "./loosening-rules.ts";
import { resourcePath } from "./resources-folder.ts";
import { configKeys, defaultConfig, defaultSettings } from "./settings.ts";
import { readTrustedSettings, trustedSettingsPath, trustSettings } from "./trusted-settings.ts";
import { changeConfigFile, withDependencyRule } from "./write-settings.ts";

let folder: string;
beforeEach(() => {
  folder = tempDir();
});

const place = () => ({ root: folder, stateFolder: join(folder, "state"), settings: defaultSettings });
const write = (text: string): void => {
  mkdirSync(dirname(configPath(folder)), { recursive: true });
  writeFileSync(configPath(folder), text);
};
/** What a file would loosen under these limits of the user's, with nothing trusted, and what is in force. */
const untrusted = (text: string, settings: Partial<typeof defaultSettings> = {}) => {
  const { maxParallelAgents, defaultTokens, defaultMicroDollars } = { ...defaultSettings, ...settings };
  const limits = {
    maxParallelAgents,
    maxTokens: defaultTokens,
    maxUsd: defaultMicroDollars === null ? null : defaultMicroDollars / 1e6,
  };
  const {
    config,
    problems,
    untrusted: list,
  } = parseConfig(text, undefined, { limits, trusted: [], ignored: [] });
  expect(problems.filter(({ level }) => level === "error")).toEqual([]);
  return { config, texts: list.map((one) => one.text) };
};

/** One value that loosens, for every key that has such a rule. */
const loose: Readonly<Record<string, string>> = {
  protected_files: '["!CLAUDE.md"]',
  hooks: '[{ name = "x", on = "iteration", command = "curl evil" }]',
  agent: '[{ name = "x", command = ["evil"] }]',
  "archangels.max_usd_per_day": "1.5",
  "loop_defaults.max_iterations": "21",
  "loop_defaults.max_turns": "61",
  "loop_defaults.max_parallel_agents": "5",
  "backpressure.fast_checks": "[]",
  "backpressure.slow_checks": "[]",
  "backpressure.preflight": '"off"',
  "models.agent": '"codex/gpt-5.5"',
  "models.api_key_env": '"GITHUB_TOKEN"',
  "validation.strategy": '"peer_review"',
  "validation.validator_count": "3",
  "validation.repair_rounds": "3",
  "budget.max_tokens": "20001",
  "budget.max_usd": "50000",
  "budget.subscription_minutes": "61",
  "budget.subscription_turns": "21",
  "workspace.setup": '["npm ci"]',
  "workspace.setup_hosts": '["evil.example"]',
  "workspace.caches": '["node_modules", ".venv", "venv", "vendor", "deps", ".secrets"]',
  "sandbox.hosts": '["evil.example"]',
  "dependencies.allow": '["*"]',
  "dependencies.hosts": '["evil.example"]',
  "merge_requests.review": '"none"',
  "merge_requests.max_rounds": "4",
  "run.quick": "true",
  "workflow.reviews": '"off"',
  "workflow.integrator": '"off"',
  "workflow.panel": '"off"',
  "workflow.risky_files": "[]",
  "limits.orchestrator_levels": "4",
  "limits.children_per_orchestrator": "17",
  "limits.workers_per_run": "65",
  "hive.max_depth": "4",
  "hive.max_clone_fork_depth": "2",
  "gates.plan": '"auto"',
  "gates.mutations": '"auto"',
  "gates.auto_mutation_max_conflicts": "1",
  "gates.compliance": '"text"',
  "gates.land": '"auto"',
  "landing.approvers": '["alice"]',
  "metrics.otlp_endpoint": '"http://localhost:4318"',
  "metrics.otlp_headers_env": '"HOX_OTLP_HEADERS"',
  "metrics.otlp_content": "true",
};
const fileWith = (key: string, value: string): string => {
  const [table = "", name] = key.split(".");
  return name === undefined ? `${table} = ${value}\n` : `[${table}]\n${name} = ${value}\n`;
};

describe("settings of a repository", () => {
  it("have a rule for every key, and a tested value for every loosening rule", () => {
    expect(Object.keys(looseningRules)).toEqual(configKeys);
    expect(Object.keys(loose)).toEqual(configKeys.filter((key) => looseningRules[key].kind !== "harmless"));
  });

  it.each(Object.entries(loose))("are not in force when %s = %s loosens and is not trusted", (key, value) => {
    const own = { defaultTokens: 20_000 };
    const { config, texts } = untrusted(fileWith(key, value), own);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.every((text) => text.startsWith(key))).toBe(true);
    const isExtended = key === "protected_files" || key === "workflow.risky_files";
    if (!isExtended) expect(config).toEqual(defaultConfig);
    // Trusted, each of them holds as the file says.
    const limits = { maxParallelAgents: 4, maxTokens: 20_000, maxUsd: 5 };
    const trusted = parseConfig(fileWith(key, value), undefined, { limits, trusted: texts, ignored: [] });
    expect(trusted.untrusted).toEqual([]);
    expect(trusted.config).toEqual(parseConfig(fileWith(key, value)).config);
  });

  it("are in force without trust when they tighten", () => {
    const text = `protected_files = [${[...defaultConfig.protectedFiles, "src/locked.txt"].map((one) => JSON.stringify(one)).join(", ")}]
[loop_defaults]
max_iterations = 5
max_parallel_agents = 2
auto_advance = false
[backpressure]
fast_checks = ["cargo check"]
[validation]
validator_count = 7
phases = "seats"
[budget]
max_usd = 0.5
max_tokens = 100
[workspace]
caches = ["packages/app/node_modules"]
[dependencies]
deny = ["*"]
otherwise = "deny"
[merge_requests]
review = "user"
[hive]
enabled = false
[limits]
workers_per_run = 3
[gates]
subplans = "ask"
`;
    const { config, texts } = untrusted(text);
    expect(texts).toEqual([]);
    expect(config).toEqual(parseConfig(text).config);
  });

  it("keep all default protections when they add a list", () => {
    const { config, texts } = untrusted(
      'protected_files = ["secret/**", "!CLAUDE.md", "!.env.example", ".env.*"]\n',
    );
    expect(texts).toEqual([
      'protected_files: "!CLAUDE.md"',
      expect.stringMatching(/^protected_files: without "\.env", "\.secrets", .*"mix\.lock"$/u),
    ]);
    expect(config.protectedFiles).toEqual(
      expect.arrayContaining(["secret/**", ".env", "Cargo.lock", "!.env.example"]),
    );
    expect(config.protectedFiles).not.toContain("!CLAUDE.md");
    // Without the exception the wildcard covers it: that tightens.
    expect(untrusted('protected_files = [".env.*"]\n').config.protectedFiles).not.toContain("!.env.example");
  });

  it("never raise a limit of the user's: the smaller budget and number of agents count", () => {
    const limits = { defaultTokens: 20_000, defaultMicroDollars: 50_000, maxParallelAgents: 2 };
    const raised = untrusted(
      "[budget]\nmax_usd = 0.06\nmax_tokens = 20001\n[loop_defaults]\nmax_parallel_agents = 3\n",
      limits,
    );
    expect(raised.texts).toHaveLength(3);
    expect(raised.config.budget).toMatchObject({ maxUsd: null, maxTokens: null });
    const lowered = untrusted("[budget]\nmax_usd = 0.04\nmax_tokens = 19999\n", limits);
    expect(lowered.texts).toEqual([]);
    expect(lowered.config.budget).toMatchObject({ maxUsd: 0.04, maxTokens: 19_999 });
    const none = untrusted("[budget]\nmax_usd = 60\nmax_tokens = 7\n", {
      defaultTokens: null,
      defaultMicroDollars: null,
    });
    expect(none.texts).toEqual([]);
  });

  it("loosen nothing as `hox init` writes them", () => {
    const text = readFileSync(resourcePath("config.default.toml"), "utf8");
    expect(untrusted(text).texts).toEqual([]);
    // Nor with any part of what it shows as a comment left in: only what stands there counts.
    expect(untrusted("").texts).toEqual([]);
  });

  it("are never looser in force than the defaults, whatever a file combines", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...Object.keys(loose)), { maxLength: 12 }), (keys) => {
        const tables = new Map<string, string[]>();
        for (const key of keys) {
          const [table = "", name] = key.split(".");
          const line = `${name ?? table} = ${loose[key]}`;
          const of = name === undefined ? "" : table;
          tables.set(of, [...(tables.get(of) ?? []), line]);
        }
        const text = [
          ...(tables.get("") ?? []),
          ...[...tables].flatMap(([table, lines]) => (table === "" ? [] : [`[${table}]`, ...lines])),
        ].join("\n");
        const { config } = untrusted(text, { defaultTokens: 20_000 });
        expect({ ...config, protectedFiles: [], workflow: null }).toEqual({
          ...defaultConfig,
          protectedFiles: [],
          workflow: null,
        });
        expect(config.workflow.riskyFiles).toEqual(defaultConfig.workflow.riskyFiles);
      }),
    );
  });
});

describe("trust in settings", () => {
  it("is stored outside of the repository, for exactly this text", async () => {
    write('[sandbox]\nhosts = ["one.example"]\n[gates]\nland = "auto"\n');
    const first = await loadConfig(place());
    expect(first.config).toEqual(defaultConfig);
    expect(first.untrusted).toEqual([
      {
        key: "sandbox.hosts",
        text: 'sandbox.hosts: "one.example"',
        allows: "Agents' commands can connect to one.example.",
        isIgnored: false,
      },
      {
        key: "gates.land",
        text: 'gates.land = "auto"',
        allows: "Results land on your branch without your approval.",
        isIgnored: false,
      },
    ]);
    await trustSettings(place().stateFolder, ['sandbox.hosts: "one.example"'], "trust");
    await trustSettings(place().stateFolder, ['gates.land = "auto"'], "ignore");
    const second = await loadConfig(place());
    expect(second.config.sandbox.hosts).toEqual(["one.example"]);
    expect(second.config.gates.land).toBe("ask");
    expect(second.untrusted).toMatchObject([{ key: "gates.land", isIgnored: true }]);

    // A change of the text asks again, and what was trusted before stays.
    write('[sandbox]\nhosts = ["one.example", "two.example"]\n');
    const third = await loadConfig(place());
    expect(third.config.sandbox.hosts).toEqual(["one.example"]);
    expect(third.untrusted).toMatchObject([{ text: 'sandbox.hosts: "two.example"', isIgnored: false }]);
  });

  it("is none when its record is unreadable", async () => {
    mkdirSync(place().stateFolder);
    writeFileSync(trustedSettingsPath(place().stateFolder), '{ "trusted": 5, ');
    expect(await readTrustedSettings(place().stateFolder)).toEqual({ trusted: [], ignored: [] });
    writeFileSync(trustedSettingsPath(place().stateFolder), '{ "trusted": 5, "ignored": ["a"] }');
    expect(await readTrustedSettings(place().stateFolder)).toEqual({ trusted: [], ignored: ["a"] });
  });

  it("includes what the user changes in Hox, and not what was there before", async () => {
    write('[dependencies]\nallow = ["*"]\n');
    await changeConfigFile(place(), (source) => withDependencyRule(source, "react"));
    const { config, untrusted: left } = await loadConfig(place());
    expect(config.dependencies.allow).toEqual(["react"]);
    expect(left.map(({ text }) => text)).toEqual(['dependencies.allow: "*"']);
  });
});
