import {
  type PatternRecordEvent,
  type PatternRecords,
  reducePatternRecords,
} from "#shared/domain/patterns/pattern-record.ts";
import type { PatternUse } from "#shared/domain/patterns/pattern-success.ts";
import type { PatternsTold } from "#shared/domain/patterns/pattern-use.ts";
import type { JournalDatabase } from "./journal-database.ts";

/** By id: the finished runs in which a pattern was told to somebody, the oldest first. */
export type PatternUses = ReadonlyMap<string, readonly PatternUse[]>;

/** What people decided about patterns, and which finished runs were told which. Of the repository, and of no run. */
export function createPatternRows({ sql }: JournalDatabase) {
  return {
    addPatternEvent(event: PatternRecordEvent): void {
      sql("INSERT INTO pattern_record (at, event) VALUES (?, ?)").run(event.at, JSON.stringify(event));
    },
    patternRecords(): PatternRecords {
      return sql("SELECT event FROM pattern_record ORDER BY seq")
        .all()
        .map((row) => JSON.parse(String(row.event)) as PatternRecordEvent)
        .reduce<PatternRecords>(reducePatternRecords, {});
    },
    patternUses(): PatternUses {
      const uses = new Map<string, PatternUse[]>();
      for (const row of sql(usesOfRuns).all()) {
        const { patterns } = JSON.parse(String(row.event)) as PatternsTold;
        for (const { id, version } of patterns) {
          const own = uses.get(id) ?? [];
          const before = own.findIndex((use) => use.run === row.run);
          const use = { run: String(row.run), version, isSuccess: row.stage === "complete" };
          if (before < 0) own.push(use);
          else own[before] = use;
          uses.set(id, own);
        }
      }
      return uses;
    },
  };
}

/** The condition is that of the index `pattern_uses`. What a person stopped speaks neither for a pattern nor against it. */
const usesOfRuns = `
  SELECT events.run AS run, runs.stage AS stage, events.event AS event
  FROM events JOIN runs ON runs.id = events.run
  WHERE substr(events.event, 1, 22) = '{"kind":"PatternsTold"' AND runs.ended_at IS NOT NULL AND runs.stage <> 'stopped'
  ORDER BY runs.rowid, events.seq`;
