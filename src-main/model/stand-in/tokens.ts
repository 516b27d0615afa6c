import { createHash } from "node:crypto";
import type { WireBody } from "./request.ts";

/** Four characters make one token, roughly. */
export const tokensIn = (text: string): number => Math.ceil(text.length / 4);

export interface InputUsage {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
  readonly cache_creation: {
    readonly ephemeral_5m_input_tokens: number;
    readonly ephemeral_1h_input_tokens: number;
  };
}

/** Remembers prefixes the way the provider's cache does: up to each mark, per model, equal to the byte. */
export class PrefixCache {
  readonly #seen = new Set<string>();

  use(request: WireBody): InputUsage {
    const hash = createHash("sha256").update(request.model);
    let tokens = 0;
    let read = 0;
    let written = 0;
    const marks: string[] = [];
    for (const part of partsOf(request)) {
      hash.update(part.text).update("\0");
      tokens += tokensIn(part.text);
      const prefix = hash.copy().digest("hex");
      // A prefix is found where an earlier request put its mark, whether or not this one marks it too.
      if (this.#seen.has(prefix)) read = tokens;
      if (!part.marked) continue;
      written = tokens;
      marks.push(prefix);
    }
    for (const mark of marks) this.#seen.add(mark);
    const creation = Math.max(0, written - read);
    return {
      input_tokens: tokens - read - creation,
      cache_creation_input_tokens: creation,
      cache_read_input_tokens: read,
      cache_creation: { ephemeral_5m_input_tokens: creation, ephemeral_1h_input_tokens: 0 },
    };
  }
}

export const inputTokens = (request: WireBody): number =>
  partsOf(request).reduce((sum, part) => sum + tokensIn(part.text), 0);

/** The cache's order: tools, system, messages. */
function partsOf(request: WireBody): readonly { text: string; marked: boolean }[] {
  const blocks: readonly object[] = [
    ...(request.tools ?? []),
    ...(request.system ?? []),
    ...request.messages.flatMap((message) =>
      message.content.map((block) => ({ ...block, role: message.role })),
    ),
  ];
  return blocks.map((block) => {
    const marked = "cache_control" in block && block.cache_control != null;
    return { text: JSON.stringify({ ...block, cache_control: undefined }), marked };
  });
}
