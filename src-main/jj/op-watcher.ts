import { watch } from "node:fs";
import { singleFlight } from "#shared/async/single-flight.ts";
import type { Store } from "./op-heads.ts";
import { readHeads } from "./op-heads.ts";

/** A jj command adds its head before it takes the old one away; so long two heads are not yet a fork. */
const settling = 12;
/** When the file system's notices fail (network folders, exhausted watches), this finds the news. */
const slowPoll = 2_000;

/**
 * Tells of every new operation of a repository, whichever workspace or terminal made it.
 * @param current answers the one operation and reconciles a real fork through the writing queue
 * @param onOperation called with the newest id, first with the one that stands when watching begins; what came between stands in the operation log
 * @param onError called when the watching itself fails; the slow poll goes on
 * @returns stops watching
 */
export function watchOperations(
  store: Store,
  current: () => Promise<string>,
  onOperation: (operation: string) => void,
  onError: (error: Error) => void,
): () => void {
  let last: string | undefined;
  let stopped = false;
  let failing = false;
  let timer: NodeJS.Timeout | undefined;

  const look = singleFlight(async () => {
    if (stopped) return;
    try {
      const heads = await readHeads(store);
      if (heads.length > 1) await new Promise((resolve) => setTimeout(resolve, settling));
      const operation = await current();
      failing = false;
      if (!stopped && operation !== last) {
        last = operation;
        onOperation(operation);
      }
    } catch (error) {
      // A repository that was taken away is told of once, not with every poll.
      if (!stopped && !failing) onError(error instanceof Error ? error : new Error(String(error)));
      failing = true;
    }
  });

  const soon = (): void => {
    // The first event of a burst is acted on at once; the rest of the burst is one more look.
    if (timer) return;
    timer = setTimeout(() => {
      timer = undefined;
      void look();
    }, 2);
  };

  const watcher = watch(store.heads, { persistent: false }, soon);
  watcher.on("error", (error) => {
    watcher.close();
    onError(error);
  });
  const net = setInterval(() => void look(), slowPoll);
  net.unref();
  void look();

  return () => {
    stopped = true;
    clearTimeout(timer);
    clearInterval(net);
    watcher.close();
  };
}
