import type { EngineEvent } from "./engine-interface.ts";

export interface EventHub {
  emit(event: EngineEvent): void;
  listen(listener: (event: EngineEvent) => void): () => void;
}

/** Delivers events to listeners. Notices from before the first one, e.g. while opening, wait for it. */
export function createEventHub(): EventHub {
  const listeners = new Set<(event: EngineEvent) => void>();
  let early: EngineEvent[] = [];
  return {
    emit(event) {
      if (listeners.size === 0 && event.kind === "notice") early.push(event);
      for (const listener of listeners) listener(event);
    },
    listen(listener) {
      listeners.add(listener);
      for (const event of early) listener(event);
      early = [];
      return () => listeners.delete(listener);
    },
  };
}
