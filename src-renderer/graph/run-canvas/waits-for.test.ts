import { describe, expect, it } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import { aWorker } from "#shared/testing/kit.ts";
import { lastSentence, waitsFor } from "./waits-for.ts";

const worker = (patch: Partial<WorkerView>): WorkerView =>
  aWorker("agent-2", { state: "sleeping", ...patch });
const run = (patch: Partial<RunView> = {}): RunView =>
  ({
    ...{ workers: [], paused: "no", providerLimit: null, maxParallelAgents: 4, endedAt: null },
    ...patch,
  }) as unknown as RunView;
const question = (from: string): InboxItem =>
  ({ kind: "align-request", id: "q", from, question: "Which name?", options: [] }) as unknown as InboxItem;
const words = (one: WorkerView, now = run(), inbox: readonly InboxItem[] = []): string | null =>
  waitsFor(one, now, inbox)?.words ?? null;

describe("what a worker waits for", () => {
  it("is a free place, with how many are taken and where that is set", () => {
    const busy = ["agent-1", "agent-3"].map((name) => worker({ name, state: "thinking" }));
    const asleep = worker({ activity: "waiting for a free slot" });
    expect(words(asleep, run({ workers: [...busy, asleep], maxParallelAgents: 2 }))).toBe(
      "waiting for a free slot: 2 of 2 are taken (“Agents at once” in the budget)",
    );
  });

  it("is the user, by the words of the card, whichever way the card names who asks", () => {
    for (const from of ["agent-2", "O-A-1/agent-2"])
      expect(waitsFor(worker({ state: "waiting" }), run(), [question(from)])).toEqual({
        words: "waiting for your answer: Which name?",
        card: "q",
      });
    expect(words(worker({ state: "thinking" }), run(), [question("agent-22")])).toBeNull();
  });

  it("is the provider, a budget, a pause or the user's own hands", () => {
    const limit = { kind: "limit", since: 0, until: null, reason: "429" } as const;
    expect(words(worker({}), run({ providerLimit: limit }))).toMatch(/^waiting: provider limit reached/u);
    expect(words(worker({}), run({ paused: "budget" }))).toMatch(/budget of the run/u);
    expect(words(worker({ budget: { state: "exhausted" } as WorkerView["budget"] }))).toMatch(/its budget/u);
    expect(words(worker({}), run({ paused: "paused" }))).toBe("paused with the run");
    expect(words(worker({ held: true }))).toBe("paused by you");
    expect(words(worker({ held: true, byHand: { since: 1 } }))).toBe("assigned to you");
  });

  it("is null for a worker that works or is done, and in a run that is over", () => {
    expect(words(worker({ state: "tools" }), run({ paused: "pausing" }))).toBeNull();
    expect(words(worker({ status: "done", held: true }))).toBeNull();
    expect(words(worker({ held: true }), run({ endedAt: 5 }))).toBeNull();
  });
});

describe("lastSentence", () => {
  it("returns the last whole sentence, on one line", () => {
    expect(lastSentence("First this.\nNow I write src/api.ts. It needs a test.")).toBe("It needs a test.");
    expect(lastSentence("I look at src/api.ts and")).toBe("I look at src/api.ts and");
    expect(lastSentence("All checks pass. Done.")).toBe("All checks pass.");
    expect(lastSentence("  ")).toBe("");
  });
});
