import {
  type PatternRecordEvent,
  type PatternRecords,
  reducePatternRecords,
} from "#shared/domain/patterns/pattern-record.ts";
import { noUses, type PatternsInjected, type PatternUses } from "#shared/domain/patterns/pattern-use.ts";
import type { JournalDatabase } from "./journal-database.ts";

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
    /** By pattern id; patterns that no finished run used are missing. */
    patternUses(): ReadonlyMap<string, PatternUses> {
      const uses = new Map<string, PatternUses>();
      const counted = new Set<string>();
      for (const { run, stage, event } of sql(usesOfRuns).all()) {
        const ending = stage === "complete" || stage === "stopped" ? stage : "failed";
        for (const { id } of (JSON.parse(String(event)) as PatternsInjected).patterns) {
          const before = uses.get(id) ?? noUses;
          // Several workers of a run read it, or one read a later version too: that is one use.
          if (counted.has(`${run} ${id}`)) continue;
          counted.add(`${run} ${id}`);
          uses.set(id, { ...before, [ending]: before[ending] + 1 });
        }
      }
      return uses;
    },
  };
}

/** The condition is that of the index `pattern_uses`. */
const usesOfRuns = `
  SELECT events.run AS run, runs.stage AS stage, events.event AS event
  FROM events JOIN runs ON runs.id = events.run
  WHERE substr(events.event, 1, 22) = '{"kind":"PatternsTold"' AND runs.ended_at IS NOT NULL`;
