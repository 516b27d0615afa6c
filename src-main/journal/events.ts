import type { RunEvent } from "#shared/domain/run/run-state.ts";
import type { JournalDatabase } from "./journal-database.ts";

/** An event of one orchestrator's course. */
export interface RecordedEvent {
  readonly orchestrator: string;
  readonly event: RunEvent;
}

/** What happened in a run, and the results of what must not happen twice. */
export function createEvents({ sql, now }: JournalDatabase) {
  return {
    /** @returns the time that it was given, in ms since 1970 */
    addEvent(run: string, orchestrator: string, event: RunEvent): number {
      const at = now();
      sql("INSERT INTO events (run, orchestrator, at, event, concept) VALUES (?, ?, ?, ?, 'stage')").run(
        run,
        orchestrator,
        at,
        JSON.stringify(event),
      );
      return at;
    },
    /** In order, of all orchestrators. */
    events(run: string): readonly RecordedEvent[] {
      return sql("SELECT orchestrator, event FROM events WHERE run = ? AND concept = 'stage' ORDER BY seq")
        .all(run)
        .map((row) => ({
          orchestrator: String(row.orchestrator),
          event: JSON.parse(String(row.event)) as RunEvent,
        }));
    },

    /** @returns in ms since 1970; null where nothing has happened in it */
    lastEventAt(run: string): number | null {
      const row = sql("SELECT max(at) AS at FROM events WHERE run = ?").get(run);
      return row?.at == null ? null : Number(row.at);
    },

    /**
     * What happens in a run beside its course. Plain JSON, whose meaning is the engine's.
     * @returns the time that it was given, in ms since 1970
     */
    addModelEvent(run: string, event: { readonly kind: string }): number {
      const at = now();
      sql("INSERT INTO events (run, orchestrator, at, event, concept) VALUES (?, '', ?, ?, 'model')").run(
        run,
        at,
        JSON.stringify(event),
      );
      return at;
    },
    /** In order. */
    modelEvents<T>(run: string): readonly T[] {
      return sql("SELECT event FROM events WHERE run = ? AND concept = 'model' ORDER BY seq")
        .all(run)
        .map((row) => JSON.parse(String(row.event)) as T);
    },

    /** What a run tells of its landing and of what became of it, in order; reads no other event. */
    landingEvents<T>(run: string): readonly T[] {
      return (
        sql(
          `SELECT event FROM events WHERE run = ? AND concept = 'model'
         AND (event LIKE '%"kind":"ResultLanded"%' OR event LIKE '%"kind":"Landing%') ORDER BY seq`,
        )
          .all(run)
          .map((row) => JSON.parse(String(row.event)) as T & { readonly kind: string })
          // The words may stand deeper in an event of another kind.
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
