/** What agents said and did, by run and worker. Rows arrive in pieces; the last one grows in place. */
import { create } from "zustand";
import type { HostEvent } from "#shared/contract/events.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { client } from "../client.ts";
import { useReplay } from "./replay-store.ts";

export type Conversations = ReadonlyMap<string, readonly ConversationRow[]>;

const conversationKey = (run: string, worker: string): string => `${run} ${worker}`;

/** Puts rows at their index: a known index is replaced, a new one appended. */
export function mergeRows(
  known: readonly ConversationRow[],
  incoming: readonly ConversationRow[],
): readonly ConversationRow[] {
  if (incoming.length === 0) return known;
  const last = known.at(-1);
  const merged = [...known];
  if (last === undefined || incoming.every((row) => row.index > last.index)) return [...merged, ...incoming];
  const place = new Map(merged.map((row, position) => [row.index, position]));
  for (const row of incoming) {
    const position = place.get(row.index);
    if (position === undefined) {
      place.set(row.index, merged.length);
      merged.push(row);
    } else merged[position] = row;
  }
  return merged.sort((a, b) => a.index - b.index);
}

export function reduceConversations(state: Conversations, event: HostEvent): Conversations {
  if (event.kind === "snapshot" || event.kind === "repository") return state.size === 0 ? state : new Map();
  if (event.kind !== "conversation") return state;
  const key = conversationKey(event.run, event.worker);
  return new Map(state).set(key, mergeRows(state.get(key) ?? [], event.rows));
}

interface ConversationState {
  readonly rows: Conversations;
}

export const useConversations = create<ConversationState>(() => ({ rows: new Map() }));

const none: readonly ConversationRow[] = [];

export const useConversation = (run: string | null, worker: string | null): readonly ConversationRow[] =>
  useConversations((state) =>
    run && worker ? (state.rows.get(conversationKey(run, worker)) ?? none) : none,
  );

/** Of a replay: all rows of the conversations that were asked for, of which those up to its moment are shown. */
let recorded: Conversations = new Map();

/** Shows of recorded conversations what had been said by then (ms since 1970). */
export function showRowsUntil(at: number): void {
  const { rows: shown } = useConversations.getState();
  const next = new Map(
    [...recorded].map(([key, rows]) => {
      const until = rows.filter((row) => row.at <= at);
      const before = shown.get(key);
      return [key, before?.length === until.length ? before : until] as const;
    }),
  );
  if (next.size !== shown.size || [...next].some(([key, rows]) => shown.get(key) !== rows))
    useConversations.setState({ rows: next });
}

/** Begins and ends a replay: nothing of another one is shown. */
export function forgetRecorded(): void {
  recorded = new Map();
}

async function loadRecorded(replay: string, run: string, worker: string): Promise<void> {
  const rows = await client.replay.conversation({ replay, worker });
  const { view, at } = useReplay.getState();
  if (view?.id !== replay) return;
  recorded = new Map(recorded).set(conversationKey(run, worker), rows);
  showRowsUntil(at);
}

/** Fetches what was said until now, and follows it from then on: later pieces merge into it. */
export async function loadConversation(run: string, worker: string): Promise<void> {
  const { view } = useReplay.getState();
  if (view) return loadRecorded(view.id, run, worker);
  const key = conversationKey(run, worker);
  const before = new Set(useConversations.getState().rows.get(key));
  const rows = await client.run.conversation({ run, worker });
  useConversations.setState(({ rows: all }) => {
    // What the stream brought meanwhile is newer than the answer.
    const meanwhile = (all.get(key) ?? []).filter((row) => !before.has(row));
    return { rows: new Map(all).set(key, mergeRows(rows, meanwhile)) };
  });
}
