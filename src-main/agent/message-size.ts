import type { AssistantBlock, ModelMessage, UserBlock } from "../model/driver-interface.ts";

/** How much of a window a message takes, in characters; a picture counts as the tokens it costs would. */
export const sizeOf = (message: ModelMessage): number =>
  (message.content as readonly (AssistantBlock | UserBlock)[]).reduce(
    (sum, block) => sum + blockSize(block),
    0,
  );

/** About 1,600 tokens, the most that a picture costs. */
const imageSize = 5_000;

function blockSize(block: AssistantBlock | UserBlock): number {
  switch (block.type) {
    case "text":
      return block.text.length;
    case "thinking":
      return block.thinking.length + block.signature.length;
    case "redacted_thinking":
      return block.data.length;
    case "tool_use":
      return JSON.stringify(block.input).length + block.name.length;
    case "tool_result":
      return typeof block.content === "string"
        ? block.content.length
        : block.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : imageSize), 0);
  }
}
