/** The scripted agent as the program of an agent that Hox knows, so that machines find it as they find that. */
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { onTestFinished, vi } from "vitest";
import { tempDir } from "../../testing/kit.ts";
import type { Step } from "./external-agent-script.ts";
import { exampleFiles } from "./three-agents-script.ts";

const source = fileURLToPath(new URL("../../external-agents/testing/scripted-agent.mjs", import.meta.url));

/** Makes the program. @param folder for PATH */
export async function buildScriptedAgent(folder: string): Promise<void> {
  await mkdir(folder);
  await build({
    ...{ configFile: false, logLevel: "silent", ssr: { noExternal: true } },
    build: {
      ...{ ssr: source, outDir: folder, emptyOutDir: false },
      rolldownOptions: {
        output: { format: "cjs", entryFileNames: "claude-agent-acp", banner: `#!${process.execPath}` },
      },
    },
  });
  await chmod(join(folder, "claude-agent-acp"), 0o755);
}

/** Installs it for this process and what it starts. @returns PATH without it */
export async function installScriptedAgent(): Promise<string> {
  const folder = join(tempDir(), "bin");
  await buildScriptedAgent(folder);
  const { PATH = "" } = process.env;
  vi.stubEnv("PATH", `${folder}:${PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return PATH;
}

/** A repository in which that program does these steps for each prompt. */
export const installedAgentFiles = (script: readonly (readonly Step[])[], offers = {}, more = "") => ({
  ...exampleFiles,
  ".hox/config.toml": `${exampleFiles[".hox/config.toml"]}
[workflow]
contracts = "off"
learning = "off"
panel = "off"

[[agent]]
name = "claude"
environment = [
  ${JSON.stringify(`SCRIPT=${JSON.stringify(script)}`)},
  ${JSON.stringify(`OFFERS=${JSON.stringify({ resume: true, http: true, system: true, ...offers })}`)},
  "MODEL_URL={bridge}",
]
${more}`,
});

export const installedModels = { agent: "claude/claude-sonnet-5-5" };
