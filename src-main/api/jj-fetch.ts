import type { AppView } from "#shared/contract/views/app.ts";
import type { HostParts } from "./host-parts.ts";

/** So often a person is told how far it is. */
const tellEveryMs = 200;

/** The one fetching of jj that goes on at a time; every page sees how far it is. */
export class JjFetch {
  readonly #install: HostParts["installJj"];
  readonly #changed: () => void;
  readonly #lookAgain: () => Promise<unknown>;
  #progress: AppView["jjFetch"] = null;
  #cancel: AbortController | null = null;
  #done: Promise<void> = Promise.resolve();

  constructor(install: HostParts["installJj"], changed: () => void, lookAgain: () => Promise<unknown>) {
    this.#install = install;
    this.#changed = changed;
    this.#lookAgain = lookAgain;
  }

  view(): AppView["jjFetch"] {
    return this.#progress;
  }

  /** Who asks while it goes on waits for the same one. */
  start(): Promise<void> {
    if (this.#cancel) return this.#done;
    this.#cancel = new AbortController();
    this.#done = this.#run(this.#cancel.signal).finally(() => {
      this.#cancel = null;
    });
    return this.#done;
  }

  cancel(): void {
    this.#cancel?.abort();
  }

  /** Cancels and waits; whoever asked for it has heard of a failure. */
  async close(): Promise<void> {
    this.cancel();
    await this.#done.catch(() => undefined);
  }

  async #run(signal: AbortSignal): Promise<void> {
    let toldAt = 0;
    this.#show({ received: 0, total: null });
    try {
      await this.#install({
        signal,
        onProgress: (progress) => {
          if (Date.now() - toldAt < tellEveryMs) return;
          toldAt = Date.now();
          this.#show(progress);
        },
      });
    } catch (error) {
      // A person who has cancelled knows that there is none.
      if (!signal.aborted) throw error;
    } finally {
      this.#show(null);
    }
    if (!signal.aborted) await this.#lookAgain();
  }

  #show(progress: AppView["jjFetch"]): void {
    this.#progress = progress;
    this.#changed();
  }
}
