import { expect, test } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import { EventLog } from "./event-log.ts";

const notice = (text: string): HostEvent => ({ kind: "notice", level: "info", text, remedy: null });
const opening = (step: string): HostEvent => ({ kind: "repository-opening", path: "/p", step });
const long = { level: "info", text: "x".repeat(20_000), remedy: null } as const;
const trouble: InboxItem = {
  kind: "trouble",
  id: "r/trouble",
  run: "r",
  at: 0,
  nonce: "n",
  shown: "s",
  title: "t",
  detail: "",
  remedy: "r",
  worker: null,
};
const inbox = (): HostEvent => ({ kind: "inbox", items: [] });

async function take(stream: AsyncGenerator<NumberedEvent>, count: number): Promise<NumberedEvent[]> {
  const taken: NumberedEvent[] = [];
  while (taken.length < count) {
    const next = await stream.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

test("a new client gets the snapshot, which can be continued only from its end", async () => {
  const log = new EventLog({ snapshot: () => [notice("one"), notice("two"), notice("three")], start: 100 });
  log.publish(notice("before"));
  expect(await take(log.read(null), 3)).toEqual([
    { seq: 0, event: notice("one") },
    { seq: 0, event: notice("two") },
    { seq: 101, event: notice("three") },
  ]);
});

test("a reconnected client gets exactly what it missed", async () => {
  const log = new EventLog({ snapshot: () => [notice("snapshot")], start: 100 });
  for (const text of ["a", "b", "c"]) log.publish(notice(text));
  const events = await take(log.read(101), 2);
  expect(events).toEqual([
    { seq: 102, event: notice("b") },
    { seq: 103, event: notice("c") },
  ]);
});

test("numbers of another host, earlier or later, lead to a snapshot", async () => {
  const log = new EventLog({ snapshot: () => [notice("snapshot")], start: 100 });
  expect((await take(log.read(7), 1))[0]?.event).toEqual(notice("snapshot"));
  expect((await take(log.read(5_000), 1))[0]?.event).toEqual(notice("snapshot"));
});

test("a client that falls behind the kept events restarts, and memory stays bounded", async () => {
  const log = new EventLog({ snapshot: () => [notice("snapshot")], start: 0, maxEvents: 10 });
  const slow = log.read(null);
  await take(slow, 1);
  for (let index = 0; index < 50; index++) log.publish(notice(String(index)));
  const [next] = await take(slow, 1);
  expect(next).toEqual({ seq: 50, event: notice("snapshot") });
  log.publish(notice("after"));
  expect(await take(slow, 1)).toEqual([{ seq: 51, event: notice("after") }]);
});

test("large events push older ones out before the count limit", async () => {
  const log = new EventLog({ snapshot: () => [notice("snapshot")], start: 0, maxWeight: 50_000 });
  const heavy: HostEvent = {
    kind: "conversation",
    run: "r",
    worker: "agent-1",
    rows: [
      {
        index: 0,
        at: 0,
        kind: "tool-call",
        id: "c",
        tool: "write_file",
        input: { content: "x".repeat(20_000) },
      },
    ],
  };
  for (let index = 0; index < 5; index++) log.publish(heavy);
  expect((await take(log.read(1), 1))[0]?.event).toEqual(notice("snapshot"));
  expect((await take(log.read(4), 1))[0]?.event).toEqual(heavy);
});

test("a replaced view is dropped", async () => {
  const log = new EventLog({ snapshot: () => [notice("snapshot")], start: 0, maxWeight: 50_000 });
  log.publish(notice("before"));
  const card = { ...trouble, detail: "x".repeat(20_000) };
  for (let index = 0; index < 50; index++) log.publish({ kind: "inbox", items: [card] });
  // Fifty cards would have pushed it out.
  expect((await take(log.read(0), 2)).map(({ seq }) => seq)).toEqual([1, 51]);
  for (let index = 0; index < 3; index++) log.publish({ kind: "notice", ...long });
  expect((await take(log.read(0), 1))[0]?.event).toEqual(notice("snapshot"));
});

test("a client that is behind gets only the newest of replaced views, and everything else in order", async () => {
  const log = new EventLog({ snapshot: () => [notice("snapshot")], start: 0 });
  log.publish(inbox());
  log.publish(opening("first"));
  log.publish(inbox());
  log.publish(opening("second"));
  expect((await take(log.read(0), 3)).map(({ seq }) => seq)).toEqual([2, 3, 4]);
});

test("waiting ends with the client's signal, and with the log", async () => {
  const log = new EventLog({ snapshot: () => [notice("snapshot")], start: 0 });
  const stop = new AbortController();
  const left = log.read(0, stop.signal).next();
  const stayed = log.read(0).next();
  stop.abort();
  expect((await left).done).toBe(true);
  log.close();
  expect((await stayed).done).toBe(true);
});
