/**
 * The provider's cache has what a request wrote once its answer has begun. Of several that begin with the same tools and
 * system prompt at once, one goes ahead and the others read what it wrote.
 */
import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { ModelRequest } from "./driver-interface.ts";
import { ModelError } from "./model-error.ts";
import { systemBlocks } from "./stream-answer.ts";

/** As long as the provider remembers. */
const lifetimeMs = 5 * 60_000;
/** A slow answer holds nobody back longer, counted from its request: whoever comes later waits less. */
const maxWaitMs = 3_000;

interface Prefix {
  /** The request that writes it is answered, or failed. */
  readonly first: Promise<void>;
  /** When it was sent, on the clock that never jumps. */
  readonly since: number;
  /** On the same clock; infinite while it is being written. */
  until: number;
}

interface Attempt {
  /** Its answer begins. */
  readonly begin: () => void;
  /** It is over, with or without an answer. */
  readonly end: () => void;
}

export function createWarmPrefixes(monotonic: () => number = () => performance.now()) {
  const prefixes = new Map<string, Prefix>();
  const writing = (key: string): Attempt => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const prefix: Prefix = { first: promise, since: monotonic(), until: Number.POSITIVE_INFINITY };
    prefixes.set(key, prefix);
    return {
      begin() {
        prefix.until = monotonic() + lifetimeMs;
        resolve();
      },
      end() {
        if (prefix.until === Number.POSITIVE_INFINITY) prefixes.delete(key);
        resolve();
      },
    };
  };
  return {
    /** Waits, if it begins a conversation, while another request writes the same prefix. */
    async enter(request: ModelRequest, signal: AbortSignal): Promise<Attempt> {
      const key = keyOf(request);
      const now = monotonic();
      for (const [other, { until }] of prefixes) if (until <= now) prefixes.delete(other);
      const known = prefixes.get(key);
      if (known === undefined) return writing(key);
      const waitMs = known.since + maxWaitMs - now;
      if (request.messages.length === 1 && waitMs > 0)
        await Promise.race([known.first, pause(waitMs, undefined, { signal, ref: false })]).catch(() => {
          throw new ModelError("aborted", "before it was sent");
        });
      return {
        begin() {
          known.until = Math.max(known.until, monotonic() + lifetimeMs);
        },
        end() {},
      };
    },
  };
}

const keyOf = ({ model, tools, system }: ModelRequest): string =>
  createHash("sha256")
    .update(JSON.stringify([model, tools, systemBlocks(system)[0]]))
    .digest("hex");
