import type { Journal } from "../journal/journal.ts";
import type { EngineEvent } from "./engine-interface.ts";

/** The notice of a journal that was found damaged, or null if it is intact. */
export function journalNotice({ path, quarantine, hasLostEnd }: Journal): EngineEvent | null {
  if (quarantine !== null)
    return {
      kind: "notice",
      level: "warning",
      text: `The journal was damaged. Hox moved it to ${quarantine} and started a new one. All work is safe in jj.`,
      remedy: "Conversations and statistics of earlier runs are in the moved file.",
    };
  if (hasLostEnd)
    return {
      kind: "notice",
      level: "warning",
      text: `The end of the journal ${path} is missing: the latest answers, votes and costs may be lost. All work is safe in jj.`,
      remedy:
        "Check the run's questions and budget before you resume it. It continues from the end of the journal.",
    };
  return null;
}
