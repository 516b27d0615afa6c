/** Which attempts are compared, and which turn is forked: opened from many places, shown in one. */
import { create } from "zustand";
import { useShallow } from "zustand/react/shallow";
import type { AttemptGroupView, RunView } from "#shared/contract/views/run.ts";
import type { ConversationTurn } from "#shared/domain/attempt/attempt-events.ts";
import { useHost } from "./host-store.ts";

type Open =
  | { readonly kind: "compare"; readonly worker: string }
  | { readonly kind: "fork"; readonly at: ConversationTurn };

export const useAttemptDialog = create<{ readonly open: Open | null }>(() => ({ open: null }));

/** @param worker one of the attempts */
export const compareAttempts = (worker: string): void =>
  useAttemptDialog.setState({ open: { kind: "compare", worker } });
export const forkFrom = (at: ConversationTurn): void =>
  useAttemptDialog.setState({ open: { kind: "fork", at } });
export const closeAttemptDialog = (): void => useAttemptDialog.setState({ open: null });

/** Which of several attempts at its task a worker's change shows; null for who tries its task alone. */
export const useAttemptBadge = (worker: string | null) =>
  useHost(
    useShallow(({ run }) => {
      const found = worker === null ? null : attemptOf(run, worker);
      return found && !found.isOut
        ? { nth: found.nth, of: found.group.attempts.length, isChosen: found.group.chosen === worker }
        : null;
    }),
  );

/** Which of several attempts a worker's is; null for who tries its task alone. */
export function attemptOf(
  run: Pick<RunView, "attempts"> | null,
  worker: string,
): { readonly group: AttemptGroupView; readonly nth: number; readonly isOut: boolean } | null {
  for (const group of run?.attempts ?? []) {
    const found = group.attempts.find((one) => one.worker === worker);
    if (found && group.attempts.length > 1) return { group, nth: found.nth, isOut: found.isOut };
  }
  return null;
}
