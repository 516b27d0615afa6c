import type { ModelRequest } from "./driver-interface.ts";
import { ModelError } from "./model-error.ts";

/** How often one that waits looks whether it has to be elsewhere. */
const lookMs = 250;

/** A wait in which nothing is under way, so that it may be left at any moment. */
export async function waitUnlessNeeded<T>(
  { requester, leaves }: ModelRequest,
  signal: AbortSignal,
  wait: (until: AbortSignal) => Promise<T>,
): Promise<T> {
  if (!leaves) return wait(signal);
  const left = new AbortController();
  const look = setInterval(() => {
    if (leaves()) left.abort();
  }, lookMs);
  try {
    return await wait(AbortSignal.any([signal, left.signal]));
  } catch (error) {
    if (!left.signal.aborted || signal.aborted) throw error;
    throw new ModelError("left", `${requester} is needed elsewhere while it waits`);
  } finally {
    clearInterval(look);
  }
}

/** Waits between two attempts; rejects with a `ModelError` `aborted` when the signal fires. */
export function pauseFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(new ModelError("aborted", "between two attempts"));
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
