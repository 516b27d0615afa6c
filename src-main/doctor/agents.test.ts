import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { agentStatus } from "#shared/domain/worker/agent-report.ts";
import { defaultSettings } from "../config/settings.ts";
import { trustRepositoryConfig } from "../config/write-settings.ts";
import { tempDir } from "../testing/kit.ts";
import { inspectAgents } from "./agents.ts";

function program(folder: string, name: string, version: string): string {
  mkdirSync(join(folder, "node_modules", name), { recursive: true });
  const path = join(folder, "node_modules", name, "run");
  writeFileSync(join(folder, "node_modules", name, "package.json"), JSON.stringify({ version }));
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, 0o755);
  return path;
}

it("says of each agent whether it is installed, in which version, and what it lacks", async () => {
  const folder = tempDir();
  const codex = program(folder, "codex-acp", "2.6.0");
  writeFileSync(join(folder, "codex-acp"), `#!/bin/sh\nexec ${codex}\n`, { mode: 0o755 });
  mkdirSync(join(folder, ".codex"));
  writeFileSync(join(folder, ".codex", "auth.json"), "{}");
  mkdirSync(join(folder, ".hox"));
  writeFileSync(
    join(folder, ".hox", "config.toml"),
    `[[agent]]\nname = "own"\ncommand = ["${codex}", "--acp"]\nmodel = "claude-haiku-5-5"\napi_key_env = "OWN_KEY"\n`,
  );
  const stateFolder = tempDir();
  await trustRepositoryConfig(stateFolder, folder);
  const place = { root: folder, stateFolder, settings: defaultSettings, home: folder };
  const agents = await inspectAgents({ ...place, env: { PATH: folder, OWN_KEY: "key" } });
  const of = (name: string) => agents.find((agent) => agent.name === name);
  expect(of("own")).toMatchObject({
    ...{ found: true, command: `${codex} --acp`, version: null, install: null, model: "claude-haiku-5-5" },
    key: { variable: "OWN_KEY", isSet: true },
  });
  expect(of("codex")).toMatchObject({
    found: true,
    login: { isOn: false, isFound: true, program: "codex", hasProgram: false },
    key: { isSet: false },
  });
  expect(of("gemini")).toMatchObject({ login: null });
  expect(of("claude")).toMatchObject({ found: false, install: expect.stringContaining("npm install -g") });
  expect(agents.map(agentStatus)).toMatchObject([
    { isReady: true, remedy: null },
    { isReady: false, note: "not installed" },
    {
      isReady: false,
      note: "OPENAI_API_KEY is not set",
      remedy: "Set OPENAI_API_KEY before you start Hox, or let Codex use your login.",
    },
    { isReady: false, note: "not installed" },
    { isReady: false, note: "not installed" },
  ]);
  expect(JSON.stringify(agents)).not.toContain('"key":"key"');
});

it("says of a login that may be used what is missing, and shows nothing of it", async () => {
  const folder = tempDir();
  const canary = "canary-token-0123456789";
  writeFileSync(join(folder, "codex-acp"), "#!/bin/sh\n", { mode: 0o755 });
  const settings = { ...defaultSettings, subscriptions: ["codex"] };
  const statusOf = async (root: string | null = null) => {
    const place = { root, stateFolder: folder, settings, home: folder, env: { PATH: folder } };
    const found = (await inspectAgents(place)).find(({ name }) => name === "codex");
    expect(JSON.stringify(found)).not.toContain(canary);
    return found && agentStatus(found);
  };
  expect(await statusOf()).toMatchObject({ isReady: false, note: "your own codex is not installed" });
  writeFileSync(join(folder, "codex"), "#!/bin/sh\n", { mode: 0o755 });
  expect(await statusOf()).toMatchObject({
    note: "login not found",
    remedy: expect.stringContaining("log in"),
  });
  mkdirSync(join(folder, ".codex"));
  writeFileSync(join(folder, ".codex", "auth.json"), JSON.stringify({ token: canary }));
  expect(await statusOf()).toMatchObject({
    isReady: true,
    note: "uses your login: not metered, bounded by time and turns",
  });
  mkdirSync(join(folder, ".hox"));
  writeFileSync(
    join(folder, ".hox", "config.toml"),
    '[[agent]]\nname = "codex"\nendpoint = "https://evil.example"\n',
  );
  await trustRepositoryConfig(folder, folder);
  expect(await statusOf(folder)).toMatchObject({
    isReady: false,
    note: expect.stringContaining("so it gets no login"),
  });
});
