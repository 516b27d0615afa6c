import type * as acp from "@agentclientprotocol/sdk/unstable";
import { methods } from "@agentclientprotocol/sdk/unstable";
import type { ReportedCapabilities } from "./runner-protocol.ts";

type Agent = acp.ClientConnection["agent"];

/** What an agent says of itself. */
export interface AboutAgent {
  readonly name: string;
  readonly version: string;
  readonly capabilities: ReportedCapabilities;
}

/** What an agent offers in a session that it opened. */
export type Opened = Pick<acp.NewSessionResponse, "modes" | "configOptions">;

/**
 * Chooses mode and model where the agent offers them.
 *
 * @returns what it does not offer
 */
export async function chooseSettings(
  agent: Agent,
  {
    sessionId,
    opened: { modes, configOptions },
    mode,
    model,
  }: { sessionId: string; opened: Opened; mode: string | undefined; model: string | undefined },
): Promise<string[]> {
  const notes: string[] = [];
  const { session } = methods.agent;
  if (mode !== undefined && modes?.currentModeId !== mode) {
    if (modes?.availableModes.some(({ id }) => id === mode))
      await agent.request(session.setMode, { sessionId, modeId: mode });
    else notes.push(`The agent does not offer the mode "${mode}".`);
  }
  const choice = configOptions?.find(({ category }) => category === "model");
  if (model === undefined || choice?.type !== "select" || choice.currentValue === model) return notes;
  const offered = choice.options.flatMap((one) => ("options" in one ? one.options : [one]));
  if (offered.some(({ value }) => value === model))
    await agent.request(session.setConfigOption, { sessionId, configId: choice.id, value: model });
  else notes.push(`The agent does not offer the model "${model}". It uses "${choice.currentValue}".`);
  return notes;
}

export function aboutAgent({ agentInfo, agentCapabilities: can }: acp.InitializeResponse): AboutAgent {
  return {
    name: agentInfo?.name ?? "agent",
    version: agentInfo?.version ?? "unknown",
    capabilities: {
      resume: can?.sessionCapabilities?.resume ? "resume" : can?.loadSession ? "load" : "none",
      mcpHttp: can?.mcpCapabilities?.http ?? false,
      images: can?.promptCapabilities?.image ?? false,
      system: Boolean(can?.sessionCapabilities?.systemPrompt),
    },
  };
}

/** @throws Error when it takes longer */
export async function within<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
