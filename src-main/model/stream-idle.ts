export interface IdleWatch {
  /** A fetch whose response body counts as alive with every byte, pings included. */
  readonly fetch: typeof globalThis.fetch;
  readonly hasStalled: boolean;
  /** A real event came: pings alone keep a connection open, but not for ever. */
  event(): void;
  stop(): void;
}

/** How many idle times a server may send nothing but pings. */
const pingsOnly = 8;

/** Calls `onStall` once when nothing came for `ms`. Counts from now, so it covers a server that never answers too. */
export function watchIdle(ms: number, onStall: () => void): IdleWatch {
  let stalled = false;
  const stall = (): void => {
    stalled = true;
    onStall();
  };
  const bytes = setTimeout(stall, ms);
  const events = setTimeout(stall, ms * pingsOnly);

  return {
    get hasStalled() {
      return stalled;
    },
    event() {
      events.refresh();
    },
    stop() {
      clearTimeout(bytes);
      clearTimeout(events);
    },
    async fetch(input, init) {
      const response = await globalThis.fetch(input, init);
      bytes.refresh();
      if (!response.body) return response;
      const alive = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          bytes.refresh();
          controller.enqueue(chunk);
        },
      });
      return new Response(response.body.pipeThrough(alive), response);
    },
  };
}
