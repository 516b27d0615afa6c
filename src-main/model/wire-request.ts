import type Anthropic from "@anthropic-ai/sdk";
import { wellFormed } from "#shared/domain/text/cut-text.ts";
import type {
  AssistantBlock,
  ModelMessage,
  ModelRequest,
  ToolSchema,
  UserBlock,
} from "./driver-interface.ts";
import type { ModelFacts } from "./price-table.ts";

type CacheMark = { readonly cache_control: Anthropic.CacheControlEphemeral };

/** The shorter lifetime goes without saying. */
const markFor = (lifetime: "5m" | "1h"): CacheMark => ({
  cache_control: lifetime === "1h" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" },
});

/**
 * Our request in the wire's words. Cache marks: one after tools and system, which stay the same to the byte, and
 * one on each of the last two user messages, so that this turn reads what the turn before wrote.
 */
export function requestParams(request: ModelRequest, facts: ModelFacts): Anthropic.MessageStreamParams {
  const users = request.messages.flatMap((message, index) => (message.role === "user" ? [index] : []));
  const marked = new Set(users.slice(-2));
  const mark = markFor(request.cachedFor ?? "5m");
  // Half a sign in a file's text, a name, or a call of the model's own: the provider would refuse all of it for that.
  return wellFormed({
    model: request.model,
    max_tokens: Math.min(request.maxTokens, facts.maxOutput),
    ...(request.system === "" ? {} : { system: [{ type: "text", text: request.system, ...mark }] }),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(wireTool) }),
    messages: request.messages.map((message, index) => wireMessage(message, marked.has(index) ? mark : {})),
    // Without `summarized` the thinking arrives empty and a live view goes silent.
    ...(facts.adaptiveThinking ? { thinking: { type: "adaptive", display: "summarized" } } : {}),
    ...(request.effort && facts.effort ? { output_config: { effort: request.effort } } : {}),
  });
}

const wireTool = (tool: ToolSchema): Anthropic.Tool => ({
  name: tool.name,
  description: tool.description,
  input_schema: { type: "object", ...tool.inputSchema },
});

function wireMessage(message: ModelMessage, mark: Partial<CacheMark>): Anthropic.MessageParam {
  if (message.role === "assistant") {
    return { role: "assistant", content: message.content.map((block) => ({ ...block })) };
  }
  const last = message.content.length - 1;
  return {
    role: "user",
    content: message.content.map((block, index) => ({
      ...wireBlock(block),
      ...(index === last ? mark : {}),
    })),
  };
}

function wireBlock(block: UserBlock): Anthropic.TextBlockParam | Anthropic.ToolResultBlockParam {
  if (block.type === "text" || typeof block.content === "string")
    return block as Anthropic.TextBlockParam | Anthropic.ToolResultBlockParam;
  return {
    ...block,
    content: block.content.map((part) =>
      part.type === "text"
        ? part
        : { type: "image", source: { type: "base64", media_type: part.mediaType, data: part.data } },
    ),
  };
}

/** The blocks that we use; empty text is left out because the wire refuses it when it goes back. */
export function answerBlocks(content: readonly Anthropic.ContentBlock[]): readonly AssistantBlock[] {
  return content.flatMap((block): readonly AssistantBlock[] => {
    switch (block.type) {
      case "text":
        return block.text === "" ? [] : [{ type: "text", text: block.text }];
      case "tool_use":
        return [{ type: "tool_use", id: block.id, name: block.name, input: block.input }];
      case "thinking":
        return [{ type: "thinking", thinking: block.thinking, signature: block.signature }];
      case "redacted_thinking":
        return [{ type: "redacted_thinking", data: block.data }];
      default:
        return [];
    }
  });
}
