import { beforeEach, expect, it } from "vitest";
import type { HostEvent, NumberedEvent } from "#shared/contract/events.ts";
import { EventLog } from "./event-log.ts";
import { createViewers, type Viewers } from "./viewers.ts";

const notice = (text: string): HostEvent => ({ kind: "notice", level: "error", text, remedy: null });
const inbox: HostEvent = { kind: "inbox", items: [] };
let logs: Map<string | null, EventLog>;
let viewers: Viewers;

beforeEach(() => {
  const logOf = (name: string, start: number) =>
    new EventLog({ start, snapshot: () => [notice(`all of ${name}`)] });
  logs = new Map([
    [null, logOf("none", 0)],
    ["/a", logOf("a", 1_000)],
    ["/b", logOf("b", 2_000)],
  ]);
  viewers = createViewers({
    latest: () => [...logs.keys()].at(-1) ?? null,
    open: () => [...logs.keys()].filter((root) => root !== null),
    isOpen: (root) => logs.has(root),
    logOf: (root) => logs.get(root) ?? (logs.get(null) as EventLog),
  });
});

const say = (root: string | null, event: HostEvent): void => logs.get(root)?.publish(event);
async function next(stream: AsyncGenerator<NumberedEvent, void, void>): Promise<string | undefined> {
  const { value } = await stream.next();
  if (!value) return undefined;
  return value.event.kind === "notice" ? value.event.text : value.event.kind;
}

it("continues with the window's repository, with errors of that repository only", async () => {
  const [line, other] = [{}, {}];
  const stream = viewers.watch(line, { since: null, repository: "/a" });
  const second = viewers.watch(other, { since: null, repository: "/a" });
  expect([await next(stream), await next(second)]).toEqual(["all of a", "all of a"]);
  say("/a", inbox);
  say("/a", notice("not saved"));
  say("/b", notice("early"));
  viewers.show("/b", 2_000, line);
  expect([await next(stream), await next(stream)]).toEqual(["not saved", "early"]);
  expect([viewers.shownBy(line), viewers.shownBy(other)]).toEqual(["/b", "/a"]);
  expect([await next(second), await next(second)]).toEqual(["inbox", "not saved"]);
  // One that is open already is shown whole.
  viewers.show("/a", null, line);
  expect(await next(stream)).toBe("all of a");
  expect([viewers.isShown("/a"), viewers.isShown("/b")]).toEqual([true, false]);
});

it("takes a window back when its new repository cannot be opened", async () => {
  const line = {};
  const stream = viewers.watch(line, { since: null, repository: "/a" });
  await next(stream);
  const takeBack = viewers.show("/b", 2_000, line);
  logs.delete("/b");
  viewers.leave("/b", 0);
  expect(viewers.shownBy(line)).toBeNull();
  takeBack();
  expect([viewers.shownBy(line), await next(stream)]).toEqual(["/a", "all of a"]);
});

it("a reconnected window shows its old repository again, otherwise the last opened one", async () => {
  say("/a", inbox);
  say("/a", notice("missed"));
  expect(await next(viewers.watch({}, { since: 1_001, repository: "/a" }))).toBe("missed");
  expect(await next(viewers.watch({}, { since: 1_001, repository: "/closed" }))).toBe("all of b");
  expect(await next(viewers.watch({}, { since: null }))).toBe("all of b");
  // It showed none, by its own choice.
  say(null, notice("to those who show none"));
  expect(await next(viewers.watch({}, { since: 0 }))).toBe("to those who show none");
});
