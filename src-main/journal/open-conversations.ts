import type { StatementSync } from "node:sqlite";
import type { ModelMessage } from "../model/driver-interface.ts";

/** A conversation that a worker is in the middle of. */
export interface OpenConversation {
  /** What it was begun for: it is gone on with for nothing else. */
  readonly key: string;
  /** Change ids of the messages that its prompt brought. */
  readonly delivered: readonly string[];
  readonly messages: readonly ModelMessage[];
}

/**
 * One for each worker, and only its newest, so that it stays as large as what a model can read. Messages come one by
 * one: a long conversation is not written whole after each answer.
 */
export function openConversations(
  sql: (text: string) => StatementSync,
  together: (write: () => void) => void,
) {
  return {
    openConversation(run: string, worker: string): OpenConversation | null {
      const row = sql("SELECT key, delivered FROM open_conversations WHERE run = ? AND worker = ?").get(
        run,
        worker,
      );
      if (!row) return null;
      return {
        key: String(row.key),
        delivered: JSON.parse(String(row.delivered)) as readonly string[],
        messages: sql("SELECT message FROM open_messages WHERE run = ? AND worker = ? ORDER BY place")
          .all(run, worker)
          .map(({ message }) => JSON.parse(String(message)) as ModelMessage),
      };
    },
    /** Takes the place of the one before. */
    beginConversation(run: string, worker: string, conversation: OpenConversation): void {
      const { key, delivered, messages } = conversation;
      together(() => {
        this.endConversation(run, worker);
        sql("INSERT INTO open_conversations (run, worker, key, delivered) VALUES (?, ?, ?, ?)").run(
          run,
          worker,
          key,
          JSON.stringify(delivered),
        );
        this.growConversation(run, worker, key, [...messages.entries()]);
      });
    },
    /** Messages that are new or have grown, by their place. One that was ended meanwhile stays so. */
    growConversation(
      run: string,
      worker: string,
      key: string,
      messages: readonly (readonly [place: number, message: ModelMessage])[],
    ): void {
      together(() => {
        for (const [place, message] of messages)
          sql(
            "INSERT INTO open_messages (run, worker, place, message) SELECT run, worker, ?, ? FROM open_conversations WHERE run = ? AND worker = ? AND key = ? ON CONFLICT (run, worker, place) DO UPDATE SET message = excluded.message",
          ).run(place, JSON.stringify(message), run, worker, key);
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
