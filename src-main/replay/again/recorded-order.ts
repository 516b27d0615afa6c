/**
 * Answers of models and of people come in the order in which they came in a recorded run, so that a decision meets everybody
 * as far as they were then. What does not come any more is passed over.
 */
export interface RecordedOrder {
  /** Resolves when its turn has come; at once for what the recording does not hold. */
  turnOf(id: string): Promise<void>;
  /** It was given, or nobody will ask for it. */
  passed(...ids: readonly string[]): void;
  /** How much of it is passed. */
  count(): number;
  /** Whether all of it is. */
  isOver(): boolean;
  stop(): void;
}

export interface OrderedPart {
  readonly id: string;
  /** ms since 1970. */
  readonly at: number;
}

/** So long nothing is passed before somebody who waits is let go, out of order; and while something is at work. */
const usualPatience = { idleMs: 3_000, busyMs: 20_000 };
const lookMs = 100;

/** @param isBusy whether something goes on of which more may come, such as a check */
export function createRecordedOrder(
  parts: readonly OrderedPart[],
  isBusy: () => boolean,
  patience = usualPatience,
): RecordedOrder {
  const order = parts.toSorted((one, other) => one.at - other.at).map(({ id }) => id);
  const places = new Map(order.map((id, place) => [id, place]));
  const gone = new Set<string>();
  const waiting = new Map<string, () => void>();
  let front = 0;
  let movedAt = performance.now();

  const letGo = (): void => {
    while (front < order.length && gone.has(order[front] ?? "")) front += 1;
    for (const [id, go] of waiting) {
      if ((places.get(id) ?? 0) > front && !gone.has(id)) continue;
      waiting.delete(id);
      go();
    }
  };
  const passed = (...ids: readonly string[]): void => {
    for (const id of ids) gone.add(id);
    movedAt = performance.now();
    letGo();
  };
  const timer = setInterval(() => {
    const still = performance.now() - movedAt;
    // Who is at work may itself wait, as for its clone.
    if (waiting.size === 0 || still < patience.idleMs || (still < patience.busyMs && isBusy())) return;
    const first = Math.min(...[...waiting.keys()].map((id) => places.get(id) ?? 0));
    passed(...order.slice(front, first));
  }, lookMs);

  return {
    turnOf(id) {
      const place = places.get(id);
      if (place === undefined || place <= front || gone.has(id)) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      const before = waiting.get(id);
      waiting.set(id, () => {
        before?.();
        resolve();
      });
      return promise;
    },
    passed,
    count: () => gone.size,
    isOver: () => order.every((id) => gone.has(id)),
    stop() {
      clearInterval(timer);
      for (const go of waiting.values()) go();
      waiting.clear();
    },
  };
}
