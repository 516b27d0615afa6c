import type { UserBlock } from "../model/driver-interface.ts";
import type { CallResult, ToolCall } from "./tool-calls.ts";

/** What a call came to, as the wire wants it: the text, and pictures after it. */
export const resultBlock = (call: ToolCall, outcome: CallResult["outcome"]): UserBlock => {
  const text = outcome.output === "" ? "(no output)" : outcome.output;
  const images = outcome.ok ? (outcome.images ?? []) : [];
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content:
      images.length === 0
        ? text
        : [
            { type: "text", text },
            ...images.map(({ mediaType, data }) => ({ type: "image" as const, mediaType, data })),
          ],
    is_error: !outcome.ok,
  };
};
