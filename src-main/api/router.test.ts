import { call } from "@orpc/server";
import { expect, it } from "vitest";
import type { NumberedEvent } from "#shared/contract/events.ts";
import type { HostState } from "./host-state.ts";
import { createRouter, withBeats } from "./router.ts";

const notice = (text: string): NumberedEvent => ({
  seq: 7,
  event: { kind: "notice", level: "info", text, remedy: null },
});

async function* quietBetween(first: NumberedEvent, second: NumberedEvent, more: Promise<void>) {
  yield first;
  await more;
  yield second;
}

it("sends heartbeats while there are no events, without losing or delaying any", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const kinds: string[] = [];
  for await (const { event, seq } of withBeats(quietBetween(notice("one"), notice("two"), promise), 5)) {
    kinds.push(event.kind === "notice" ? `${event.text} ${seq}` : `${event.kind} ${seq}`);
    if (kinds.length === 4) resolve();
  }
  expect(kinds.slice(0, 4)).toEqual(["one 7", "alive 0", "alive 0", "alive 0"]);
  expect(kinds.at(-1)).toBe("two 7");
});

it("ends with the stream, passes its errors on, and does not wait when it is abandoned", async () => {
  const failing = async function* (): AsyncGenerator<NumberedEvent, void, void> {
    yield notice("one");
    throw new Error("The log is gone.");
  };
  const stream = withBeats(failing(), 5);
  expect((await stream.next()).done).toBe(false);
  await expect(stream.next()).rejects.toThrow("The log is gone.");

  const never = withBeats(quietBetween(notice("one"), notice("two"), new Promise(() => {})), 5);
  await never.next();
  await never.next();
  expect(await never.return()).toEqual({ done: true, value: undefined });
});

it("sends a window the rows of only those conversations that it has asked for", async () => {
  const said = (worker: string): NumberedEvent => ({
    seq: 7,
    event: { kind: "conversation", run: "r1", worker, rows: [] },
  });
  const workers = ["agent-1", "agent-2"];
  const state = {
    opened: () => ({ engine: { executeFor: async () => [] } }),
    people: { any: () => false },
    presence: { join: () => () => undefined },
    async *watch() {
      for (const worker of workers) yield said(worker);
      yield notice("the end");
    },
  } as unknown as HostState;
  const router = createRouter(state);
  const heardBy = async (line?: object): Promise<readonly string[]> => {
    const heard: string[] = [];
    for await (const { event } of await call(
      router.watch,
      { since: null },
      { context: { ...(line && { line }) } },
    ))
      heard.push(event.kind === "conversation" ? event.worker : event.kind);
    return heard;
  };
  const window = {};
  await call(
    router.run.conversation,
    { repository: "/repository", run: "r1", worker: "agent-2" },
    { context: { line: window } },
  );
  expect(await heardBy(window)).toEqual(["agent-2", "notice"]);
  expect(await heardBy({})).toEqual(["notice"]);
  // A command that is its own client hears all of them.
  expect(await heardBy()).toEqual([...workers, "notice"]);
});
