/** Who does a worker's work, as it is written where a model is: `claude-sonnet-5-5`, `codex`, `claude/claude-opus-5`. */

/** Agents of other makes that Hox knows how to start. */
export const knownAgents = ["claude", "codex", "gemini", "opencode"] as const;

/** The protocols of providers whose answers Hox can meter. */
export const wires = ["anthropic", "openai-responses", "openai-chat", "gemini"] as const;
export type Wire = (typeof wires)[number];

export interface AgentChoice {
  /** Name of an agent of another make; null: Hox's own. */
  readonly agent: string | null;
  /** Null: the one that the agent's table names, or its own default. Never null for Hox's own agent. */
  readonly model: string | null;
}

/**
 * Reads a choice. A name before the first slash counts where it is one of an agent, so that models with a slash in their
 * names stay what they are.
 *
 * @param names of the agents of other makes that there are
 */
export function parseAgentChoice(text: string, names: readonly string[]): AgentChoice {
  const [agent = "", ...rest] = text.split("/");
  if (!names.includes(agent)) return { agent: null, model: text };
  const model = rest.join("/");
  return { agent, model: model === "" ? null : model };
}
