import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { focusSoon, focusWhenLost, keepFocus } from "./focus-soon.ts";

/** Of a page only who has the focus: an element takes it when it is asked to, and may lie in a dialog. */
const body = {} as HTMLElement;
const page = { body, activeElement: body };
function element(dialog: object | null = null): HTMLElement {
  const made = {
    closest: () => dialog,
    focus(): void {
      page.activeElement = one;
    },
  };
  const one = made as unknown as HTMLElement;
  return one;
}
const [graph, opener, card, inDialog] = [element(), element(), element(), element({})];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", page);
  page.activeElement = body;
});
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("where nothing has the focus it goes to what is there, also where that comes later", () => {
  let found: HTMLElement | null = null;
  focusWhenLost(() => found);
  vi.advanceTimersByTime(500);
  expect(page.activeElement).toBe(body);
  found = graph;
  vi.advanceTimersByTime(100);
  expect(page.activeElement).toBe(graph);
});

test("who has the focus keeps it, and what closes a moment later gives it back where it was", () => {
  page.activeElement = opener;
  keepFocus(() => graph);
  vi.advanceTimersByTime(200);
  expect(page.activeElement).toBe(opener);
  // A dialog closes: for a moment nobody has it.
  page.activeElement = body;
  vi.advanceTimersByTime(50);
  expect(page.activeElement).toBe(body);
});

test("a dialog that goes does not keep it", () => {
  page.activeElement = inDialog;
  focusWhenLost(() => graph);
  vi.advanceTimersByTime(200);
  expect(page.activeElement).toBe(inDialog);
  page.activeElement = body;
  vi.advanceTimersByTime(50);
  expect(page.activeElement).toBe(graph);
});

test("what was asked for goes before what is kept", () => {
  focusSoon(() => card);
  keepFocus(() => graph);
  vi.advanceTimersByTime(200);
  expect(page.activeElement).toBe(card);
});
