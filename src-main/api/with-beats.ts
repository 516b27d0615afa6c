import type { NumberedEvent } from "#shared/contract/events.ts";
import { beatMs } from "#shared/contract/liveness.ts";

/**
 * The stream, and a sign of life wherever it is quiet for longer than this: a window cannot tell a host that has nothing to
 * say from one that is stopped, and its socket stays open either way.
 */
export async function* withBeats(
  stream: AsyncGenerator<NumberedEvent, void, void>,
  everyMs: number = beatMs,
): AsyncGenerator<NumberedEvent, void, void> {
  try {
    let next = stream.next();
    for (;;) {
      const found = await within(next, everyMs);
      if (found === null) {
        yield { seq: 0, event: { kind: "alive" } };
        continue;
      }
      if (found.done) return;
      yield found.value;
      next = stream.next();
    }
  } finally {
    // It ends by its signal: where it still waits for something to tell, this would wait with it.
    void stream.return();
  }
}

/** What comes in time, or null. */
async function within<T>(coming: Promise<T>, ms: number): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), ms);
  try {
    return await Promise.race([coming, promise]);
  } finally {
    clearTimeout(timer);
  }
}
