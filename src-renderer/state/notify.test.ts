import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from "vitest";
import { notices, notify, type SystemNotice, takeMissed } from "./notify.ts";

let add: MockInstance<typeof notices.add>;
const shown = () => add.mock.calls.map(([{ id, title, data }]) => ({ id, title, count: data?.count }));

beforeEach(() => {
  add = vi.spyOn(notices, "add");
});
afterEach(() => {
  for (const [{ onClose }] of add.mock.calls) onClose?.();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

describe("notify", () => {
  it("counts a repeated text in one notification until it is closed", () => {
    notify("error", "No");
    notify("error", "No");
    expect(shown().map(({ count }) => count)).toEqual([1, 2]);
    expect(new Set(shown().map(({ id }) => id)).size).toBe(1);
    add.mock.calls[1]?.[0].onClose?.();
    notify("error", "No");
    expect(shown().at(-1)?.count).toBe(1);
  });

  it("replaces the text of a notification with the same key", () => {
    notify("info", "a is done", null, { key: "done" });
    notify("info", "a, b are done", null, { key: "done" });
    expect(shown()).toEqual([
      { id: "done", title: "a is done", count: 1 },
      { id: "done", title: "a, b are done", count: 1 },
    ]);
  });

  it("shows nothing in the window that is on screen already", () => {
    notify("info", "Complete", null, { isInWindow: false });
    expect(add).not.toHaveBeenCalled();
  });
});

describe("notify with the window in the background", () => {
  const system: SystemNotice = { id: "q", title: "Question", body: "Which?", open: () => undefined };
  const lookElsewhere = (permission: NotificationPermission) => {
    const sent = vi.fn<(title: string, options: NotificationOptions) => void>();
    class FakeNotification extends EventTarget {
      static readonly permission = permission;
      constructor(title: string, options: NotificationOptions) {
        super();
        sent(title, options);
      }
    }
    vi.stubGlobal("Notification", FakeNotification);
    vi.stubGlobal("document", { visibilityState: "hidden", hasFocus: () => false });
    return sent;
  };

  it("also shows it by the system, once per id", () => {
    const sent = lookElsewhere("granted");
    notify("warning", "Question", null, { system });
    expect(sent).toHaveBeenCalledExactlyOnceWith("Question", { body: "Which?", tag: "hox:q" });
    expect(takeMissed()).toBeNull();
    expect(add).toHaveBeenCalledOnce();
  });

  it("remembers what the system was not allowed to show", () => {
    const sent = lookElsewhere("default");
    notify("warning", "Question", null, { system });
    expect(sent).not.toHaveBeenCalled();
    expect(takeMissed()).toBe(system);
    expect(takeMissed()).toBeNull();
  });
});
