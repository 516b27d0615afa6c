import { type Notes, noNotes, withNote } from "#shared/domain/graph-words/change-note.ts";
import type { Change, GraphDelta } from "#shared/graph/change.ts";
import type { GraphMemory } from "./graph-memory/graph-memory.ts";
import type { NotesStore } from "./notes.ts";
import type { GraphReader } from "./ports/graph-reader.ts";
import type { Reader } from "./reader.ts";

/**
 * Makes the reads of changes that people see: with the metadata that a landed change has in its note. What Hox reads for
 * its own work on a run stays as the graph says it, because a commit that landed is no longer the run's to change.
 */
export function createNotedReads({
  reader,
  memory,
  notes,
}: {
  readonly reader: Pick<Reader, "readGraph" | "readDelta" | "query">;
  readonly memory: Pick<GraphMemory, "delta">;
  readonly notes: Pick<NotesStore, "read">;
}): Pick<GraphReader, "notes" | "readGraph" | "readDelta" | "readPublishedDelta" | "query"> {
  // Notes that cannot be read are said where somebody asks for them; the graph is shown without them.
  const readNotes = (): Promise<Notes> => notes.read().catch(() => noNotes);
  const withNotes = (changes: readonly Change[], known: Notes): readonly Change[] =>
    known.byCommit.size === 0 ? changes : changes.map((change) => withNote(change, known));
  const noted = async (delta: GraphDelta): Promise<GraphDelta> => ({
    ...delta,
    added: withNotes(delta.added, await readNotes()),
  });

  return {
    notes: () => notes.read(),
    async readGraph({ onChanges, ...options } = {}) {
      const known = await readNotes();
      const snapshot = await reader.readGraph({
        ...options,
        ...(onChanges && {
          onChanges: (changes, operation) => onChanges(withNotes(changes, known), operation),
        }),
      });
      return { ...snapshot, changes: withNotes(snapshot.changes, known) };
    },
    readDelta: async (...asked) => noted(await reader.readDelta(...asked)),
    readPublishedDelta: async (from, to) =>
      noted((await memory.delta(from, to)) ?? (await reader.readDelta(from, to))),
    query: async (...asked) => withNotes(await reader.query(...asked), await readNotes()),
  };
}
