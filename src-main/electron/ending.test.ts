import { EventEmitter } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { endInOrder } from "./ending.ts";

const machine = await vi.hoisted(async () => {
  const events = await import("node:events");
  return {
    app: Object.assign(new events.EventEmitter(), { exit: vi.fn<(code: number) => void>() }),
    powerMonitor: new events.EventEmitter(),
    signals: { first: (): void => undefined, second: (_code: number): void => undefined },
  };
});
vi.mock("electron", () => machine);
// Real signals reach the app in `main.test.ts`, and each of them the host without Electron in `serving.test.ts`.
vi.mock("../end-signals.ts", () => ({
  onEndSignal(begin: () => void, endAtOnce: (code: number) => void) {
    machine.signals.first = begin;
    machine.signals.second = endAtOnce;
  },
}));

const { app, powerMonitor, signals } = machine;
let saved: PromiseWithResolvers<void>;
const save = vi.fn(() => saved.promise);
let window: EventEmitter;
let messages: string[];

beforeEach(() => {
  vi.useFakeTimers();
  saved = Promise.withResolvers();
  messages = [];
  vi.spyOn(console, "error").mockImplementation((line: string) => void messages.push(line));
  endInOrder(save, () => "Saving the work of agent-1…");
  window = new EventEmitter();
  app.emit("browser-window-created", {}, window);
});
afterEach(() => {
  for (const emitter of [app, powerMonitor]) emitter.removeAllListeners();
  vi.clearAllMocks();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const preventable = () => ({ preventDefault: vi.fn() });
const quit = (): void => void app.emit("before-quit", preventable());

describe("an orderly shutdown", () => {
  it.each([
    ["the menu", quit],
    ["a machine that shuts down", () => powerMonitor.emit("shutdown", preventable())],
    ["a machine that shuts down and asks nobody", () => powerMonitor.emit("shutdown")],
    ["Windows, which asks a window first", () => window.emit("query-session-end")],
    ["Windows, when a user logs out", () => window.emit("session-end")],
    ["a signal", () => signals.first()],
  ] as const)("follows %s, and waits until all is saved", async (_who, ask) => {
    ask();
    expect(save).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(app.exit).not.toHaveBeenCalled();
    saved.resolve();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(app.exit.mock.calls).toEqual([[0]]);
  });

  it("keeps Electron and the system from ending the app meanwhile", () => {
    const [byMenu, bySystem] = [preventable(), preventable()];
    app.emit("before-quit", byMenu);
    powerMonitor.emit("shutdown", bySystem);
    expect(byMenu.preventDefault).toHaveBeenCalledOnce();
    expect(bySystem.preventDefault).toHaveBeenCalledOnce();
  });

  it("starts once, however often it is requested", async () => {
    quit();
    signals.first();
    window.emit("session-end");
    saved.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(save).toHaveBeenCalledOnce();
    expect(app.exit.mock.calls).toEqual([[0]]);
    expect(messages).toEqual(["Hox: Saving the work of agent-1…"]);
  });

  it("is cut short by its time limit", async () => {
    quit();
    await vi.advanceTimersByTimeAsync(14_900);
    expect(app.exit).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    expect(app.exit.mock.calls).toEqual([[1]]);
    expect(messages).toEqual([expect.stringContaining("repaired at the next start")]);
  });

  it("reports what was not saved", async () => {
    quit();
    saved.reject(new Error("the disk is full"));
    await vi.advanceTimersByTimeAsync(0);
    expect(app.exit.mock.calls).toEqual([[1]]);
    expect(messages).toEqual([expect.stringContaining("the disk is full")]);
  });

  it("is cut short by a second signal", () => {
    signals.first();
    signals.second(130);
    expect(app.exit.mock.calls).toEqual([[130]]);
    expect(messages.at(-1)).toContain("Quit immediately");
  });
});
