import { describe, expect, it } from "vitest";
import type { InboxItem } from "#shared/contract/cards.ts";
import type { OpenRepositoryView, RunStatus } from "#shared/contract/views/open-repositories.ts";
import type { RunView } from "#shared/contract/views/run.ts";
import { newsBetween, newsElsewhere, titleOf, type Watched } from "./news.ts";

const question = {
  id: "question-1",
  kind: "align-request",
  question: "Who owns a profile?",
} as unknown as InboxItem;
const suggestion = { id: "suggestion-1", kind: "suggestion" } as unknown as InboxItem;
const run = (stage: RunView["stage"], more: Partial<RunView> = {}): RunView =>
  ({
    ...{ id: "tides-1", goal: "Warn of tides", stage, paused: "no", endedAt: null, providerLimit: null },
    ...{ landed: null, failure: null, workers: [], awaiting: [], plan: null, attempt: 1 },
    ...more,
  }) as unknown as RunView;
const at = (more: Partial<Watched>): Watched => ({ path: "/one", run: null, inbox: [], ...more });

describe("news for a person who looks elsewhere", () => {
  it("names the decision that came, and leads to its card", () => {
    const news = newsBetween(at({}), at({ inbox: [question] }));
    expect(news).toHaveLength(1);
    expect(news[0]).toMatchObject({ id: "question-1", card: "question-1" });
    expect(news[0]?.title).toMatch(/waiting for you$/u);
  });

  it("tells a card once, and only if it blocks an agent", () => {
    expect(newsBetween(at({ inbox: [question] }), at({ inbox: [question] }))).toEqual([]);
    expect(newsBetween(at({}), at({ inbox: [suggestion] }))).toEqual([]);
  });

  it("is nothing that was there when the repository was opened", () => {
    const now = at({ inbox: [question], run: run("failed") });
    expect(newsBetween(null, now)).toEqual([]);
    expect(newsBetween(at({ path: null }), now)).toEqual([]);
    expect(newsBetween(at({ path: "/two" }), now)).toEqual([]);
    expect(newsBetween(at({ run: run("executing", { id: "other" }) }), at({ run: run("failed") }))).toEqual(
      [],
    );
  });

  it("tells how a run ended, once, with its reason", () => {
    const failed = run("failed", { failure: { reason: "The checks broke.", remedy: "" } });
    expect(newsBetween(at({ run: run("validating") }), at({ run: failed }))).toEqual([
      { id: "tides-1:failed", title: "Failed", body: "The checks broke.", card: null, run: "tides-1" },
    ]);
    expect(newsBetween(at({ run: failed }), at({ run: failed }))).toEqual([]);
    const done = newsBetween(at({ run: run("landing") }), at({ run: run("complete") }));
    expect(done.map(({ title, body }) => [title, body])).toEqual([["Complete", "Warn of tides"]]);
  });

  it("tells of a stop at the budget, and not of one by the person", () => {
    const stopped = (endedBy: RunView["endedBy"]) =>
      newsBetween(at({ run: run("executing") }), at({ run: run("stopped", { endedBy: endedBy ?? null }) }));
    expect(stopped("person")).toEqual([]);
    expect(stopped("budget")).toHaveLength(1);
  });
});

describe("news of a repository that is not on screen", () => {
  const status = { id: "till-1", goal: "Sell", stage: "landing", failure: null } as unknown as RunStatus;
  const open = (more: Partial<OpenRepositoryView> = {}): readonly OpenRepositoryView[] => [
    { path: "/shop", name: "shop", runs: [status], waiting: [], ...more },
  ];
  const waiting = [{ id: "q", run: "till-1", title: "Question", headline: "Which?" }];

  it("names the repository, and leads to the card in it", () => {
    expect(newsElsewhere(open(), open({ waiting }), "/notes")).toEqual([
      {
        ...{ id: "q", title: "Question: waiting for you in shop", body: "Which?" },
        card: "q",
        run: "till-1",
        path: "/shop",
      },
    ]);
    const ended = open({ runs: [{ ...status, stage: "complete" }] });
    expect(newsElsewhere(open(), ended, null)).toMatchObject([
      { title: "A run is complete in shop", card: null },
    ]);
  });

  it("is nothing that is on screen, was there before, or came with its opening", () => {
    expect(newsElsewhere(open(), open({ waiting }), "/shop")).toEqual([]);
    expect(newsElsewhere(open({ waiting }), open({ waiting }), null)).toEqual([]);
    expect(newsElsewhere([], open({ waiting }), null)).toEqual([]);
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
