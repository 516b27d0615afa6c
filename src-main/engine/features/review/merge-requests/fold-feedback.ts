/** How an agent learns what became of its finished work. (HYLO-6) */

import { requestOf } from "#shared/domain/merge-request/fold.ts";
import { addressOf, person, sendMessage } from "../../../orchestrators/messages.ts";
import type { Run } from "../../../ports.ts";
import { foldOf } from "../../../workers/fold.ts";
import { parentOf } from "../../../workers/hierarchy.ts";

/** The reviewer before all others. */
export const firstReviewerOf = (worker: string): string => `reviewer-${worker}`;

/**
 * Sends a judge's feedback to the agent as a message. Failed checks are in its next prompt anyway.
 * Idempotent.
 */
export async function notifyAgent(run: Run, worker: string): Promise<void> {
  const request = requestOf(foldOf(run, worker));
  if (!request || request.by === "checks" || request.words === "") return;
  const { by } = request;
  await sendMessage(run, {
    key: `fold/${worker}/${request.round}`,
    from: by === "person" ? person : by === "first" ? firstReviewerOf(worker) : parentOf(run, worker),
    to: addressOf(run, worker),
    type: "info",
    text: request.words,
  });
}
