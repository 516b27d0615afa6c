import type { SlowCommand } from "#shared/domain/host/machine-state.ts";
import { log } from "../../log/log.ts";

/** Commands rarely take a second; one that takes this long waits for a lock or a disk, or was stopped. */
export const defaultSlowAfterMs = 10_000;

type Listener = (slow: readonly SlowCommand[]) => void;
let started = 0;
let slow: readonly SlowCommand[] = [];
const listeners = new Set<Listener>();

function change(to: readonly SlowCommand[]): void {
  slow = to;
  for (const tell of listeners) tell(slow);
}

/**
 * Follows long-running commands of this process.
 * @param tell called with the whole list whenever one is added or has ended
 * @returns stops it
 */
export function watchSlowCommands(tell: Listener): () => void {
  listeners.add(tell);
  if (slow.length > 0) tell(slow);
  return () => listeners.delete(tell);
}

/**
 * To be called when a command starts.
 * @param afterMs from when on it is slow
 * @returns to be called when it has ended
 */
export function timeCommand(command: Omit<SlowCommand, "id" | "startedAt">, afterMs: number): () => void {
  const id = ++started;
  const startedAt = Date.now();
  const timer = setTimeout(() => {
    log.warn("jj is slow", { command: command.command, ms: afterMs });
    change([...slow, { ...command, id, startedAt }]);
  }, afterMs);
  timer.unref();
  return () => {
    clearTimeout(timer);
    if (slow.some((one) => one.id === id)) change(slow.filter((one) => one.id !== id));
  };
}
