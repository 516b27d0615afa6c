import type { AgentCapabilities } from "#shared/domain/worker/agent-capabilities.ts";
import type {
  Conversation,
  ConversationDriver,
  ConversationOptions,
  ResumeToken,
} from "../agent/agent-interface.ts";
import { AcpConversation } from "./acp-conversation.ts";
import type { AcpDriverOptions } from "./acp-options.ts";
import { WorkerAgent } from "./worker-agent.ts";

/** The conversations of one worker with an agent of another make. */
export interface AcpDriver extends ConversationDriver {
  capabilities(): AgentCapabilities;
  /** Its gateway holds a request because the worker may not continue. */
  endTurn(): void;
  /** After the worker: ends its agent and its sandbox. */
  close(): Promise<void>;
}

const usageOf = ({ usage }: AcpDriverOptions, isReported: boolean): AgentCapabilities["usage"] =>
  usage === "metered" ? "metered" : usage !== "unmetered" && isReported ? "reported" : "none";

/**
 * A driver for one worker: each conversation is a session in the one process that its runner owns, and needs nothing of the
 * engine but these options.
 */
export function acpConversations(options: AcpDriverOptions): AcpDriver {
  const worker = new WorkerAgent(options.runner, options.onHandled);
  const name = `acp:${options.name}`;
  let latest: AcpConversation | null = null;
  const create = (conversation: ConversationOptions, token: ResumeToken | null): Conversation => {
    latest = new AcpConversation(worker, name, options, conversation, token);
    return latest;
  };
  return {
    name,
    start: (conversation) => create(conversation, null),
    resume(token, conversation) {
      if (token.driver !== name)
        throw new Error(`A conversation of ${token.driver} can't be resumed by ${name}.`);
      return create(conversation, token);
    },
    capabilities() {
      const { expected } = options.dialect;
      const { resume, mcpHttp, images } = worker.capabilities ?? expected;
      return {
        ...expected,
        ...{ resume, mcpHttp, images },
        usage: usageOf(options, worker.reportsUsage),
      };
    },
    endTurn: () => latest?.endTurn(),
    close: () => worker.close(),
  };
}
