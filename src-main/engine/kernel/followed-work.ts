/** Work that the user started and follows from a client, with progress and cancellation. */
import type { Progress } from "#shared/contract/commands/validation.ts";
import { EngineRefusal, explain, Interrupted } from "../engine-errors.ts";
import type { EngineEvent } from "../engine-interface.ts";

/** A client polls again after this time. */
const maxWaitMs = 10_000;
/** The oldest finished work is dropped if no client asks for it. */
const maxRecentWork = 50;

interface Followed<T> {
  value: T;
  version: number;
  /** Wakes a waiting reader. */
  moved: PromiseWithResolvers<void>;
  readonly cancel: AbortController;
  /** Resolves when all of it has ended. */
  readonly over: Promise<void>;
}

/** @param what failed where work could not say so itself, for the user */
export function createFollowedWork<T>(emit: (event: EngineEvent) => void, what: string) {
  const all = new Map<string, Followed<T>>();
  const going = new Set<string>();
  const of = (id: string): Followed<T> => {
    const found = all.get(id);
    if (found) return found;
    throw new EngineRefusal(
      "This operation is no longer available because Hox restarted.",
      "Start it again.",
    );
  };
  return {
    /**
     * Begins it.
     *
     * @param work says how far it is by `show`, and how it ended
     */
    begin(
      id: string,
      first: T,
      work: (show: (value: T) => void, signal: AbortSignal) => Promise<void>,
    ): void {
      const cancel = new AbortController();
      const show = (value: T): void => {
        const followed = of(id);
        followed.value = value;
        followed.version += 1;
        const { resolve } = followed.moved;
        followed.moved = Promise.withResolvers();
        resolve();
      };
      const ended = Promise.withResolvers<void>();
      all.set(id, { value: first, version: 1, moved: Promise.withResolvers(), cancel, over: ended.promise });
      going.add(id);
      for (const old of [...all.keys()].slice(0, -maxRecentWork)) if (!going.has(old)) all.delete(old);
      void work(show, cancel.signal)
        .catch((error: unknown) => {
          const { message, remedy } = explain(error);
          emit({ kind: "notice", level: "error", text: `${what}: ${message}`, remedy });
        })
        .finally(() => {
          going.delete(id);
          ended.resolve();
        });
    },
    /** As it is as soon as that is not old any more, or it is over. @throws EngineRefusal for an unknown id */
    async more(id: string, isOld: (now: Progress<T>) => boolean): Promise<Progress<T>> {
      const followed = of(id);
      if (isOld(followed) && going.has(id)) {
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<void>((resolve) => {
          timer = setTimeout(resolve, maxWaitMs);
        });
        await Promise.race([followed.moved.promise, followed.over, late]);
        clearTimeout(timer);
      }
      return { version: followed.version, value: followed.value };
    },
    /** Resolves when it is over. @throws EngineRefusal for an unknown id */
    async cancel(id: string): Promise<void> {
      const followed = of(id);
      followed.cancel.abort();
      await followed.over;
    },
    /** Active ones. */
    going: (): readonly T[] => [...going].flatMap((id) => all.get(id)?.value ?? []),
  };
}

/** Work of an open repository that belongs to no run. */
export function createBackgroundWork() {
  const closing = new AbortController();
  const going = new Set<Promise<void>>();
  return {
    /** @throws Interrupted where the app closes already */
    async whileOpen(work: (closing: AbortSignal) => Promise<void>): Promise<void> {
      if (closing.signal.aborted) throw new Interrupted();
      const ended = work(closing.signal);
      going.add(ended);
      try {
        await ended;
      } finally {
        going.delete(ended);
      }
    },
    hasWork: (): boolean => going.size > 0,
    /** Resolves when all of it is over; failures were reported to the callers. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.allSettled(going);
    },
  };
}
