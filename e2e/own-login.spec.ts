import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import {
  externalAgentFiles,
  externalAgentScript,
  project,
  reportsStore,
} from "../src-main/engine/testing/external-agent-script.ts";
import { startStandIn } from "../src-main/model/stand-in/stand-in.ts";
import type { Playground } from "./host.ts";
import { expect, test } from "./test.ts";

test.use({ runView: "canvas" });

const before = "# The store keeps users\nkeep = memory\nlimit = 100\n";
const after = "# The store keeps users\nkeep = file\nlimit = 100\n";

const script = [
  [
    { think: "The store has to survive a restart." },
    {
      ask: "Edit src/store.txt",
      call: {
        kind: "edit",
        locations: [{ path: "src/store.txt", line: 2 }],
        rawInput: { file_path: "src/store.txt", old_string: "keep = memory", new_string: "keep = file" },
        content: [{ type: "diff", path: "src/store.txt", oldText: before, newText: after }],
      },
    },
    { write: "src/store.txt", text: after },
    {
      ask: "Run the checks",
      call: {
        kind: "execute",
        rawInput: {
          command: "npm --silent run check -- --reporter=dot 2>&1 | tail -n 40",
          description: "Run the checks of the store",
        },
      },
    },
    reportsStore,
  ],
];

/** Claude Code as npm installs it, and a user who is logged in there. */
function installClaude({ folder, environment }: Playground): void {
  const bin = join(folder, "bin");
  const packages = join(folder, "lib", "node_modules", "@agentclientprotocol");
  const agent = join(packages, "claude-agent-acp");
  const login = join(folder, "own-claude");
  for (const made of [bin, agent, login]) mkdirSync(made, { recursive: true });
  writeFileSync(join(agent, "package.json"), JSON.stringify({ version: "0.101.0" }));
  cpSync(join(project, "src-main/external-agents/testing/scripted-agent.mjs"), join(agent, "agent.mjs"));
  symlinkSync(join(project, "node_modules/@agentclientprotocol/sdk"), join(packages, "sdk"));
  writeFileSync(join(agent, "script.json"), JSON.stringify(script));
  const start = `#!/bin/sh\nexec "$CLAUDE_CODE_EXECUTABLE" '${agent}/agent.mjs' '${agent}/script.json'\n`;
  writeFileSync(join(agent, "start"), start, { mode: 0o755 });
  symlinkSync(join(agent, "start"), join(bin, "claude-agent-acp"));
  symlinkSync(process.execPath, join(bin, "claude"));
  writeFileSync(
    join(login, ".credentials.json"),
    JSON.stringify({ claudeAiOauth: { accessToken: "own-token-0123456789abcdef" } }),
  );
  Object.assign(environment, {
    PATH: `${bin}${delimiter}${environment.PATH}`,
    CLAUDE_CONFIG_DIR: login,
  });
}

test("an agent with the user's own login asks before it edits and runs, and its work is not metered", async ({
  start,
  playground,
  scenes,
  accessible,
}) => {
  const standIn = await startStandIn({ script: externalAgentScript, models: ["claude-sonnet-5-5"], pace: 0 });
  playground.answeredBy(standIn);
  try {
    installClaude(playground);
    const [own = ""] = externalAgentFiles([])[".hox/config.toml"].split("[[agent]]");
    const root = await playground.filledRepository("project", {
      ...externalAgentFiles([]),
      "src/store.txt": before,
      ".hox/config.toml": `${own}[[agent]]\nname = "claude"\npermissions = "ask"\n`,
    });
    const { app } = await start({ folder: root });
    const { page, inbox } = app;
    await app.graph.shown();
    await page.keyboard.press("ControlOrMeta+,");
    const claude = app
      .dialog("Settings")
      .getByRole("region", { name: "Other agents" })
      .getByRole("listitem", { name: "Claude Code" });
    await expect(claude).toContainText("Login found.");
    const use = claude.getByRole("checkbox", { name: "Let Claude Code use my login in claude" });
    await use.click();
    await expect(use).toBeChecked();
    await expect(claude).toContainText("uses your login: not metered");
    await scenes("210-own-login-in-settings");
    await accessible("a login that an agent may use");
    await page.keyboard.press("Escape");

    await page.keyboard.press("Control+Enter");
    const dialog = app.dialog("Start a run");
    await page.getByLabel("Goal").fill("Write the store");
    await dialog.getByText("Models", { exact: true }).click();
    await dialog.getByLabel("Agents", { exact: true }).fill("claude/claude-sonnet-5-5");
    await dialog.getByText(/uses your login: not metered/u).scrollIntoViewIfNeeded();
    await scenes("211-own-login-chosen");
    await page.getByLabel("Goal").press("Control+Enter");
    await expect(dialog).toBeHidden();
    await (await inbox.waitFor("plan")).getByRole("button", { name: /^Approve/u }).click();

    const edit = await inbox.waitFor("align-request");
    await expect(edit).toContainText("src/store.txt:2");
    await expect(edit).toContainText("keep = file");
    await expect(edit.getByRole("figure", { name: "Input" })).toContainText("old_string");
    await scenes("212-permission-to-edit");
    await accessible("a permission with a diff");
    await edit.getByRole("button", { name: "allow_once" }).click();

    const command = inbox.card("align-request").filter({ hasText: "Run the checks" });
    await expect(command.getByRole("figure", { name: "Command" })).toContainText("tail -n 40");
    await scenes("213-permission-for-a-command");
    await expect(page.getByText("not metered", { exact: true }).first()).toBeVisible();
    await command.getByRole("button", { name: "Show the change" }).click();
    await app.inspector.show("Metrics");
    await expect(app.inspector.region).toContainText("Your login");
    await scenes("214-not-metered");
    await page.getByRole("tab", { name: /^Inbox/u }).click();
    await command.getByRole("button", { name: "allow_once" }).click();

    await (await inbox.waitFor("land")).getByRole("button", { name: /^Land on main/u }).click();
    await expect(page.getByRole("button", { name: "Start a run" })).toBeVisible();
    expect(await playground.jj(root, ["file", "show", "-r", "main", "src/store.txt"])).toBe(after);
  } finally {
    await standIn.close();
  }
});
