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

export interface MessageView {
  readonly changeId: string;
  readonly from: string;
  readonly to: string;
  readonly type: "mutation" | "info" | "align-request";
  readonly text: string;
  readonly at: number;
  readonly handled: boolean;
  /** Which workers got it with a prompt, and when (ms since 1970). Absent if none did. */
  readonly delivered?: readonly { readonly worker: string; readonly at: number }[];
  /** The message that it answers. Absent where it answers none. */
  readonly replyTo?: string;
}
