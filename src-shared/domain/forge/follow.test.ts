import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type FollowedPullRequest,
  isTimeForReviews,
  nextLookIn,
  observe,
  type PullRequestFacts,
  resumeRounds,
} from "./follow.ts";
import {
  type Check,
  checksState,
  currentReviews,
  type PullRequest,
  type Review,
  type ReviewThread,
} from "./forge-facts.ts";
import { replyText } from "./forge-text.ts";

const pullRequest: PullRequest = {
  id: "1",
  number: 7,
  title: "t",
  text: "",
  url: "https://github.com/a/b/pull/7",
  state: "draft",
  author: { name: "me", isBot: false },
  head: { branch: "feature", commit: "aaa" },
  base: "main",
  isMergeable: true,
  isQueued: false,
  stack: null,
  mergeCommit: null,
  updatedAt: 1,
};
const check = (name: string, state: Check["state"]): Check => ({ id: name, name, state, url: null });
const review = (name: string, verdict: Review["verdict"], more: Partial<Review> = {}): Review => ({
  id: `${name} ${verdict}`,
  author: { name, isBot: false },
  verdict,
  text: "",
  at: 1,
  commit: null,
  ...more,
});
const thread = (id: string, ...texts: readonly string[]): ReviewThread => ({
  id,
  file: "a.ts",
  line: 1,
  side: "new",
  isResolved: false,
  comments: texts.map((text, nth) => ({
    id: `${id}-${nth}`,
    author: { name: "bob", isBot: false },
    at: 1,
    text,
  })),
});
interface Given extends Partial<Omit<PullRequestFacts, "pullRequest">> {
  readonly pull?: Partial<PullRequest>;
}
const facts = ({ pull = {}, ...more }: Given = {}): PullRequestFacts => ({
  pullRequest: { ...pullRequest, ...pull },
  checks: [],
  reviews: [],
  threads: [],
  ...more,
});

/** Looks at one after another, each through JSON as after a restart. */
function follow(...given: readonly (Given & { readonly at?: number })[]) {
  let known: FollowedPullRequest | null = null;
  return given.map(({ at = 0, ...one }) => {
    const { after, updates } = observe(known, facts(one), at);
    known = JSON.parse(JSON.stringify(after));
    return updates.map(({ kind }) => kind);
  });
}

describe("checksState", () => {
  it("never says that no checks have passed", () => {
    expect(checksState([])).toBe("pending");
    expect(checksState([check("a", "passed")])).toBe("passed");
    expect(checksState([check("a", "passed"), check("b", "pending")])).toBe("pending");
    expect(checksState([check("a", "pending"), check("b", "failed")])).toBe("failed");
  });
});

describe("currentReviews", () => {
  it("takes the last verdict of each, which a comment does not take away", () => {
    const reviews = [
      review("bob", "changes-requested"),
      review("bob", "commented"),
      review("carol", "commented"),
    ];
    expect(currentReviews(reviews).map(({ verdict }) => verdict)).toEqual(["changes-requested", "commented"]);
    expect(currentReviews([...reviews, review("bob", "approved")])[0]?.verdict).toBe("approved");
  });
});

