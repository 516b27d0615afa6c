import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { ResumeToken } from "../agent/agent-interface.ts";
import { type JournalDatabase, readJson } from "./journal-database.ts";

/** What is shown of conversations, and where those that last for the whole run stand. */
export function createConversationRows({ sql, together }: JournalDatabase) {
  return {
    /** New rows, and rows that have grown since. */
    setRows(run: string, worker: string, rows: readonly ConversationRow[]): void {
      together(() => {
        for (const { index, at, ...entry } of rows)
          sql(
            "INSERT INTO rows (run, worker, place, at, entry) VALUES (?, ?, ?, ?, ?) ON CONFLICT (run, worker, place) DO UPDATE SET entry = excluded.entry",
          ).run(run, worker, index, at, JSON.stringify(entry));
      });
    },
    rows(run: string, worker: string): readonly ConversationRow[] {
      return sql("SELECT place, at, entry FROM rows WHERE run = ? AND worker = ? ORDER BY place")
        .all(run, worker)
        .map(
          (row) =>
            ({
              index: Number(row.place),
              at: Number(row.at),
              ...JSON.parse(String(row.entry)),
            }) as ConversationRow,
        );
    },
    rowCount(run: string, worker: string): number {
      return Number(
        sql("SELECT coalesce(max(place) + 1, 0) AS n FROM rows WHERE run = ? AND worker = ?").get(run, worker)
          ?.n ?? 0,
      );
    },

    /** Where the conversation that lasts for the whole run stands; null: there is none yet. */
    history(run: string, worker: string): ResumeToken | null {
      const row = sql("SELECT driver, parts FROM histories WHERE run = ? AND worker = ?").get(run, worker);
      return row === undefined
        ? null
        : { driver: String(row.driver), parts: readJson<readonly string[]>(row, "parts") ?? [] };
    },
    setHistory(run: string, worker: string, { driver, parts }: ResumeToken): void {
      sql(
        "INSERT INTO histories (run, worker, driver, parts) VALUES (?, ?, ?, ?) ON CONFLICT (run, worker) DO UPDATE SET driver = excluded.driver, parts = excluded.parts",
      ).run(run, worker, driver, JSON.stringify(parts));
    },
  };
}
