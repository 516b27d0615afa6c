import { homedir } from "node:os";
import type { Settings } from "#shared/contract/settings.ts";
import type { AgentReport } from "#shared/domain/worker/agent-report.ts";
import { loadConfig } from "../config/config.ts";
import { defaultConfig } from "../config/settings.ts";
import { repositoryStateFolder } from "../config/state-folder.ts";
import { agentsOf, type ExternalAgent } from "../external-agents/agents-of.ts";
import {
  dialects,
  findAgent,
  findProgram,
  installCommand,
  installedVersion,
} from "../external-agents/dialects.ts";
import { findLogin } from "../external-agents/subscription.ts";

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
  { name, dialect, apiKeyEnv, model, isSubscription: isOn, isCustomized }: ExternalAgent,
  { env = process.env, home = homedir(), hasKey = (variable) => Boolean(env[variable]?.trim()) }: AgentPlace,
): AgentReport {
  const words = findAgent(dialect, { model: null, maxTurns: 1 }, env.PATH)?.words ?? null;
  const { subscription, label } = dialect;
  const install = installCommand(dialect);
  return {
    ...{ name, label, model, install, found: words !== null },
    command: words?.join(" ") ?? null,
    // A command of the user's own may begin with a program of another package.
    version: words === null || install === null ? null : installedVersion(words[0]),
    key: { variable: apiKeyEnv, isSet: hasKey(apiKeyEnv) },
    login: subscription
      ? {
          ...{ isOn, isCustomized, program: subscription.program },
          isFound: findLogin(dialect, env, home) !== null,
          hasProgram: findProgram(subscription.program, env.PATH ?? "") !== null,
        }
      : null,
  };
}
