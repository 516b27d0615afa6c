import type { RecordedEvent, RunEvent } from "#shared/run/events.ts";
import type { JournalDatabase } from "./journal-database.ts";

/** What happened in runs, and the results of what must not happen twice. */
export function createEvents({ sql, now }: JournalDatabase) {
  return {
    /** @param at when it happened, in ms since 1970 */
    addEvent(run: string, event: RunEvent, at: number = now()): void {
      sql("INSERT INTO events (run, at, event) VALUES (?, ?, ?)").run(run, at, JSON.stringify(event));
    },
    ...readEvents({ sql }),

    /** @returns in ms since 1970; null where nothing has happened in it */
    lastEventAt(run: string): number | null {
      const row = sql("SELECT max(at) AS at FROM events WHERE run = ?").get(run);
      return row?.at == null ? null : Number(row.at);
    },

    /** A run's landing events in order; reads no others. */
    landingEvents(run: string): readonly RunEvent[] {
      return (
        sql(
          `SELECT event FROM events WHERE run = ?
         AND (event LIKE '%"kind":"ResultLanded"%' OR event LIKE '%"kind":"Landing%') ORDER BY seq`,
        )
          .all(run)
          .map((row) => JSON.parse(String(row.event)) as RunEvent)
          // The search text may also occur in other kinds of events.
          .filter(({ kind }) => kind === "ResultLanded" || kind.startsWith("Landing"))
      );
    },

    step<T>(run: string, step: string): { readonly result: T } | null {
      const row = sql("SELECT result FROM steps WHERE run = ? AND step = ?").get(run, step);
      return row ? { result: JSON.parse(String(row.result)) as T } : null;
    },
    setStep(run: string, step: string, result: unknown): void {
      sql("INSERT OR IGNORE INTO steps (run, step, at, result) VALUES (?, ?, ?, ?)").run(
        run,
        step,
        now(),
        JSON.stringify(result ?? null),
      );
    },
  };
}

/** Reads the events of runs. */
export const readEvents = ({ sql }: Pick<JournalDatabase, "sql">) => ({
  /** In the order in which they were written. */
  events(run: string): readonly RecordedEvent[] {
    return sql("SELECT at, event FROM events WHERE run = ? ORDER BY seq")
      .all(run)
      .map((row) => ({ at: Number(row.at), event: JSON.parse(String(row.event)) as RunEvent }));
  },
});
