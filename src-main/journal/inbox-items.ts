import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import { type JournalDatabase, readJson } from "./journal-database.ts";

export interface RecordedAnswer {
  readonly item: InboxItem;
  readonly decision: CardAnswer | null;
}

/** Cards that wait for a person, and how they were answered. */
export function createInboxItems({ sql, now }: JournalDatabase) {
  return {
    addInboxItem(item: InboxItem): void {
      sql("INSERT INTO inbox (id, run, at, nonce, shown, item) VALUES (?, ?, ?, ?, ?, ?)").run(
        item.id,
        item.run,
        item.at,
        item.nonce,
        item.shown,
        JSON.stringify(item),
      );
    },
    /** Puts other content under the same id: answers to what was shown before no longer fit. */
    replaceInboxItem(item: InboxItem): void {
      sql("UPDATE inbox SET at = ?, nonce = ?, shown = ?, item = ? WHERE id = ? AND answered_at IS NULL").run(
        item.at,
        item.nonce,
        item.shown,
        JSON.stringify(item),
        item.id,
      );
    },
    inboxItem(id: string): RecordedAnswer | null {
      const row = sql("SELECT item, decision FROM inbox WHERE id = ?").get(id);
      return row
        ? {
            item: JSON.parse(String(row.item)) as InboxItem,
            decision: readJson<CardAnswer>(row, "decision") ?? null,
          }
        : null;
    },
    /** Oldest first. */
    openInbox(run: string): readonly InboxItem[] {
      return sql("SELECT item FROM inbox WHERE run = ? AND answered_at IS NULL ORDER BY rowid")
        .all(run)
        .map((row) => JSON.parse(String(row.item)) as InboxItem);
    },
    /** Answered cards of one kind, the last first. */
    answeredInbox(run: string, kind: InboxItem["kind"]): readonly RecordedAnswer[] {
      return sql(
        "SELECT item, decision FROM inbox WHERE run = ? AND answered_at IS NOT NULL AND json_extract(item, '$.kind') = ? ORDER BY rowid DESC LIMIT 50",
      )
        .all(run, kind)
        .flatMap((row) => {
          const decision = readJson<CardAnswer>(row, "decision");
          return decision ? [{ item: JSON.parse(String(row.item)) as InboxItem, decision }] : [];
        });
    },
    answerInboxItem(id: string, nonce: string, decision: CardAnswer): boolean {
      const { changes } = sql(
        "UPDATE inbox SET answered_at = ?, decision = ? WHERE id = ? AND nonce = ? AND answered_at IS NULL",
      ).run(now(), JSON.stringify(decision), id, nonce);
      return Number(changes) === 1;
    },
  };
}
