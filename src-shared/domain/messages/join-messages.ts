/** Adds what is not there yet, by the change that a message was or is. What was kept first stays as it was kept. */
export function joinMessages<Message extends { readonly changeId: string }>(
  kept: readonly Message[],
  more: readonly Message[],
): readonly Message[] {
  if (kept.length === 0) return more;
  const known = new Set(kept.map(({ changeId }) => changeId));
  const fresh = more.filter(({ changeId }) => !known.has(changeId));
  return fresh.length === 0 ? kept : [...kept, ...fresh];
}
