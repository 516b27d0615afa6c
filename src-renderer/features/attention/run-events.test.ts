import { describe, expect, it } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import type { WorkerView } from "#shared/contract/views/worker.ts";
import type { Watched } from "./news.ts";
import { eventsBetween, grouped } from "./run-events.ts";

const worker = (name: string, more: Partial<WorkerView> = {}): WorkerView =>
  ({
    ...{ name, role: "agent", state: "thinking", status: "in_progress", conflict: "none" },
    ...{ byHand: null, changeId: `k${name}`, iteration: 1 },
    ...more,
  }) as unknown as WorkerView;
const run = (more: Partial<RunView> = {}): RunView =>
  ({ id: "tides-1", workers: [], validation: null, budget: { state: "ok" }, ...more }) as unknown as RunView;
const at = (more: Partial<Watched>): Watched => ({ path: "/one", run: run(), inbox: [], ...more });
const seats = (...votes: readonly string[]) =>
  ({
    commitId: "c",
    seats: votes.map((vote, index) => ({ seat: `seat ${index}`, vote })),
  }) as unknown as RunView["validation"];
const question = { id: "q", kind: "align-request", question: "Who owns it?" } as unknown as InboxItem;
const words = (before: Watched | null, now: Watched) =>
  eventsBetween(before, now).map(({ who, words: text }) => `${who} ${text}`);

describe("events of a run", () => {
  it("are votes as they come, each once", () => {
    const [before, now] = [
      at({ run: run({ validation: seats("pending", "approve") }) }),
      at({ run: run({ validation: seats("reject", "approve") }) }),
    ];
    expect(words(before, now)).toEqual(["seat 0 rejects"]);
    expect(words(now, now)).toEqual([]);
  });

  it("are decisions that wait, and lead to their card", () => {
    const [event] = eventsBetween(at({}), at({ inbox: [question] }));
    expect(event).toMatchObject({ lead: { kind: "card", card: "q" }, tone: "warning" });
    expect(event?.words).toContain("Who owns it?");
  });

  it("are agents that failed, are done or came into conflict, and not those in a person's hands", () => {
    const before = at({ run: run({ workers: [worker("a"), worker("b"), worker("c")] }) });
    const now = at({
      run: run({
        workers: [
          worker("a", { state: "failed" }),
          worker("b", { status: "done" }),
          worker("c", { conflict: "merge" }),
        ],
      }),
    });
    expect(words(before, now)).toEqual(["a failed", "b is done", "c is in conflict"]);
    const mine = { byHand: { since: 1 } };
    expect(
      words(
        at({ run: run({ workers: [worker("a", mine)] }) }),
        at({ run: run({ workers: [worker("a", { ...mine, status: "done" })] }) }),
      ),
    ).toEqual([]);
  });

  it("are a budget that comes to its end", () => {
    const spent = at({ run: run({ budget: { state: "exhausted" } as RunView["budget"] }) });
    expect(words(at({}), spent)).toEqual(["The budget is used up: the run is paused"]);
  });

  it("are nothing that was there when the window or another run opened", () => {
    const now = at({ inbox: [question], run: run({ validation: seats("approve") }) });
    expect(eventsBetween(null, now)).toEqual([]);
    expect(eventsBetween(at({ path: "/two" }), now)).toEqual([]);
    expect(words(at({ run: run({ id: "other" }), inbox: [question] }), now)).toEqual([]);
  });

  it("name and open their run when it is not on screen; switching runs causes none", () => {
    const other = (more: Partial<RunView> = {}): RunView => run({ id: "tides-2", root: "O-A-2", ...more });
    const before = at({ otherRuns: [other({ stage: "executing", workers: [worker("b")] })] });
    const asks = { ...question, run: "tides-2" } as InboxItem;
    const now = at({
      inbox: [asks],
      otherRuns: [
        other({
          ...{ stage: "complete", landed: { bookmark: "main" } as RunView["landed"] },
          workers: [worker("b", { status: "done" })],
        }),
      ],
    });
    const events = eventsBetween(before, now);
    expect(grouped(events).map((group) => group.words)).toEqual([
      "O-A-2 · Landed on main",
      "O-A-2 · b is done",
      expect.stringContaining("O-A-2 · Question waiting for you"),
    ]);
    expect(events.map((event) => event.run)).toEqual(["tides-2", "tides-2", "tides-2"]);
    const switched = { ...now, run: now.otherRuns?.[0] ?? null, otherRuns: now.run ? [now.run] : [] };
    expect(eventsBetween(now, switched)).toEqual([]);
    // A run that has just begun beside it was not there before.
    expect(eventsBetween(at({}), at({ otherRuns: [other({ workers: [worker("b")] })] }))).toEqual([]);
  });

  it("of one kind are one line", () => {
    const before = at({ run: run({ workers: ["a", "b", "c", "d"].map((name) => worker(name)) }) });
    const now = at({
      run: run({ workers: ["a", "b", "c", "d"].map((name) => worker(name, { status: "done" })) }),
    });
    expect(grouped(eventsBetween(before, now)).map((group) => group.words)).toEqual([
      "a, b, c and 1 more are done",
    ]);
    const voted = at({ run: run({ validation: seats("timed-out", "timed-out", "approve", "approve") }) });
    const asked = at({ run: run({ validation: seats("pending", "pending", "pending", "pending") }) });
    expect(grouped(eventsBetween(asked, voted))).toMatchObject([
      { words: "seat 0, seat 1 timed out · seat 2, seat 3 approve", tone: "warning", count: 4 },
    ]);
    const rejected = at({ run: run({ validation: seats("approve", "approve", "reject", "approve") }) });
    expect(grouped(eventsBetween(asked, rejected))).toMatchObject([
      { words: "seat 2 rejects · seat 0, seat 1, seat 3 approve", tone: "danger" },
    ]);
    const met = at({ run: run({ workers: ["a", "b"].map((name) => worker(name, { conflict: "merge" })) }) });
    expect(grouped(eventsBetween(before, met))).toMatchObject([{ words: "a, b are in conflict", count: 2 }]);
    const twice = ["q1", "q2"].map((id) => ({ ...question, id }));
    expect(grouped(eventsBetween(at({}), at({ inbox: twice }))).map((group) => group.words)).toEqual([
      "Question: 2 waiting for you",
    ]);
  });

  it("of one worker that come twice are said of one", () => {
    const rounds = [1, 2].flatMap((iteration) =>
      eventsBetween(
        at({ run: run({ workers: [worker("a", { iteration })] }) }),
        at({ run: run({ workers: [worker("a", { iteration, status: "done" })] }) }),
      ),
    );
    expect(grouped(rounds)).toMatchObject([{ words: "a is done", count: 2 }]);
  });
});
