import type { Spent } from "#shared/domain/spending/usage.ts";
import type { JournalDatabase } from "./journal-database.ts";

export interface SpendingRow {
  readonly worker: string;
  readonly model: string;
  readonly at: number;
  readonly spent: Spent;
}

/** What each request to a model cost. */
export function createSpendingRows({ sql, now }: JournalDatabase) {
  return {
    /** A request id that is known already changes nothing: nothing is charged twice. */
    addSpending(run: string, worker: string, request: string, model: string, spent: Spent): boolean {
      const { changes } = sql(
        "INSERT OR IGNORE INTO spending (request, run, worker, model, at, micro_dollars, spent) VALUES (?, ?, ?, ?, ?, ?, ?)",
      ).run(request, run, worker, model, now(), spent.microDollars, JSON.stringify(spent));
      return Number(changes) === 1;
    },
    spending(run: string): readonly SpendingRow[] {
      return sql("SELECT worker, model, at, spent FROM spending WHERE run = ? ORDER BY rowid")
        .all(run)
        .map((row) => ({
          worker: String(row.worker),
          model: String(row.model),
          at: Number(row.at),
          spent: JSON.parse(String(row.spent)) as Spent,
        }));
    },
    /** What watches spent since a moment. (AX-1) */
    watchMicroDollars(since: number): number {
      return Number(
        sql(
          "SELECT coalesce(sum(micro_dollars), 0) AS n FROM spending WHERE at >= ? AND run IN (SELECT id FROM runs WHERE json_extract(input, '$.isWatch'))",
        ).get(since)?.n ?? 0,
      );
    },
    microDollars(run: string): number {
      return Number(
        sql("SELECT coalesce(sum(micro_dollars), 0) AS n FROM spending WHERE run = ?").get(run)?.n ?? 0,
      );
    },
  };
}
