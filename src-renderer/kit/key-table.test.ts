import { describe, expect, it, vi } from "vitest";
import { type KeyTable, takeKey } from "./key-table.ts";

const press = (key: string, more: object = {}) => ({
  ...{ key, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, target: null },
  ...{ preventDefault: vi.fn(), stopPropagation: vi.fn() },
  ...more,
});

describe("a table of keys", () => {
  const done: string[] = [];
  const table: KeyTable<{ readonly isBusy: boolean }> = {
    place: "Here",
    rows: [
      { keys: "a", what: "approve", run: ({ isBusy }) => (isBusy ? false : void done.push("a")) },
      { keys: "1", also: ["2"], to: "2", what: "choose", run: (_, { key }) => void done.push(key) },
      { keys: "a", what: "wait", run: () => void done.push("wait") },
    ],
  };

  it("does what the first row does that has something to do", () => {
    expect(takeKey(table, press("a"), { isBusy: false })).toBe(true);
    expect(takeKey(table, press("a"), { isBusy: true })).toBe(true);
    expect(takeKey(table, press("2"), { isBusy: true })).toBe(true);
    expect(done).toEqual(["a", "wait", "2"]);
  });

  it("leaves to others what is not in it, and what is typed with another key", () => {
    const event = press("b");
    expect(takeKey(table, event, { isBusy: false })).toBe(false);
    expect(event.preventDefault).not.toHaveBeenCalled();
    expect(takeKey(table, press("a", { ctrlKey: true }), { isBusy: false })).toBe(false);
  });

  it("stops the propagation of a key that it took", () => {
    const event = press("1");
    takeKey(table, event, { isBusy: false });
    expect(event.preventDefault).toHaveBeenCalledOnce();
    expect(event.stopPropagation).toHaveBeenCalledOnce();
  });
});
