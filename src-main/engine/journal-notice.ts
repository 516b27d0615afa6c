import type { Journal } from "../journal/journal.ts";
import type { EngineEvent } from "./engine-interface.ts";

/** What a person must know of a journal that was found damaged, or null where it was found whole. */
export function journalNotice({ path, quarantine, hasLostEnd }: Journal): EngineEvent | null {
  if (quarantine !== null)
    return {
      kind: "notice",
      level: "warning",
      text: `The journal was damaged. It was set aside as ${quarantine} and begun anew; jj keeps all work.`,
      remedy: "Conversations and statistics of earlier runs are in the file that was set aside.",
    };
  if (hasLostEnd)
    return {
      kind: "notice",
      level: "warning",
      text: `The end of the journal ${path} is missing: what was answered, voted or spent last may be lost; jj keeps all work.`,
      remedy:
        "Look at what the run asks and at its budget before you let it go on; it begins again where the journal ends.",
    };
  return null;
}
