import type { HostEvent } from "#shared/contract/events.ts";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { joinTimelineNews } from "#shared/domain/timeline/timeline-news.ts";

type Conversation = Extract<HostEvent, { kind: "conversation" }>;

/** One write to the screen per so many milliseconds is as live as an eye can tell, whatever the models' speed. */
const everyMs = 30;

/**
 * Gathers what arrives in pieces: views that replace each other keep only the newest, rows of one conversation are
 * merged by index. The first event after a quiet time goes out at once. Notices are never held back.
 */
export function coalesceEvents(publish: (event: HostEvent) => void): {
  push(event: HostEvent): void;
  flush(): void;
} {
  /** By kind, and of what is a run's by its run. */
  const views = new Map<string, HostEvent>();
  const conversations = new Map<string, { event: Conversation; rows: Map<number, ConversationRow> }>();
  let timer: NodeJS.Timeout | null = null;

  const send = (): boolean => {
    const events = [...views.values()];
    for (const { event, rows } of conversations.values()) {
      events.push({ ...event, rows: [...rows.values()].sort((a, b) => a.index - b.index) });
    }
    views.clear();
    conversations.clear();
    for (const event of events) publish(event);
    return events.length > 0;
  };
  const tick = (): void => {
    timer = send() ? setTimeout(tick, everyMs) : null;
  };
  return {
    push(event) {
      if (event.kind === "conversation") {
        const key = `${event.run}\n${event.worker}`;
        const held = conversations.get(key) ?? { event, rows: new Map() };
        for (const row of event.rows) held.rows.set(row.index, row);
        conversations.set(key, held);
      } else if (event.kind === "timeline") {
        const key = `timeline ${event.news.run}`;
        const held = views.get(key);
        const news = held?.kind === "timeline" ? joinTimelineNews(held.news, event.news) : event.news;
        views.set(key, { kind: "timeline", news });
      } else if (event.kind === "run") {
        views.delete(`run ${event.run.id}`);
        views.set(`run ${event.run.id}`, event);
      } else if (event.kind === "inbox" || event.kind === "messages") {
        views.delete(event.kind);
        views.set(event.kind, event);
      } else {
        send();
        publish(event);
        return;
      }
      if (timer === null) tick();
    },
    flush() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      send();
    },
  };
}
