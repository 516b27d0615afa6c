import type { AppView } from "#shared/contract/views/app.ts";
import type { HostParts } from "./host-parts.ts";

/** How often progress is reported. */
const reportEveryMs = 200;

/** The one download of jj at a time; every window sees its progress. */
export interface JjFetch {
  view(): AppView["jjFetch"];
  /** Joins a download in progress. */
  start(): Promise<void>;
  cancel(): void;
  /** Cancels and waits; failures are already reported. */
  close(): Promise<void>;
}

/**
 * @param changed called when the view changes
 * @param lookAgain looks for the programs again once there is another jj
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
      // After a cancel no error needs to be reported.
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
