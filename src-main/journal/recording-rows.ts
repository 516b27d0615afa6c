import type { CardAnswer, InboxItem } from "#shared/contract/cards.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { Spent } from "#shared/domain/spending/usage.ts";
import { type JournalDatabase, readJson } from "./journal-database.ts";

/** A card as it was answered; what it showed before it was replaced is not kept. */
export interface JournalCard {
  readonly item: InboxItem;
  readonly answeredAt: number | null;
  readonly decision: CardAnswer | null;
}

export interface JournalSpending {
  readonly worker: string;
  readonly model: string;
  readonly at: number;
  readonly spent: Spent;
}

/** All that the journal holds of one run, with its times: what a replay is made from. */
export function createRecordingRows({ sql }: Pick<JournalDatabase, "sql">) {
  return {
    /** The number of the newest one: another number means that something happened since. */
    lastMoment(run: string): number {
      return Number(sql("SELECT max(seq) AS last FROM events WHERE run = ?").get(run)?.last ?? 0);
    },
    /** Worker → what is shown of its conversation. */
    conversations(run: string): Readonly<Record<string, readonly ConversationRow[]>> {
      const rows = sql("SELECT worker, place, at, entry FROM rows WHERE run = ? ORDER BY worker, place")
        .all(run)
        .map((row) => ({
          worker: String(row.worker),
          row: {
            index: Number(row.place),
            at: Number(row.at),
            ...JSON.parse(String(row.entry)),
          } as ConversationRow,
        }));
      return Object.fromEntries(
        [...Map.groupBy(rows, ({ worker }) => worker)].map(([worker, own]) => [
          worker,
          own.map(({ row }) => row),
        ]),
      );
    },
    requests(run: string): readonly JournalSpending[] {
      return sql("SELECT worker, model, at, spent FROM spending WHERE run = ? ORDER BY rowid")
        .all(run)
        .map((row) => ({
          worker: String(row.worker),
          model: String(row.model),
          at: Number(row.at),
          spent: JSON.parse(String(row.spent)) as Spent,
        }));
    },
    /** In the order in which they were asked. */
    cards(run: string): readonly JournalCard[] {
      return sql("SELECT item, answered_at, decision FROM inbox WHERE run = ? ORDER BY rowid")
        .all(run)
        .map(cardOf);
    },
    /** Cards on a run's timeline, without decisions' diffs. */
    timelineCards(run: string): readonly JournalCard[] {
      return sql(
        `SELECT json_remove(item, '$.diff') AS item, answered_at, decision FROM inbox
         WHERE run = ? AND json_extract(item, '$.kind') IN ('align-request', 'mutation') ORDER BY rowid`,
      )
        .all(run)
        .map(cardOf);
    },
  };
}

const cardOf = (row: Record<string, unknown>): JournalCard => ({
  item: JSON.parse(String(row.item)) as InboxItem,
  answeredAt: row.answered_at === null ? null : Number(row.answered_at),
  decision: readJson<CardAnswer>(row, "decision") ?? null,
});
