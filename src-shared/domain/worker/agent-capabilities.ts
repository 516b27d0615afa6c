/** What agents can do, for the engine and the windows alike: nobody asks for their names. */

export interface AgentCapabilities {
  /** Whether it continues a conversation after its process has ended. */
  readonly resume: "none" | "load" | "resume";
  /** Whether a conversation can be copied with its history. */
  readonly fork: boolean;
  /** Whether it takes a message in the middle of a turn. */
  readonly steering: boolean;
  /** Who counts its tokens: the gateway on the wire, the agent itself, or nobody. */
  readonly usage: "metered" | "reported" | "none";
  /** Whether it shows the steps that it plans. */
  readonly plan: boolean;
  /** Whether it can call Hox's own tools. */
  readonly mcpHttp: boolean;
  readonly images: boolean;
}

/** An agent of another make, as a window shows it. */
export interface AgentView {
  readonly label: string;
  readonly capabilities: AgentCapabilities;
}

/** What a user or the engine may want of an agent that not every agent can do. */
export type AgentUse = "ask" | "fork" | "inherit" | "subagents" | "steer" | "resume" | "tools" | "images";

interface Rule {
  readonly needs: (capabilities: AgentCapabilities) => boolean;
  readonly reason: (label: string) => string;
}

const copies = ({ fork }: AgentCapabilities): boolean => fork;

const rules: Readonly<Record<AgentUse, Rule>> = {
  ask: {
    needs: copies,
    reason: (label) => `${label} can’t answer on the side: its conversation can’t be copied.`,
  },
  fork: { needs: copies, reason: (label) => `${label} can’t be forked: its conversation can’t be copied.` },
  inherit: {
    needs: copies,
    reason: (label) => `${label} can’t continue another agent’s conversation, so it begins fresh.`,
  },
  subagents: { needs: copies, reason: (label) => `${label} can’t start subagents.` },
  steer: {
    needs: ({ steering }) => steering,
    reason: (label) => `${label} takes no messages during a turn.`,
  },
  resume: {
    needs: ({ resume }) => resume === "resume",
    reason: (label) =>
      `${label} may lose its conversation when its process ends: its iteration then begins again.`,
  },
  tools: {
    needs: ({ mcpHttp }) => mcpHttp,
    reason: (label) => `${label} can’t use Hox’s tools, so it can’t ask you or report that it is done.`,
  },
  images: { needs: ({ images }) => images, reason: (label) => `${label} sees no attached images.` },
};

/**
 * Why an agent cannot do something, in a sentence for the user.
 *
 * @param agent null: Hox's own, which can do all of it
 * @returns null where it can
 */
export function whyNot(agent: AgentView | null, use: AgentUse): string | null {
  const { needs, reason } = rules[use];
  return agent === null || needs(agent.capabilities) ? null : reason(agent.label);
}
