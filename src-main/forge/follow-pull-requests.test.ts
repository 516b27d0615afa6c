import { describe, expect, it, onTestFinished } from "vitest";
import type { FollowedPullRequest, ForgeUpdate } from "#shared/domain/forge/follow.ts";
import { isTerminal } from "#shared/domain/forge/forge-facts.ts";
import { createTestClock, eventually } from "../testing/kit.ts";
import { createRefusals, followUntilOver, lookAtPullRequest } from "./follow-pull-requests.ts";
import { draftFrom, forgeFixture, standIns } from "./testing/forge-fixture.ts";
import { ownToken } from "./testing/forge-world.ts";

type Fixture = Awaited<ReturnType<typeof forgeFixture>>;

/** Follows one until it is merged or closed, and keeps what it is given as a journal would. */
async function following(
  { forge, repository, clock }: Fixture,
  number: number,
  kept: FollowedPullRequest | null = null,
) {
  const heard: ForgeUpdate["kind"][] = [];
  const told: string[] = [];
  const store = { kept, persists: 0 };
  // The clock of requests is another one: one look is told from the next by who waits.
  const pace = createTestClock(clock.now());
  const refusals = createRefusals();
  const stop = new AbortController();
  let isOver = false;
  const over = followUntilOver({
    clock: pace,
    signal: stop.signal,
    async look(nth) {
      const from = { forge, repository, refusals, now: pace.now };
      const { after, updates } = await lookAtPullRequest(from, number, store.kept, nth);
      if (JSON.stringify(after) !== JSON.stringify(store.kept)) store.persists += 1;
      store.kept = after;
      heard.push(...updates.map(({ kind }) => kind));
      if (isTerminal(after.state)) return { over: null };
      return updates.length > 0 ? "news" : "quiet";
    },
    async onProblem(error) {
      told.push(error.message);
      return null;
    },
  }).finally(() => {
    isOver = true;
  });
  onTestFinished(async () => {
    stop.abort();
    await over.catch(() => undefined);
  });
  const isWaiting = () =>
    eventually(() => expect(isOver || pace.untilNext() < Number.POSITIVE_INFINITY).toBe(true));
  /** Lets time pass until the next look, and waits until that has ended. */
  const look = async () => {
    await isWaiting();
    // Nothing is under way, so that no time-out of a request comes.
    clock.pass(pace.untilNext());
    pace.pass(pace.untilNext());
    await isWaiting();
  };
  return { heard, told, store, look, stop, over, pace, refusals };
}

