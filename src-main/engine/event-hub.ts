import type { EngineEvent } from "./engine-interface.ts";

export interface EventHub {
  emit(event: EngineEvent): void;
  listen(listener: (event: EngineEvent) => void): () => void;
}

/** Brings events to whoever listens. Notices from before anybody does, as of opening a repository, wait for the first. */
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
