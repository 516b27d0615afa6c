import type { CastVote } from "../validation/validation-interface.ts";
import type { JournalDatabase } from "./journal-database.ts";

/** What validators said, one for each attempt, seat and replacement. */
export function createVotes({ sql, together }: JournalDatabase) {
  return {
    setVotes(run: string, votes: readonly CastVote[]): void {
      together(() => {
        for (const vote of votes)
          sql(
            "INSERT INTO votes (run, attempt, seat, replacement, at, vote) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (run, attempt, seat, replacement) DO UPDATE SET vote = excluded.vote, at = excluded.at",
          ).run(run, vote.attempt, vote.seat, vote.replacement, vote.at, JSON.stringify(vote));
      });
    },
    votes(run: string): readonly CastVote[] {
      return sql("SELECT vote FROM votes WHERE run = ? ORDER BY rowid")
        .all(run)
        .map((row) => JSON.parse(String(row.vote)) as CastVote);
    },
  };
}
