import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../testing/kit.ts";
import { customDialect, type Dialect, dialects, findAgent } from "./dialects.ts";

const settings = { model: "model-1", maxTurns: 50 };

describe("dialects", () => {
  it.each(dialects)("leads $id to the gateway, with a key that opens nothing", (dialect) => {
    const environment = Object.values(dialect.environment(settings)).join(" ");
    expect(environment).toContain("{bridge}");
    expect(environment).not.toMatch(/https?:/u);
    expect(
      JSON.stringify(dialect.sessionMeta?.(settings) ?? {}) + environment + JSON.stringify(dialect.files),
    ).toMatch(dialect.removedTools.length > 0 ? new RegExp(dialect.removedTools.join("|"), "u") : /./u);
  });

  it("hide the repository's settings, but for those that the user has allowed", () => {
    const [claude] = dialects;
    const mine = { ...claude, program: "sh" } as Dialect;
    const hiddenBy = (projectSettings: readonly string[]) =>
      findAgent(mine, { ...settings, projectSettings }, "/bin")?.hidden;
    expect(hiddenBy([])).toContain(".mcp.json");
    expect(hiddenBy([".mcp.json"])).toEqual([".claude/settings.json", ".claude/settings.local.json"]);
    const optionsOf = (projectSettings: readonly string[]) =>
      JSON.stringify(mine.sessionMeta?.({ ...settings, projectSettings }));
    expect(optionsOf([])).toContain('"settingSources":[],"strictMcpConfig":true');
    expect(optionsOf([".mcp.json", ".claude/settings.json"])).toContain(
      '"settingSources":["project"],"strictMcpConfig":false',
    );
  });

  it("find an agent on PATH with the packages next to it", () => {
    const folder = tempDir();
    const real = join(folder, "lib/node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js");
    mkdirSync(join(real, ".."), { recursive: true });
    mkdirSync(join(folder, "bin"));
    writeFileSync(real, "#!/usr/bin/env node\n");
    chmodSync(real, 0o755);
    symlinkSync(real, join(folder, "bin/claude-agent-acp"));
    const [claude] = dialects;
    if (!claude) throw new Error("There is no dialect.");
    expect(findAgent(claude, settings, join(folder, "bin"))).toMatchObject({
      words: [real],
      environment: { ANTHROPIC_BASE_URL: "{bridge}", ANTHROPIC_MODEL: "model-1" },
      readable: [join(folder, "lib/node_modules")],
    });
    expect(findAgent(claude, settings, "/nowhere")).toBeNull();
  });

  it("take any other command as the user wrote it", () => {
    const dialect = customDialect("mine", ["sh", "-c", "agent"], { ENDPOINT: "{bridge}/v1" });
    // Not its folder, which may be the home folder.
    expect(findAgent(dialect, settings, "/bin")).toMatchObject({
      words: [expect.stringMatching(/\/(?:da|ba)?sh$/u), "-c", "agent"],
      environment: { ENDPOINT: "{bridge}/v1" },
      readable: [expect.stringMatching(/sh$/u)],
    });
  });
});
