/** A task that never runs twice at once: requests during a run share one more run after it. */
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
