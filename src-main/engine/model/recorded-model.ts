import type { Journal } from "../../journal/journal.ts";
import { replayModel } from "./reduce-model.ts";
import type { ModelEvent } from "./run-events.ts";
import type { RunModel } from "./run-model.ts";

/** What the journal tells of any run, also of one that is over. */
export const recordedModel = (journal: Pick<Journal, "modelEvents">, run: string): RunModel =>
  replayModel(journal.modelEvents<ModelEvent>(run));
