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

const lifetimeMs = { "5m": 5 * 60_000, "1h": 60 * 60_000 } as const;

/**
 * Remembers prefixes the way the provider's cache does: up to each mark, per model, equal to the byte, for as long as the
 * mark says since they were last used.
 */
export class PrefixCache {
  readonly #seen = new Map<string, { until: number; readonly lifetime: number }>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  use(request: WireBody): InputUsage {
    const hash = createHash("sha256").update(request.model);
    const now = this.#now();
    let tokens = 0;
    let read = 0;
    let written = 0;
    let isHour = false;
    const marks: { readonly prefix: string; readonly lifetime: number }[] = [];
    for (const part of partsOf(request)) {
      hash.update(part.text).update("\0");
      tokens += tokensIn(part.text);
      const prefix = hash.copy().digest("hex");
      // A prefix is found where an earlier request put its mark, whether or not this one marks it too.
      const known = this.#seen.get(prefix);
      if (known && known.until >= now) {
        read = tokens;
        known.until = now + known.lifetime;
      }
      if (part.mark === null) continue;
      written = tokens;
      isHour ||= part.mark === "1h";
      marks.push({ prefix, lifetime: lifetimeMs[part.mark] });
    }
    for (const { prefix, lifetime } of marks) {
      const known = this.#seen.get(prefix);
      if (!known || known.until < now || known.lifetime < lifetime)
        this.#seen.set(prefix, { until: now + lifetime, lifetime });
    }
    const creation = Math.max(0, written - read);
    return {
      input_tokens: tokens - read - creation,
      cache_creation_input_tokens: creation,
      cache_read_input_tokens: read,
      cache_creation: {
        ephemeral_5m_input_tokens: isHour ? 0 : creation,
        ephemeral_1h_input_tokens: isHour ? creation : 0,
      },
    };
  }
}

export const inputTokens = (request: WireBody): number =>
  partsOf(request).reduce((sum, part) => sum + tokensIn(part.text), 0);

/** The cache's order: tools, system, messages. */
function partsOf(request: WireBody): readonly { text: string; mark: "5m" | "1h" | null }[] {
  const blocks: readonly object[] = [
    ...(request.tools ?? []),
    ...(request.system ?? []),
    ...request.messages.flatMap((message) =>
      message.content.map((block) => ({ ...block, role: message.role })),
    ),
  ];
  return blocks.map((block) => {
    const control = "cache_control" in block ? (block.cache_control as { ttl?: "5m" | "1h" } | null) : null;
    const text = JSON.stringify({ ...block, cache_control: undefined }, withoutPictures);
    return { text, mark: control == null ? null : (control.ttl ?? "5m") };
  });
}

/** A picture costs by its size in pixels, whatever its bytes: here about as much as the largest. */
const withoutPictures = (name: string, value: unknown): unknown =>
  name === "data" && typeof value === "string" && value.length > 6_400
    ? `${createHash("sha256").update(value).digest("hex")}${"x".repeat(6_336)}`
    : value;
