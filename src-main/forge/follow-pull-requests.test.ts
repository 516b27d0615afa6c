import { describe, expect, it, onTestFinished } from "vitest";
import type { FollowedPullRequest, ForgeUpdate } from "#shared/domain/forge/follow.ts";
import { isTerminal } from "#shared/domain/forge/forge-facts.ts";
import { createTestClock, eventually } from "../testing/kit.ts";
import { followPullRequests } from "./follow-pull-requests.ts";
import { draftFrom, forgeFixture, standIns } from "./testing/forge-fixture.ts";
import { ownToken } from "./testing/forge-world.ts";

type Fixture = Awaited<ReturnType<typeof forgeFixture>>;

/** Follows one, and keeps what it is given as a journal would. */
async function following(
  { forge, repository, clock }: Fixture,
  number: number,
  kept: FollowedPullRequest | null = null,
) {
  const heard: ForgeUpdate["kind"][] = [];
  const told: string[] = [];
  const store = { kept, persists: 0, fails: false };
  // The clock of requests is another one: one look is told from the next by who waits.
  const pace = createTestClock(clock.now());
  const follower = followPullRequests({
    ...{ forge, clock: pace, repository: await forge.findRepository({ id: repository.id }) },
    followed: new Map([[number, kept]]),
    async persist(_, known) {
      store.persists += 1;
      if (store.fails) throw new Error("The disk is full.");
      store.kept = known;
    },
    notify(_, updates) {
      // Nobody hears of what is not kept.
      expect(store.kept).not.toBeNull();
      heard.push(...updates.map(({ kind }) => kind));
    },
    trouble: (error) => told.push(error.message),
  });
  onTestFinished(follower.stop);
  const isWaiting = () => eventually(() => expect(pace.untilNext()).toBeLessThan(Number.POSITIVE_INFINITY));
  /** Lets time pass until the next look, and waits until that has ended. */
  const look = async () => {
    await isWaiting();
    // Nothing is under way, so that no time-out of a request comes.
    clock.pass(pace.untilNext());
    pace.pass(pace.untilNext());
    await isWaiting();
  };
  return { heard, told, store, look, follower, pace };
}

describe.each(standIns)("following a pull request on $kind", (standIn) => {
  it("reports checks, comments, an approval and the merge, each once", async () => {
    const fixture = await forgeFixture(standIn);
    const { forge, world, repository } = fixture;
    const { number, head } = await draftFrom(forge, world, repository, "feature");
    await forge.markReady(repository, number);
    const { heard, look, told } = await following(fixture, number);
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
    expect(first.told).toHaveLength(1);
    expect(first.told[0]).toContain("503");
    world.faults.isDown = false;
    world.rename("acme/gadgets");
    world.setCheck(head.commit, "test", "failed");
    await first.look();
    expect(first.heard).toEqual(["checks-failed"]);
    await first.follower.stop();
    const [pull] = world.pullRequests;
    if (pull) pull.isDraft = false;
    if (pull) world.merge(pull, "merge", null);
    const second = await following(fixture, number, first.store.kept);
    await eventually(() => expect(second.heard).toEqual(["merged"]));
    expect(second.store.kept && isTerminal(second.store.kept.state)).toBe(true);
  });

  it("reports again what could not be kept", async () => {
    const fixture = await forgeFixture(standIn);
    const { forge, world, repository } = fixture;
    const { number, head } = await draftFrom(forge, world, repository, "feature");
    const { heard, told, store, look } = await following(fixture, number);
    await look();
    store.fails = true;
    world.setCheck(head.commit, "test", "failed");
    await look();
    expect(heard).toEqual([]);
    expect(told).toEqual(["The disk is full."]);
    store.fails = false;
    await look();
    expect(heard).toEqual(["checks-failed"]);
  });

  it("goes without what a narrow token may not read, and says so once", async () => {
    const fixture = await forgeFixture(standIn);
    const { world, account, repository, forge } = fixture;
    const { number } = await draftFrom(forge, world, repository, "feature");
    world.tokens.set("narrow-token", { user: world.user("me"), permissions: ["read", "pull-requests"] });
    const { heard, told, look } = await following({ ...fixture, forge: account("narrow-token") }, number);
    await look();
    await look();
    const [pull] = world.pullRequests;
    if (pull) pull.state = "closed";
    if (pull) world.touch(pull);
    await look();
    expect(heard).toEqual(["closed"]);
    expect(told).toEqual([expect.stringContaining("may not")]);
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
    await look();
    expect(pace.untilNext()).toBe(300_000);
    expect(told).toEqual([
      expect.stringContaining("rate limit"),
      expect.stringContaining("rejected the token"),
    ]);
  });
});