describe.each(standIns)("following a pull request on $kind", (standIn) => {
  it("reports checks, comments, an approval and the merge, each once", async () => {
    const fixture = await forgeFixture(standIn);
    const { forge, world, repository } = fixture;
    const { number, head } = await draftFrom(forge, world, repository, "feature");
    await forge.markReady(repository, number);
    const { heard, look, told, over } = await following(fixture, number);
    const [pull] = world.pullRequests;
    if (!pull) throw new Error("No pull request was made.");
    await look();
    expect(heard).toEqual([]);
    world.setCheck(head.commit, "test", "running");
    await look();
    world.setCheck(head.commit, "test", "failed");
    await look();
    await look();
    expect(heard).toEqual(["checks-failed"]);
    const fixed = world.commit("feature", "feature.txt", "fixed\n");
    world.touch(pull);
    world.setCheck(fixed, "test", "passed");
    await look();
    await look();
    expect(heard.splice(0)).toEqual(["checks-failed", "head-moved", "checks-passed"]);
    pull.threads.push({
      ...{ id: "t1", file: "feature.txt", line: 1, side: "new" as const, isResolved: false },
      comments: [world.comment(world.user("bob"), "Why?")],
    });
    world.touch(pull);
    await look();
    await look();
    expect(heard.splice(0)).toEqual(["feedback"]);
    await forge.replyInThread(repository, number, "t1", "Because.");
    await forge.resolveThread(repository, number, "t1");
    pull.reviews.push({
      ...{ id: world.nextId(), author: world.user("bob"), verdict: "approved", text: "", at: world.now() },
      commit: fixed,
    });
    world.touch(pull);
    await look();
    expect(heard.splice(0)).toEqual(["approved"]);
    world.merge(pull, "squash", null);
    await look();
    expect(heard).toEqual(["merged"]);
    expect(told).toEqual([]);
    await over;
  });

  it("costs almost nothing while nothing happens", async () => {
    const fixture = await forgeFixture(standIn);
    const { forge, world, repository } = fixture;
    const { number, head } = await draftFrom(forge, world, repository, "feature");
    world.setCheck(head.commit, "test", "passed");
    const { look, store } = await following(fixture, number);
    for (let nth = 0; nth < 4; nth += 1) await look();
    const [asked, persists] = [world.asked.length, store.persists];
    for (let nth = 0; nth < 8; nth += 1) await look();
    // Threads on GitHub are read by a query, which has no ETag, on a slower beat.
    expect(world.asked.length - asked).toBeLessThanOrEqual(standIn.kind === "github" ? 4 : 0);
    expect(store.persists).toBe(persists);
  });

  it("continues after ten minutes of downtime, a rename and a restart, and misses nothing", async () => {
    const fixture = await forgeFixture(standIn);
    const { forge, world, repository, clock } = fixture;
    const { number, head } = await draftFrom(forge, world, repository, "feature");
    const first = await following(fixture, number);
    await first.look();
    world.faults.isDown = true;
    const down = clock.now();
    while (clock.now() - down < 600_000) await first.look();
    // After 30 s, and again after 30 s, 1, 2, 4 and 5 minutes.
    expect(first.told).toHaveLength(6);
    expect(first.told[0]).toContain("503");
    world.faults.isDown = false;
    world.rename("acme/gadgets");
    world.setCheck(head.commit, "test", "failed");
    await first.look();
    expect(first.heard).toEqual(["checks-failed"]);
    first.stop.abort();
    await expect(first.over).rejects.toThrow("abort");
    const [pull] = world.pullRequests;
    if (pull) pull.isDraft = false;
    if (pull) world.merge(pull, "merge", null);
    const second = await following(fixture, number, first.store.kept);
    await second.over;
    expect(second.heard).toEqual(["merged"]);
  });

  it("goes without what a narrow token may not read, and says so", async () => {
    const fixture = await forgeFixture(standIn);
    const { world, account, repository, forge } = fixture;
    const { number } = await draftFrom(forge, world, repository, "feature");
    world.tokens.set("narrow-token", { user: world.user("me"), permissions: ["read", "pull-requests"] });
    const narrow = await following({ ...fixture, forge: account("narrow-token") }, number);
    await narrow.look();
    await narrow.look();
    const [pull] = world.pullRequests;
    if (pull) pull.state = "closed";
    if (pull) world.touch(pull);
    await narrow.look();
    expect(narrow.heard).toEqual(["closed"]);
    expect(narrow.told).toEqual([]);
    expect(narrow.refusals.text()).toMatch(/^The token may not[^.]*\. Give the token the permission/u);
  });

  it("waits for the end of a rate limit, and looks rarely with a token that has expired", async () => {
    const fixture = await forgeFixture(standIn);
    const { forge, world, repository, clock } = fixture;
    const { number } = await draftFrom(forge, world, repository, "feature");
    const { told, look, pace } = await following(fixture, number);
    await look();
    world.faults.quota = { left: 0, resetAt: clock.now() + 30_000 + 240_000 };
    await look();
    expect(pace.untilNext()).toBe(240_000);
    world.faults.quota = null;
    world.tokens.set(ownToken, { user: world.user("me"), permissions: [], isExpired: true });
    for (let nth = 0; nth < 4; nth += 1) await look();
    expect(pace.untilNext()).toBe(300_000);
    expect(new Set(told)).toEqual(
      new Set([expect.stringContaining("rate limit"), expect.stringContaining("rejected the token")]),
    );
  });
});
