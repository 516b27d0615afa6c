/**
 * Makes a task that never runs twice at once: whoever asks while it runs gets one more run after it, and all who ask
 * meanwhile share that one.
 */
export function singleFlight(task: () => Promise<void>): () => Promise<void> {
  let going: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    next = null;
    going = task().finally(() => {
      going = null;
    });
    return going;
  };
  return () => {
    if (!going) return begin();
    next ??= going.then(begin, begin);
    return next;
  };
}
