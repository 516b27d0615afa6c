import { statSync } from "node:fs";
import { join } from "node:path";
import type { UnfinishedRun } from "#shared/contract/views/app.ts";
import { withJournalOrNone } from "../replay/open-recording.ts";
import { workElsewhere } from "./status-file.ts";

type Recorded = Omit<UnfinishedRun, "inOtherHost">;

interface CachedRun {
  readonly written: string;
  readonly run: Recorded | null;
}

/** Reads which run of a repository is not over, and only where its journal was written to since. */
export function createUnfinishedRuns(
  stateFolderOf: (root: string) => string,
): (root: string) => UnfinishedRun | null {
  const folders = new Map<string, string>();
  const known = new Map<string, CachedRun>();
  const recorded = (root: string, folder: string): Recorded | null => {
    const written = lastWritten(folder);
    const before = known.get(root);
    if (before?.written === written) return before.run;
    const run = withJournalOrNone(folder, (journal): Recorded | null => {
      // A watch waits for nobody.
      const found = journal.runs().find(({ endedAt, input }) => endedAt === null && !input.isWatch);
      if (!found) return null;
      const waiting = journal.cards(found.id).filter(({ answeredAt }) => answeredAt === null).length;
      return { goal: found.input.goal, waiting };
    });
    known.set(root, { written, run });
    return run;
  };
  return (root) => {
    try {
      const folder = folders.get(root) ?? stateFolderOf(root);
      folders.set(root, folder);
      const run = recorded(root, folder);
      // Who works on it ends without a word in the journal.
      return run && { ...run, inOtherHost: workElsewhere(folder) };
    } catch {
      // Whoever opens it is told why its journal cannot be read; a list of folders has no room for that.
      return null;
    }
  };
}

/** Of the journal and of what was added to it last. */
const lastWritten = (folder: string): string =>
  ["journal.sqlite", "journal.sqlite-wal"]
    .map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0)
    .join(" ");
