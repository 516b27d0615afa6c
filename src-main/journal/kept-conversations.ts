/**
 * Conversations of finished iterations, stored so that any turn of them can be forked. Text that several
 * share, such as forks with their origin, is stored once.
 */
import { createHash } from "node:crypto";
import type { ResumeToken } from "../agent/agent-interface.ts";
import type { JournalDatabase } from "./journal-database.ts";

/** Maximum size of a run's, in characters; the oldest are removed first. */
const keptCharacters = 64 * 1024 * 1024;

/** What is kept of one iteration's conversation. */
export interface KeptConversation {
  /** Commit of the worker's change at the iteration's end; null if unknown. */
  readonly commit: string | null;
  /** Its state at its end. */
  readonly token: ResumeToken;
  /** Its state at this number of parts: text that was shortened later is complete. */
  at(length: number): ResumeToken;
}

/** Null: there never was one, or it was not kept. `made-way`: newer ones of the run have taken its room. */
export type KeptAnswer = KeptConversation | "made-way" | null;

const hashOf = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** What of conversations is written and made room for. */
function keptRows({ sql, now }: Pick<JournalDatabase, "sql" | "now">) {
  const keepPart = (kept: number | bigint, place: number, upTo: number | null, part: string): void => {
    const hash = hashOf(part);
    sql("INSERT OR IGNORE INTO kept_texts (hash, text) VALUES (?, ?)").run(hash, part);
    sql("INSERT INTO kept_parts (kept, place, up_to, hash) VALUES (?, ?, ?, ?)").run(kept, place, upTo, hash);
  };
  const openVersions = (run: string, worker: string): readonly PartVersion[] =>
    sql(
      "SELECT place, part, NULL AS up_to FROM open_parts WHERE run = ?1 AND worker = ?2 UNION ALL SELECT place, part, up_to FROM replaced_parts WHERE run = ?1 AND worker = ?2",
    )
      .all(run, worker)
      .map(versionOf);
  const begin = (
    run: string,
    worker: string,
    iteration: number,
    row: { readonly driver: string; readonly commit: string | null; readonly characters: number },
  ): number | bigint => {
    sql("DELETE FROM kept_conversations WHERE run = ? AND worker = ? AND iteration = ?").run(
      run,
      worker,
      iteration,
    );
    return sql(
      'INSERT INTO kept_conversations (run, worker, iteration, driver, "commit", characters, at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    ).run(run, worker, iteration, row.driver, row.commit, row.characters, now()).lastInsertRowid;
  };
  const makeRoom = (run: string, most: number): void => {
    const rows = sql(
      "SELECT id, characters FROM kept_conversations WHERE run = ? AND made_way = 0 ORDER BY id DESC",
    ).all(run);
    let characters = 0;
    const old = rows.filter((row, at) => {
      characters += Number(row.characters);
      return at > 0 && characters > most;
    });
    if (old.length === 0) return;
    for (const { id } of old) {
      sql("UPDATE kept_conversations SET made_way = 1 WHERE id = ?").run(id as number);
      sql("DELETE FROM kept_parts WHERE kept = ?").run(id as number);
    }
    sql("DELETE FROM kept_texts WHERE hash NOT IN (SELECT hash FROM kept_parts)").run();
  };

  return { keepPart, openVersions, begin, makeRoom };
}

export function keptConversations(database: JournalDatabase) {
  const { sql, together } = database;
  const { keepPart, openVersions, begin, makeRoom } = keptRows(database);
  return {
    /**
     * Keeps the conversation that a worker is in, as the one of an iteration. To be called before it is ended, in one
     * transaction with that. @param most characters that all of the run's may have
     */
    keepConversation(
      run: string,
      worker: string,
      { iteration, commit }: { readonly iteration: number; readonly commit: string | null },
      most = keptCharacters,
    ): void {
      together(() => {
        const open = sql("SELECT driver FROM open_conversations WHERE run = ? AND worker = ?").get(
          run,
          worker,
        );
        if (!open) return;
        const parts = openVersions(run, worker);
        const characters = parts.reduce((sum, { part }) => sum + part.length, 0);
        const kept = begin(run, worker, iteration, { driver: String(open.driver), commit, characters });
        for (const { place, part, upTo } of parts) keepPart(kept, place, upTo, part);
        makeRoom(run, most);
      });
    },
    /** Keeps what a worker's conversation begins with. */
    keepHistory(run: string, worker: string, iteration: number, { driver, parts }: ResumeToken): void {
      together(() => {
        const characters = parts.reduce((sum, part) => sum + part.length, 0);
        const kept = begin(run, worker, iteration, { driver, commit: null, characters });
        for (const [place, part] of parts.entries()) keepPart(kept, place, null, part);
      });
    },
    /** The conversation of a worker's iteration. */
    keptConversation(run: string, worker: string, iteration: number): KeptAnswer {
      const row = sql(
        'SELECT id, driver, "commit", made_way FROM kept_conversations WHERE run = ? AND worker = ? AND iteration = ?',
      ).get(run, worker, iteration);
      if (!row) return null;
      if (row.made_way === 1) return "made-way";
      const versions = sql(
        "SELECT place, up_to, text AS part FROM kept_parts JOIN kept_texts USING (hash) WHERE kept = ?",
      ).all(Number(row.id));
      return {
        commit: row.commit === null ? null : String(row.commit),
        ...tokensOf(String(row.driver), versions.map(versionOf)),
      };
    },
    /** The same of the conversation that a worker is in the middle of. */
    keptOpen(run: string, worker: string): Omit<KeptConversation, "commit"> | null {
      const open = sql("SELECT driver FROM open_conversations WHERE run = ? AND worker = ?").get(run, worker);
      if (!open) return null;
      return tokensOf(String(open.driver), openVersions(run, worker));
    },
  };
}

/** One text of a part: how it read for as long as the conversation had at most `upTo` parts; null: to its end. */
interface PartVersion {
  readonly place: number;
  readonly upTo: number | null;
  readonly part: string;
}

const versionOf = (row: Record<string, unknown>): PartVersion => ({
  place: Number(row.place),
  upTo: row.up_to === null ? null : Number(row.up_to),
  part: String(row.part),
});

function tokensOf(driver: string, versions: readonly PartVersion[]): Omit<KeptConversation, "commit"> {
  const shortestFirst = versions.toSorted((one, other) => (one.upTo ?? Infinity) - (other.upTo ?? Infinity));
  const at = (length: number): ResumeToken => {
    const parts: string[] = [];
    for (const { place, upTo, part } of shortestFirst)
      if (place < length && length <= (upTo ?? Infinity)) parts[place] ??= part;
    return { driver, parts };
  };
  return { token: at(versions.reduce((most, { place }) => Math.max(most, place + 1), 0)), at };
}