describe("observe", () => {
  it("reports checks once they have all ended, once for each commit and set", () => {
    const running = [check("a", "failed"), check("b", "pending")];
    const failed = [check("a", "failed"), check("b", "passed")];
    const pushed = { head: { branch: "feature", commit: "bbb" } };
    expect(
      follow(
        {},
        { checks: running },
        { checks: failed },
        { checks: failed.toReversed() },
        { checks: [check("a", "failed"), check("b", "failed")] },
        { pull: pushed, checks: [] },
        { pull: pushed, checks: failed },
      ),
    ).toEqual([[], [], ["checks-failed"], [], ["checks-failed"], ["head-moved"], ["checks-failed"]]);
  });

  it("reports passed checks once no other check has come since the last look", () => {
    const one = { checks: [check("a", "passed")] };
    const both = { checks: [check("a", "passed"), check("b", "passed")] };
    expect(
      follow({}, one, { checks: [check("a", "passed"), check("b", "pending")] }, both, both, both),
    ).toEqual([...[[], [], [], []], ...[["checks-passed"], []]]);
  });

  it("reports a failed check after ten minutes, even if another one never ends", () => {
    const stuck = { checks: [check("a", "failed"), check("b", "pending")] };
    expect(
      follow(
        { ...stuck, at: 0 },
        { ...stuck, at: 599_999 },
        { ...stuck, at: 600_000 },
        { ...stuck, at: 700_000 },
      ),
    ).toEqual([[], [], ["checks-failed"], []]);
  });

  it("says nothing of what it may not read", () => {
    expect(follow({ checks: null, reviews: null, threads: null }, { checks: null })).toEqual([[], []]);
  });

  it("reports a merge and a close also of one that it first sees afterwards, and nothing more of it", () => {
    expect(follow({ pull: { state: "merged" }, checks: [check("a", "failed")] })).toEqual([["merged"]]);
    expect(follow({}, { pull: { state: "closed" } }, { pull: { state: "closed" } }, {})).toEqual([
      [],
      ["closed"],
      [],
      ["reopened"],
    ]);
  });

  it("reports each comment once, those of bots too, and no reply of Hox", () => {
    const bot = review("lint", "commented", { text: "Coverage fell", author: { name: "lint", isBot: true } });
    expect(
      follow(
        { threads: [thread("1", "Why?")] },
        { threads: [thread("1", "Why?")] },
        { threads: [thread("1", "Why?", replyText("Because"))] },
        { threads: [thread("1", "Why?", replyText("Because"), "No")] },
        { threads: [{ ...thread("2", "New"), isResolved: true }] },
        { reviews: [bot, review("bob", "commented")] },
        { reviews: [bot, review("bob", "commented")] },
      ),
    ).toEqual([["feedback"], [], [], ["feedback"], [], ["feedback"], []]);
  });

  it("takes no reply for Hox's that another user marked as one", () => {
    expect(follow({ threads: [thread("1", "Why?", replyText("Done"))] })).toEqual([["feedback"]]);
    const { comments, ...rest } = thread("1", "Why?", replyText("Done"));
    const own = comments.map((one, at) => (at === 1 ? { ...one, author: pullRequest.author } : one));
    expect(follow({ threads: [{ ...rest, comments: own }] })).toEqual([[]]);
  });

  it("counts an approval of a person, and none of a bot", () => {
    const bot = review("bot", "approved", { author: { name: "bot", isBot: true } });
    expect(follow({ reviews: [bot] }, { reviews: [bot, review("bob", "approved")] })).toEqual([
      [],
      ["approved"],
    ]);
  });

  it("reports conflicts and another base once", () => {
    const release = { base: "release" };
    expect(
      follow(
        {},
        { pull: { isMergeable: false } },
        { pull: { isMergeable: null } },
        { pull: { isMergeable: false } },
        { pull: release },
      ),
    ).toEqual([[], ["conflicts"], [], [], ["base-changed"]]);
  });

  it("asks a user after three rounds, once, and reports what waited when they have answered", () => {
    const commit = (nth: number) => ({
      pull: { head: { branch: "f", commit: `${nth}` } },
      checks: [check("a", "failed")],
    });
    let known: FollowedPullRequest | null = null;
    const look = (nth: number) => {
      const { after, updates } = observe(known, facts(commit(nth)), 0);
      known = after;
      return updates.map(({ kind }) => kind).filter((kind) => kind !== "head-moved");
    };
    expect([1, 2, 3, 4, 4, 5].map(look)).toEqual([
      ...[["checks-failed"], ["checks-failed"], ["checks-failed"]],
      ...[["needs-user"], [], []],
    ]);
    known = known && resumeRounds(known);
    expect(look(5)).toEqual(["checks-failed"]);
  });

  it("reports nothing twice, whatever comes in whatever order", () => {
    const anyFacts = fc.record({
      pull: fc.record({
        state: fc.constantFrom("draft" as const, "open" as const),
        head: fc.constantFrom("a", "b", "c").map((commit) => ({ branch: "f", commit })),
      }),
      checks: fc.option(
        fc
          .uniqueArray(fc.constantFrom("x", "y", "z"), { maxLength: 3 })
          .chain((names) =>
            fc.tuple(
              ...names.map((name) =>
                fc.constantFrom("pending", "passed", "failed").map((state) => check(name, state as "passed")),
              ),
            ),
          ),
      ),
      threads: fc.option(
        fc
          .uniqueArray(fc.constantFrom("1", "2"), { maxLength: 2 })
          .map((ids) => ids.map((id) => thread(id, "Why?"))),
      ),
    });
    fc.assert(
      fc.property(fc.array(anyFacts, { maxLength: 12 }), (looks) => {
        let known: FollowedPullRequest | null = null;
        for (const look of looks) {
          const given = facts(look as Given);
          const first = observe(known, given, 0, { maxRounds: 3 });
          const again = (of: FollowedPullRequest) =>
            observe(JSON.parse(JSON.stringify(of)), given, 0, { maxRounds: 3 });
          const second = again(first.after);
          const third = again(second.after);
          expect(second.updates.filter(({ kind }) => kind !== "checks-passed")).toEqual([]);
          expect(third).toEqual({ after: second.after, updates: [] });
          expect(first.after.rounds).toBeLessThanOrEqual(3);
          if (first.updates.some(({ kind }) => kind === "checks-passed"))
            expect(checksState(given.checks ?? [])).toBe("passed");
          known = first.after;
        }
      }),
    );
  });
});

describe("nextLookIn", () => {
  const pace = { now: 0, changedAt: 0, failures: 0, retryAt: null };
  it("looks every 30 s, less often when nothing happens, and never more often than every 30 s", () => {
    expect(nextLookIn(pace)).toBe(30_000);
    expect(nextLookIn({ ...pace, now: 3_600_000 })).toBe(60_000);
    expect(nextLookIn({ ...pace, now: 86_400_000 })).toBe(300_000);
    fc.assert(
      fc.property(
        fc.nat(1e9),
        fc.nat(1e9),
        fc.nat(1000),
        fc.option(fc.nat(2e9)),
        (now, changedAt, failures, retryAt) => {
          const ms = nextLookIn({ now, changedAt, failures, retryAt });
          expect(ms).toBeGreaterThanOrEqual(30_000);
          if (retryAt === null) expect(ms).toBeLessThanOrEqual(300_000);
          else expect(now + ms).toBeGreaterThanOrEqual(retryAt);
        },
      ),
    );
  });
});

describe("isTimeForReviews", () => {
  it("is when something changed, and now and then", () => {
    const { after } = observe(null, facts(), 0);
    expect(isTimeForReviews(1, null, pullRequest)).toBe(true);
    expect(isTimeForReviews(1, after, pullRequest)).toBe(false);
    expect(isTimeForReviews(1, after, { updatedAt: 2 })).toBe(true);
    expect(isTimeForReviews(8, after, pullRequest)).toBe(true);
  });
});
