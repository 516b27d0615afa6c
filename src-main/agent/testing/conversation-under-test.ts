import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { totalTokens, type Usage } from "#shared/domain/spending/usage.ts";
import { type AnthropicDriverOptions, createAnthropicDriver } from "../../model/anthropic-driver.ts";
import type { ModelDriver } from "../../model/driver-interface.ts";
import { createRateLimit } from "../../model/rate-limit.ts";
import type { Script } from "../../model/stand-in/script.ts";
import { type StandIn, type StandInOptions, startStandIn } from "../../model/stand-in/stand-in.ts";
import { agentTools } from "../../tools/agent-tools.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import { workspaceFiles } from "../../tools/workspace-files.ts";
import type {
  Conversation,
  ConversationOptions,
  ModelConversationOptions,
  ResumeToken,
} from "../agent-interface.ts";
import { createConversation } from "../conversation.ts";

/** Conversations of `agent-1` in a folder of their own, over the real wire with a model whose words are scripted. */
export interface ConversationsUnderTest {
  readonly workspace: string;
  readonly standIn: StandIn;
  readonly driver: ModelDriver;
  readonly entries: ConversationEntry[];
  readonly spent: Usage[];
  /** What was stored last. */
  stored(): ResumeToken | null;
  options(): ConversationOptions;
  begin(over?: Partial<ModelConversationOptions>): Promise<Conversation>;
  close(): Promise<void>;
}

export async function conversationsUnderTest(
  scenes: Script["routes"][string],
  given: Partial<Omit<StandInOptions, "script">> & {
    readonly window?: number;
    readonly driver?: Partial<AnthropicDriverOptions>;
  } = {},
): Promise<ConversationsUnderTest> {
  const { window = 1_000_000, driver: over = {}, ...standInOptions } = given;
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), "hox-conversation-")));
  mkdirSync(join(workspace, ".jj"));
  const standIn = await startStandIn({
    script: { name: "conversation", routes: { "agent-1": scenes } },
    contextWindow: window,
    ...standInOptions,
  });
  const driver = createAnthropicDriver({
    apiKey: standIn.apiKey,
    baseUrl: standIn.url,
    scheduler: createRateLimit(),
    models: () => ({ contextWindow: window, maxOutput: 8000, adaptiveThinking: true, effort: true }),
    backoffMs: 5,
    ...over,
  });
  const entries: ConversationEntry[] = [];
  const spent: Usage[] = [];
  let stored: ResumeToken | null = null;
  const sandbox = await createSandbox({ allowUnsandboxed: true });
  const options = (): ConversationOptions => ({
    model: "claude-sonnet-5-5",
    system: "You work on one task.\nHox-Role: agent-1",
    tools: agentTools(),
    toolContext: {
      agent: "agent-1",
      signal: new AbortController().signal,
      files: workspaceFiles({ workspace }),
      run: (command) => sandbox.run({ ...command, workspace }),
      environment: {},
    },
    requester: "agent-1",
    maxTokens: 4000,
    maxTurns: 60,
    gate: () => null,
    onEntry: (entry) => entries.push(entry),
    onSpent: (one) => spent.push(one.usage),
    onTurn: (token) => {
      stored = token;
    },
  });
  return {
    workspace,
    standIn,
    driver,
    entries,
    spent,
    stored: () => stored,
    options,
    begin: async (rest = {}) => createConversation({ ...options(), driver, price: totalTokens, ...rest }),
    async close() {
      await standIn.close();
      rmSync(workspace, { recursive: true });
    },
  };
}
