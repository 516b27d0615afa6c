import { describe, expect, it } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { OpenRepositoryView, RunStatus } from "#shared/contract/views/app.ts";
import type { RunView, WorkerView } from "#shared/contract/views/run.ts";
import {
  eventsBetween,
  eventsElsewhere,
  groupOf,
  type RunEvent,
  summaryOf,
  titleOf,
  type Watched,
} from "./run-events.ts";

const worker = (name: string, more: Partial<WorkerView> = {}): WorkerView =>
  ({
    ...{ name, role: "agent", state: "thinking", status: "in_progress", conflict: "none" },
    ...{ byHand: null, changeId: `k${name}`, iteration: 1 },
    ...more,
  }) as unknown as WorkerView;
const run = (more: Partial<RunView> = {}): RunView =>
  ({
    id: "tides-1",
    goal: "",
    failure: null,
    workers: [],
    validation: null,
    budget: { state: "ok" },
    ...more,
  }) as unknown as RunView;
const at = (more: Partial<Watched>): Watched => ({ path: "/one", run: run(), inbox: [], ...more });
const seats = (...votes: readonly string[]) =>
  ({
    commitId: "c",
    seats: votes.map((vote, index) => ({ seat: `seat ${index}`, vote })),
  }) as unknown as RunView["validation"];
const question = { id: "q", kind: "align-request", question: "Who owns it?" } as unknown as InboxItem;
/** The text of each notification, the newest first. */
const summaries = (events: readonly RunEvent[]) =>
  [...Map.groupBy(events, groupOf).values()].map(summaryOf).toReversed();
const texts = (events: readonly RunEvent[]) => summaries(events).map(({ text }) => text);
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
    expect(event).toMatchObject({ lead: { kind: "card", card: "q" }, level: "warning" });
    expect(event?.words).toContain("Who owns it?");
  });

  it("are agents that failed, are done or came into conflict, and not those in a user's hands", () => {
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
    expect(texts(events)).toEqual([
      "O-A-2 · Landed on main",
      "O-A-2 · b is done",
      expect.stringContaining("O-A-2 · Question waiting for you"),
    ]);
    expect(events.map((event) => event.run)).toEqual(["tides-2", "tides-2", "tides-2"]);
    const switched = { ...now, run: now.otherRuns?.[0] ?? null, otherRuns: now.run ? [now.run] : [] };
    expect(eventsBetween(now, switched)).toEqual([]);
    // A run that has just started was not there before.
    expect(eventsBetween(at({}), at({ otherRuns: [other({ workers: [worker("b")] })] }))).toEqual([]);
  });

  it("of one kind are one line", () => {
    const before = at({ run: run({ workers: ["a", "b", "c", "d"].map((name) => worker(name)) }) });
    const now = at({
      run: run({ workers: ["a", "b", "c", "d"].map((name) => worker(name, { status: "done" })) }),
    });
    expect(texts(eventsBetween(before, now))).toEqual(["a, b, c and 1 more are done"]);
    const voted = at({ run: run({ validation: seats("timed-out", "timed-out", "approve", "approve") }) });
    const asked = at({ run: run({ validation: seats("pending", "pending", "pending", "pending") }) });
    expect(summaries(eventsBetween(asked, voted))).toMatchObject([
      { text: "seat 0, seat 1 timed out · seat 2, seat 3 approve", level: "warning" },
    ]);
    const rejected = at({ run: run({ validation: seats("approve", "approve", "reject", "approve") }) });
    expect(summaries(eventsBetween(asked, rejected))).toMatchObject([
      { text: "seat 2 rejects · seat 0, seat 1, seat 3 approve", level: "error" },
    ]);
    const met = at({ run: run({ workers: ["a", "b"].map((name) => worker(name, { conflict: "merge" })) }) });
    expect(summaries(eventsBetween(before, met))).toMatchObject([{ text: "a, b are in conflict" }]);
    const twice = ["q1", "q2"].map((id) => ({ ...question, id }));
    expect(texts(eventsBetween(at({}), at({ inbox: twice })))).toEqual(["Question: 2 waiting for you"]);
  });

  it("for the system are new cards and ended runs, with what they are about", () => {
    const failed = run({
      ...{ stage: "failed", failure: { reason: "The checks broke.", remedy: "" }, paused: "no" },
      ...{
        endedAt: null,
        providerLimit: null,
        landed: null,
        awaiting: [],
        plan: null,
        goal: "Warn of tides",
      },
    });
    const events = eventsBetween(at({ run: run({ stage: "validating" }) }), at({ run: failed }));
    // The header shows it in the window.
    expect(events).toMatchObject([
      { id: "tides-1:failed", isInWindow: false, system: { title: "Failed", body: "The checks broke." } },
    ]);
    expect(eventsBetween(at({ run: failed }), at({ run: failed }))).toEqual([]);
    const [card] = eventsBetween(at({}), at({ inbox: [question] }));
    expect(card).toMatchObject({ id: "q", isInWindow: true });
    expect(card?.system?.title).toMatch(/waiting for you$/u);
    const suggestion = { id: "s", kind: "suggestion" } as unknown as InboxItem;
    expect(eventsBetween(at({}), at({ inbox: [suggestion] }))).toEqual([]);
    const seen = eventsBetween(at({}), at({ run: run({ validation: seats("approve") }) }));
    expect(seen.map(({ system }) => system)).toEqual([null]);
  });

  it("include a stop at the budget, and not one by the user", () => {
    const stopped = (endedBy: RunView["endedBy"]) =>
      eventsBetween(
        at({ run: run({ stage: "executing" }) }),
        at({
          run: run({
            ...{ stage: "stopped", endedBy: endedBy ?? null, paused: "no" },
            ...{ endedAt: null, providerLimit: null, landed: null, awaiting: [], plan: null },
          }),
        }),
      );
    expect(stopped("user")).toEqual([]);
    expect(stopped("budget")).toHaveLength(1);
  });

  it("of one worker that repeat are one", () => {
    const rounds = [1, 2].flatMap((iteration) =>
      eventsBetween(
        at({ run: run({ workers: [worker("a", { iteration })] }) }),
        at({ run: run({ workers: [worker("a", { iteration, status: "done" })] }) }),
      ),
    );
    expect(summaries(rounds)).toMatchObject([{ text: "a is done" }]);
  });
});

