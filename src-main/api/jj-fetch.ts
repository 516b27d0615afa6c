import type { AppView } from "#shared/contract/views/app.ts";
import type { HostParts } from "./host-parts.ts";

/** So often a person is told how far it is. */
const reportEveryMs = 200;

/** The one fetching of jj that goes on at a time; every page sees how far it is. */
export interface JjFetch {
  view(): AppView["jjFetch"];
  /** Who asks while it goes on waits for the same one. */
  start(): Promise<void>;
  cancel(): void;
  /** Cancels and waits; whoever asked for it has heard of a failure. */
  close(): Promise<void>;
}

/**
 * @param changed is told whenever the view is another one
 * @param lookAgain looks at the programs, once there is another jj
 */
export function createJjFetch(
  install: HostParts["installJj"],
  changed: () => void,
  lookAgain: () => Promise<unknown>,
): JjFetch {
  let shown: AppView["jjFetch"] = null;
  let cancel: AbortController | null = null;
  let done: Promise<void> = Promise.resolve();

  const show = (progress: AppView["jjFetch"]): void => {
    shown = progress;
    changed();
  };
  const fetch = async (signal: AbortSignal): Promise<void> => {
    let reportedAt = 0;
    show({ received: 0, total: null });
    try {
      await install({
        signal,
        onProgress: (progress) => {
          if (Date.now() - reportedAt < reportEveryMs) return;
          reportedAt = Date.now();
          show(progress);
        },
      });
    } catch (error) {
      // A person who has cancelled knows that there is none.
      if (!signal.aborted) throw error;
    } finally {
      show(null);
    }
    if (!signal.aborted) await lookAgain();
  };

  return {
    view: () => shown,
    start() {
      if (cancel) return done;
      cancel = new AbortController();
      done = fetch(cancel.signal).finally(() => {
        cancel = null;
      });
      return done;
    },
    cancel: () => cancel?.abort(),
    async close() {
      cancel?.abort();
      await done.catch(() => undefined);
    },
  };
}
