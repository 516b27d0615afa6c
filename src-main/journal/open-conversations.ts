import type { ResumeToken } from "../agent/agent-interface.ts";
import type { JournalDatabase } from "./journal-database.ts";

/** A conversation that a worker is in the middle of. */
export interface OpenConversation {
  /** What it was begun for: it is gone on with for nothing else. */
  readonly key: string;
  /** Change ids of the messages that its prompt brought. */
  readonly delivered: readonly string[];
  readonly token: ResumeToken;
}

/**
 * One for each worker, and only its newest, so that it stays as large as what a model can read. Parts come one by
 * one: a long conversation is not written whole after each answer.
 */
export function openConversations({ sql, together }: JournalDatabase) {
  return {
    openConversation(run: string, worker: string): OpenConversation | null {
      const row = sql(
        "SELECT key, delivered, driver FROM open_conversations WHERE run = ? AND worker = ?",
      ).get(run, worker);
      if (!row) return null;
      return {
        key: String(row.key),
        delivered: JSON.parse(String(row.delivered)) as readonly string[],
        token: {
          driver: String(row.driver),
          parts: sql("SELECT part FROM open_parts WHERE run = ? AND worker = ? ORDER BY place")
            .all(run, worker)
            .map(({ part }) => String(part)),
        },
      };
    },
    /** Takes the place of the one before. */
    beginConversation(run: string, worker: string, conversation: OpenConversation): void {
      const { key, delivered, token } = conversation;
      together(() => {
        this.endConversation(run, worker);
        sql(
          "INSERT INTO open_conversations (run, worker, key, delivered, driver) VALUES (?, ?, ?, ?, ?)",
        ).run(run, worker, key, JSON.stringify(delivered), token.driver);
        this.growConversation(run, worker, key, [...token.parts.entries()]);
      });
    },
    /**
     * Parts of the token that are new or have changed, by their place. One that was ended meanwhile stays so. What a part
     * read before stays beside it: what was asked until then was asked with that.
     */
    growConversation(
      run: string,
      worker: string,
      key: string,
      parts: readonly (readonly [place: number, part: string])[],
    ): void {
      together(() => {
        const length = sql("SELECT count(*) AS n FROM open_parts WHERE run = ? AND worker = ?").get(
          run,
          worker,
        );
        for (const [place] of parts)
          sql(
            "INSERT OR IGNORE INTO replaced_parts (run, worker, place, up_to, part) SELECT run, worker, place, ?, part FROM open_parts WHERE run = ? AND worker = ? AND place = ? AND EXISTS (SELECT 1 FROM open_conversations WHERE run = open_parts.run AND worker = open_parts.worker AND key = ?)",
          ).run(Number(length?.n ?? 0), run, worker, place, key);
        for (const [place, part] of parts)
          sql(
            "INSERT INTO open_parts (run, worker, place, part) SELECT run, worker, ?, ? FROM open_conversations WHERE run = ? AND worker = ? AND key = ? ON CONFLICT (run, worker, place) DO UPDATE SET part = excluded.part",
          ).run(place, part, run, worker, key);
      });
    },
    endConversation(run: string, worker: string): void {
      sql("DELETE FROM open_conversations WHERE run = ? AND worker = ?").run(run, worker);
    },
    endConversations(run: string): void {
      sql("DELETE FROM open_conversations WHERE run = ?").run(run);
    },
  };
}
