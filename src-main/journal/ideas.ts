import type { IdeaView } from "#shared/contract/views/archangel.ts";
import type { JournalDatabase } from "./journal-database.ts";

/** What is kept for the repository and belongs to no run. */
export function createIdeas({ sql, now }: JournalDatabase) {
  return {
    /** The newest first. */
    ideas(): readonly IdeaView[] {
      return sql("SELECT idea FROM ideas ORDER BY at DESC, rowid DESC")
        .all()
        .map((row) => JSON.parse(String(row.idea)) as IdeaView);
    },
    /** One that is known is written over. */
    setIdea(idea: IdeaView): void {
      sql(
        "INSERT INTO ideas (id, at, idea) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET idea = excluded.idea",
      ).run(idea.id, idea.at, JSON.stringify(idea));
    },
    /** @returns whether there was one */
    removeIdea(id: string): boolean {
      return sql("DELETE FROM ideas WHERE id = ?").run(id).changes > 0;
    },
    /** A person does not want to hear it again. @param suggestion as `suggestionKey` makes it */
    refuseSuggestion(suggestion: string): void {
      sql("INSERT OR IGNORE INTO refused_suggestions (suggestion, at) VALUES (?, ?)").run(suggestion, now());
    },
    isSuggestionRefused(suggestion: string): boolean {
      return sql("SELECT 1 FROM refused_suggestions WHERE suggestion = ?").get(suggestion) !== undefined;
    },
  };
}
