import type { Landed } from "#shared/domain/landing/landing-events.ts";
import type { Journal } from "../../journal/journal.ts";
import { recordedModel } from "./recorded-model.ts";
import type { RunModel } from "./run-model.ts";

/**
 * The newest landing that was not taken back: of runs that went on side by side, that of the one which ended last.
 * `open`: the runs of this process, whose events are read already.
 */
export function lastLanding(
  journal: Pick<Journal, "runs" | "modelEvents">,
  open: readonly { readonly id: string; readonly facts: RunModel }[],
): { readonly id: string; readonly landed: Landed } | null {
  const byEnd = journal
    .runs()
    .toSorted((one, other) => (other.endedAt ?? Infinity) - (one.endedAt ?? Infinity) || 0);
  for (const { id } of byEnd) {
    const { landing } = open.find((run) => run.id === id)?.facts ?? recordedModel(journal, id);
    const { landed } = landing;
    if (landed?.undoneAt === null) return { id, landed };
  }
  return null;
}
