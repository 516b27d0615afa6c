/** What one client may ask for at a time; a window of Hox and all terminals together stay far below. */
export const workLimits = {
  /** Requests that are worked on; each may start processes. */
  active: 6,
  /** Requests that wait for those. */
  waiting: 100,
  waitingCharacters: 8_000_000,
} as const;

export interface WorkUnit {
  /** Characters, or bytes, that it holds while it waits. */
  readonly size: number;
  /** Resolves when it has been answered, whatever the answer was. */
  begin(): Promise<void>;
}

/**
 * Limits running and waiting work. Without limits a client's three thousand requests would start three
 * thousand processes before any other client's.
 */
export class BoundedWork<W extends WorkUnit = WorkUnit> {
  #active = 0;
  #waiting: W[] = [];
  #waitingSize = 0;

  get isIdle(): boolean {
    return this.#active === 0 && this.#waiting.length === 0;
  }

  /** False: it is more than may wait, and nothing was done of it. */
  offer(work: W): boolean {
    if (this.#active < workLimits.active) {
      this.#begin(work);
      return true;
    }
    if (
      this.#waiting.length >= workLimits.waiting ||
      this.#waitingSize + work.size > workLimits.waitingCharacters
    )
      return false;
    this.#waiting.push(work);
    this.#waitingSize += work.size;
    return true;
  }

  /** Drops matching work that waits. Running work is completed. */
  forget(fits: (work: W) => boolean): boolean {
    const kept = this.#waiting.filter((work) => !fits(work));
    const isChanged = kept.length < this.#waiting.length;
    this.#waiting = kept;
    this.#waitingSize = kept.reduce((sum, { size }) => sum + size, 0);
    return isChanged;
  }

  #begin(work: W): void {
    this.#active++;
    void work.begin().finally(() => {
      this.#active--;
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#waitingSize -= next.size;
      this.#begin(next);
    });
  }
}

/** In oRPC's format, so that the client throws what the contract declares. @param who asks: "This window" */
export const tooMuch = (who: string) => ({
  defined: true,
  code: "TOO_MANY_REQUESTS",
  status: 429,
  message: `${who} sent too many requests at once.`,
  data: { remedy: "Wait for the pending requests, then retry." },
});
