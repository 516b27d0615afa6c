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
  expect(of("codex")).toMatchObject({ found: true, hasLogin: true, key: { isSet: false } });
  expect(of("claude")).toMatchObject({ found: false, install: expect.stringContaining("npm install -g") });
  expect(agents.map(agentStatus)).toMatchObject([
    { isReady: true, remedy: null },
    { isReady: false, note: "not installed" },
    {
      isReady: false,
      note: "OPENAI_API_KEY is not set; Hox does not use your login in Codex",
      remedy: "Set OPENAI_API_KEY before you start Hox.",
    },
    { isReady: false, note: "not installed" },
    { isReady: false, note: "not installed" },
  ]);
  expect(JSON.stringify(agents)).not.toContain('"key":"key"');
});
