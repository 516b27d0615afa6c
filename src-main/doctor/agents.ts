import { homedir } from "node:os";
import type { Settings } from "#shared/contract/settings.ts";
import type { AgentReport } from "#shared/domain/worker/agent-report.ts";
import { loadConfig } from "../config/config.ts";
import { defaultConfig } from "../config/settings.ts";
import { repositoryStateFolder } from "../config/state-folder.ts";
import { agentsOf, type ExternalAgent, inspectLogin } from "../external-agents/agents-of.ts";
import { dialects, findAgent, installCommand, installedVersion } from "../external-agents/dialects.ts";

/** Names of the agents that can use their user's own login. */
export const loginAgents: readonly string[] = dialects.flatMap(({ id, subscription }) =>
  subscription ? [id] : [],
);

interface AgentPlace {
  /** The repository whose configuration counts; null: none. */
  readonly root: string | null;
  /** Of the app. */
  readonly stateFolder: string;
  readonly settings: Settings;
  readonly env?: NodeJS.ProcessEnv;
  /** Where the user's logins are. */
  readonly home?: string;
  /** Whether Hox has the key of a variable. Default: it is in the environment. */
  readonly hasKey?: (variable: string) => boolean;
}

/** The agents of other makes that the configuration and Hox name, and what each lacks. */
export async function inspectAgents(place: AgentPlace): Promise<readonly AgentReport[]> {
  const { root, stateFolder, settings } = place;
  const { config } =
    root === null
      ? { config: { ...defaultConfig, subscriptions: settings.subscriptions } }
      : await loadConfig({ root, stateFolder: repositoryStateFolder(stateFolder, root), settings });
  return agentsOf(config).map((agent) => inspectAgent(agent, place));
}

function inspectAgent(
  agent: ExternalAgent,
  { env = process.env, home = homedir(), hasKey = (variable) => Boolean(env[variable]?.trim()) }: AgentPlace,
): AgentReport {
  const { name, dialect, apiKeyEnv, model } = agent;
  const words = findAgent(dialect, { model: null, maxTurns: 1 }, env.PATH)?.words ?? null;
  const { label } = dialect;
  const install = installCommand(dialect);
  return {
    ...{ name, label, model, install, found: words !== null },
    command: words?.join(" ") ?? null,
    // A command of the user's own may begin with a program of another package.
    version: words === null || install === null ? null : installedVersion(words[0]),
    key: { variable: apiKeyEnv, isSet: hasKey(apiKeyEnv) },
    login: inspectLogin(agent, env, home),
  };
}
