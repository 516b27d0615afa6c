import type { Landed } from "#shared/domain/landing/landing-events.ts";
import type { Journal } from "../../journal/journal.ts";
import { recordedModel } from "./recorded-model.ts";
import type { RunModel } from "./run-model.ts";

/** The newest landing that was not taken back. `open`: the run of this process, whose events are read already. */
export function lastLanding(
  journal: Pick<Journal, "runs" | "modelEvents">,
  open: { readonly id: string; readonly facts: RunModel } | null,
): { readonly id: string; readonly landed: Landed } | null {
  for (const { id } of journal.runs()) {
    const { landed } = (open?.id === id ? open.facts : recordedModel(journal, id)).landing;
    if (landed?.undoneAt === null) return { id, landed };
  }
  return null;
}