describe("events of a repository that is not on screen", () => {
  const status = { id: "till-1", goal: "Sell", stage: "landing", failure: null } as unknown as RunStatus;
  const open = (more: Partial<OpenRepositoryView> = {}): readonly OpenRepositoryView[] => [
    { path: "/shop", name: "shop", runs: [status], waiting: [], ...more },
  ];
  const waiting = [{ id: "q", run: "till-1", title: "Question", headline: "Which?" }];

  it("name the repository, and lead to the card in it", () => {
    const events = eventsElsewhere(open(), open({ waiting }), "/notes");
    expect(events).toMatchObject([
      {
        ...{ id: "q", system: { title: "Question: waiting for you in shop", body: "Which?" } },
        lead: { kind: "elsewhere", path: "/shop", card: "q", run: "till-1" },
      },
    ]);
    expect(texts(events)).toEqual(["Question: waiting for you in shop: Which?"]);
    const ended = open({ runs: [{ ...status, stage: "complete" }] });
    expect(eventsElsewhere(open(), ended, null)).toMatchObject([
      { system: { title: "A run is complete in shop" }, lead: { card: null } },
    ]);
  });

  it("are none that are on screen, were there before, or came with its opening", () => {
    expect(eventsElsewhere(open(), open({ waiting }), "/shop")).toEqual([]);
    expect(eventsElsewhere(open({ waiting }), open({ waiting }), null)).toEqual([]);
    expect(eventsElsewhere([], open({ waiting }), null)).toEqual([]);
  });
});

describe("the title of the window", () => {
  it("counts waiting cards, and names the unseen end of a run and the repository", () => {
    expect(titleOf(0, null, null)).toBe("Hox");
    expect(titleOf(0, null, "shop")).toBe("shop – Hox");
    expect(titleOf(2, null, "shop")).toBe("(2) shop – Hox");
    expect(titleOf(1, "Failed", "shop")).toBe("(1) Failed – shop – Hox");
  });
});
