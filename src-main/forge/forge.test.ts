import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { eventually } from "../testing/kit.ts";
import { ForgeError } from "./forge-error.ts";
import { draftFrom, forgeFixture, standIns } from "./testing/forge-fixture.ts";
import { everything, ownToken } from "./testing/forge-world.ts";

/** The error, with all its words. */
async function errorOf(work: Promise<unknown>): Promise<ForgeError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ForgeError);
  const found = error as ForgeError;
  expect(found.message).toMatch(/\.$/u);
  expect(found.remedy).not.toBe("");
  const whole = JSON.stringify([found.message, found.remedy, found.stack, found.cause]);
  expect(whole).not.toContain(ownToken);
  return found;
}

describe.each(standIns)("$kind", (standIn) => {
  it("finds a repository by path and by id", async () => {
    const { forge } = await forgeFixture(standIn);
    const found = await forge.findRepository({ path: "acme/widgets" });
    expect(found).toMatchObject({
      forge: standIn.kind,
      id: "4711",
      path: "acme/widgets",
      defaultBranch: "main",
    });
    expect(await forge.findRepository({ id: "4711" })).toEqual(found);
  });

  it("follows a renamed repository, for reads and writes", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const issue = world.addIssue("Broken", "It breaks.");
    world.rename("acme/gadgets");
    expect((await forge.findRepository({ path: "acme/widgets" })).path).toBe("acme/gadgets");
    await forge.commentOnIssue(repository, issue.number, { text: "Seen.", run: "r-1", since: 0 });
    expect((await forge.readIssue(repository, issue.number)).comments.map(({ text }) => text)).toEqual([
      "Seen.\n\n<!-- hox:run r-1 -->\n<!-- hox:reply -->",
    ]);
    expect((await draftFrom(forge, world, repository, "one")).state).toBe("draft");
  });

  it("sends no token to another server", async () => {
    const { forge, world } = await forgeFixture(standIn);
    const other = await forgeFixture(standIn);
    const seen: (string | undefined)[] = [];
    world.faults.redirectTo = `http://${other.running.host}/api/v4/projects/1`;
    const error = await errorOf(forge.findRepository({ path: "acme/widgets" }));
    expect(error.message).toContain("another server");
    expect(other.world.asked).toEqual([]);
    expect(seen).toEqual([]);
  });

  it("reads an issue with labels, author and comments, and says which author is a bot", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const bot = world.user("release-bot[bot]", true);
    const issue = world.addIssue("Broken", "It breaks.", { labels: ["bug", "p1"] });
    issue.comments.push(world.comment(world.user("bob"), "Here too"), world.comment(bot, "Stale"));
    const read = await forge.readIssue(repository, issue.number);
    expect(read).toMatchObject({
      number: 1,
      title: "Broken",
      text: "It breaks.",
      isOpen: true,
      labels: ["bug", "p1"],
    });
    expect(read.author).toEqual({ name: "alice", isBot: false });
    expect(read.comments.map(({ author, text }) => [author.name, author.isBot, text])).toEqual([
      ["bob", false, "Here too"],
      ["release-bot[bot]", true, "Stale"],
    ]);
    expect(read.hasMoreComments).toBe(false);
  });

  it("reads the first hundred comments and says that there are more", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const issue = world.addIssue("Long", "");
    for (let nth = 0; nth < 130; nth += 1) issue.comments.push(world.comment(world.user("bob"), `${nth}`));
    const read = await forge.readIssue(repository, issue.number);
    expect(read.hasMoreComments).toBe(true);
    expect(read.comments[0]?.text).toBe("0");
    expect(read.comments.length).toBeGreaterThan(90);
  });

  it("comments once for each run, also where many others commented meanwhile", async () => {
    const { forge, world, clock, repository } = await forgeFixture(standIn);
    const issue = world.addIssue("Long", "");
    const seen = { text: "Seen.", run: "r-1", since: clock.now() - 1000 };
    for (let nth = 0; nth < 130; nth += 1)
      issue.comments.push({ ...world.comment(world.user("bob"), `${nth}`), at: seen.since - 1 });
    for (let nth = 0; nth < 3; nth += 1) await forge.commentOnIssue(repository, issue.number, seen);
    await forge.commentOnIssue(repository, issue.number, { ...seen, run: "r-2" });
    const own = issue.comments.filter(({ author }) => author.name === "me");
    expect(own.map(({ text }) => text.split("\n")[2])).toEqual([
      "<!-- hox:run r-1 -->",
      "<!-- hox:run r-2 -->",
    ]);
  });

  it("searches open issues", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    world.addIssue("Parser is slow", "");
    world.addIssue("Docs", "The parser has none");
    world.addIssue("Old parser", "", { isOpen: false });
    world.addIssue("Something else", "");
    const titles = async (words: string) =>
      (await forge.searchIssues(repository, words)).map(({ title }) => title);
    expect((await titles("parser")).toSorted()).toEqual(["Docs", "Parser is slow"]);
    expect(await titles("")).toHaveLength(3);
  });

  it("creates a draft, updates it, and makes it ready", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const made = await draftFrom(forge, world, repository, "feature");
    expect(made).toMatchObject({ title: "Add feature", text: "What changed", state: "draft", base: "main" });
    expect(made.head).toEqual({ branch: "feature", commit: world.tip("feature") });
    expect(made.author.name).toBe("me");
    expect(await forge.findPullRequest(repository, "feature")).toMatchObject({ number: made.number });
    expect(await forge.findPullRequest(repository, "other")).toBeNull();
    const renamed = await forge.updatePullRequest(repository, made.number, { title: "Better", text: "More" });
    expect(renamed).toMatchObject({ title: "Better", text: "More", state: "draft" });
    world.commit("release", "release.txt", "");
    expect((await forge.updatePullRequest(repository, made.number, { base: "release" })).base).toBe(
      "release",
    );
    await forge.markReady(repository, made.number);
    expect(await forge.readPullRequest(repository, made.number)).toMatchObject({
      state: "open",
      title: "Better",
    });
  });

  it("finds no pull request of a fork whose branch has the same name", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    await draftFrom(forge, world, repository, "feature");
    const [one] = world.pullRequests;
    if (one) one.isFromFork = true;
    expect(await forge.findPullRequest(repository, "feature")).toBeNull();
    const own = world.open({
      ...{ title: "Own", text: "", head: "feature", base: "main" },
      isDraft: true,
      author: world.user("me"),
    });
    expect(await forge.findPullRequest(repository, "feature")).toMatchObject({ number: own.number });
  });

  it("says in the forge's words why a pull request is refused", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const gone = { title: "t", text: "", head: "nowhere", base: "main" };
    expect(await errorOf(forge.createPullRequest(repository, gone))).toMatchObject({ kind: "refused" });
    await draftFrom(forge, world, repository, "one");
    const again = await errorOf(forge.createPullRequest(repository, { ...gone, head: "one" }));
    expect(again.message).toMatch(/already exists/u);
  });

  it("reads checks: none, running, failed and passed, over several pages", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const { head } = await draftFrom(forge, world, repository, "feature");
    const states = async () =>
      (await forge.checksOf(repository, head.commit)).map(({ name, state }) => [name, state]);
    expect(await states()).toEqual([]);
    world.setCheck(head.commit, "test", "running");
    expect(await states()).toEqual([["test", "pending"]]);
    world.setCheck(head.commit, "test", "failed");
    world.setCheck(head.commit, "lint", "passed");
    expect(await states()).toEqual([
      ["test", "failed"],
      ["lint", "passed"],
    ]);
    for (let nth = 0; nth < 230; nth += 1) world.setCheck(head.commit, `part ${nth}`, "passed");
    expect(await states()).toHaveLength(232);
  });

  it("reads checks with a fine-grained token, which can't have the permission for them on GitHub", async () => {
    const { account, forge, world, repository } = await forgeFixture(standIn);
    const { head } = await draftFrom(forge, world, repository, "feature");
    world.setCheck(head.commit, "test", "failed");
    const permissions =
      standIn.kind === "github" ? (["actions", "statuses"] as const) : (["checks"] as const);
    world.tokens.set("fine-token", { user: world.user("me"), permissions });
    expect(await account("fine-token").checksOf(repository, head.commit)).toMatchObject([
      { name: "test", state: "failed" },
    ]);
  });

  it("reads reviews and threads, replies and resolves", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const { number, head } = await draftFrom(forge, world, repository, "feature");
    const [pull] = world.pullRequests;
    const review = (name: string, verdict: "approved" | "changes-requested") => ({
      id: world.nextId(),
      author: world.user(name),
      verdict,
      text: "",
      at: world.now(),
      commit: head.commit,
    });
    pull?.reviews.push(review("bob", "changes-requested"), review("carol", "approved"));
    for (let nth = 0; nth < 60; nth += 1)
      pull?.threads.push({
        id: `thread-${nth}`,
        file: "feature.txt",
        line: nth + 1,
        side: nth === 1 ? "old" : "new",
        isResolved: false,
        comments: [world.comment(world.user("bob"), `Why ${nth}?`)],
      });
    const reviews = await forge.reviewsOf(repository, number);
    expect(reviews.map(({ author, verdict }) => [author.name, verdict])).toEqual([
      ["bob", "changes-requested"],
      ["carol", "approved"],
    ]);
    const threads = await forge.threadsOf(repository, number);
    expect(threads).toHaveLength(60);
    expect(threads[1]).toMatchObject({ file: "feature.txt", line: 2, side: "old", isResolved: false });
    await forge.replyInThread(repository, number, threads[1]?.id ?? "", "Because of @bob.");
    await forge.resolveThread(repository, number, threads[1]?.id ?? "");
    const [, after] = await forge.threadsOf(repository, number);
    expect(after?.isResolved).toBe(true);
    expect(after?.comments.map(({ author, text }) => `${author.name}: ${text}`)).toEqual([
      "bob: Why 1?",
      "me: Because of @&#8203;bob.\n\n<!-- hox:reply -->",
    ]);
  });

  it("reads the end of a failed check's log, wherever the forge keeps it", async () => {
    const { forge, world, repository, account } = await forgeFixture(standIn);
    const { head } = await draftFrom(forge, world, repository, "one");
    world.setCheck(head.commit, "build", "failed", `${"loading\n".repeat(100_000)}it broke\n`);
    const [check] = await forge.checksOf(repository, head.commit);
    const log = await forge.failureLogOf(repository, check?.log ?? "");
    expect(log.length).toBeLessThanOrEqual(200_000);
    expect(log.endsWith("it broke\n")).toBe(true);
    expect((await errorOf(forge.failureLogOf(repository, "jobs/1"))).kind).toBe("not-found");
    world.tokens.set("weak", { user: world.user("me"), permissions: ["read", "actions", "statuses"] });
    if (standIn.kind !== "github") return;
    const [run] = await account("weak").checksOf(repository, head.commit);
    expect(run?.log).toMatch(/^runs\//u);
    expect(await account("weak").failureLogOf(repository, run?.log ?? "")).toBe(log);
  });

  it("begins a thread on a line in the user's own words, replies in them, and opens it again", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const { head, number } = await draftFrom(forge, world, repository, "one");
    expect(await forge.ownName()).toBe("me");
    const place = { commit: head.commit, file: "one.txt", line: 1 };
    await forge.commentOnLine(repository, number, place, "Is *this* right, @alice?");
    const [thread] = await forge.threadsOf(repository, number);
    expect(thread).toMatchObject({ file: "one.txt", line: 1, isResolved: false });
    expect(thread?.comments.map(({ text }) => text)).toEqual(["Is *this* right, @alice?"]);
    const id = thread?.id ?? "";
    await forge.replyInThread(repository, number, id, "It **is**.", "user");
    await forge.resolveThread(repository, number, id);
    const resolved = await forge.threadsOf(repository, number);
    expect(resolved[0]).toMatchObject({ isResolved: true });
    expect(resolved[0]?.comments.at(-1)).toMatchObject({ text: "It **is**.", author: { name: "me" } });
    await forge.resolveThread(repository, number, id, false);
    expect((await forge.threadsOf(repository, number))[0]?.isResolved).toBe(false);
    const gone = forge.commentOnLine(repository, number, { ...place, line: 99 }, "Here?");
    expect((await errorOf(gone)).kind).toBe("refused");
  });

  it("merges by a merge commit and by squash, with real commits, and not what has moved or conflicts", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const ready = async (branch: string) => {
      const made = await draftFrom(forge, world, repository, branch);
      await forge.markReady(repository, made.number);
      return made;
    };
    const finished = async (number: number, method: "merge" | "squash", head: string) => {
      const first = await forge.merge(repository, number, { method, head });
      return first.kind === "pending" ? forge.mergeResult(repository, number, first.request) : first;
    };
    const one = await ready("one");
    const old = one.head.commit;
    world.commit("one", "one.txt", "more\n");
    expect(await finished(one.number, "merge", old)).toMatchObject({ kind: "refused" });
    expect(await finished(one.number, "merge", world.tip("one") ?? "")).toMatchObject({
      kind: "merged",
      commit: world.tip("main"),
    });
    expect(world.git("rev-list", "--count", "--merges", "main")).toBe("1");
    expect(await forge.readPullRequest(repository, one.number)).toMatchObject({
      state: "merged",
      mergeCommit: world.tip("main"),
    });
    const two = await ready("two");
    expect(await finished(two.number, "squash", two.head.commit)).toMatchObject({ kind: "merged" });
    expect(world.git("log", "-1", "--format=%s", "main")).toBe("Add two");
    world.commit("three", "one.txt", "other\n", one.head.commit);
    world.commit("three", "readme.md", "else\n");
    world.commit("main", "readme.md", "this\n");
    const three = await forge.createPullRequest(repository, {
      title: "c",
      text: "",
      head: "three",
      base: "main",
    });
    await forge.markReady(repository, three.number);
    expect((await forge.readPullRequest(repository, three.number)).isMergeable).toBe(false);
    expect(await finished(three.number, "merge", three.head.commit)).toMatchObject({ kind: "refused" });
    expect(world.git("log", "-1", "--format=%s", "main")).toBe("Change readme.md");
  });

  it("rebases commit by commit where the repository does that", async () => {
    const { forge, world, repository } = await forgeFixture(standIn, { world: { mergeMethod: "ff" } });
    const made = await draftFrom(forge, world, repository, "one");
    world.commit("one", "two.txt", "two\n");
    world.commit("main", "other.txt", "other\n");
    await forge.markReady(repository, made.number);
    const first = await forge.merge(repository, made.number, {
      method: "rebase",
      head: world.tip("one") ?? "",
    });
    const result =
      first.kind === "pending" ? await forge.mergeResult(repository, made.number, first.request) : first;
    expect(result).toMatchObject({ kind: "merged", commit: world.tip("main") });
    expect(world.git("log", "--format=%s", "main").split("\n")).toEqual([
      ...["Change two.txt", "Change one.txt", "Change other.txt", "Change readme.md"],
    ]);
  });

  it("still reads what it may not write", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const { number } = await draftFrom(forge, world, repository, "one");
    world.repository.isArchived = true;
    world.commit("two", "two.txt", "two\n");
    const given = { title: "t", text: "", head: "two", base: "main" };
    expect(await errorOf(forge.createPullRequest(repository, given))).toMatchObject({ kind: "permission" });
    expect((await forge.readPullRequest(repository, number)).state).toBe("draft");
    expect((await forge.findRepository({ id: repository.id })).isArchived).toBe(true);
  });

  it("does not merge a draft", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const { number, head } = await draftFrom(forge, world, repository, "one");
    expect(await forge.merge(repository, number, { method: "merge", head: head.commit })).toMatchObject({
      kind: "refused",
    });
  });

  it("pays nothing for a pull request that did not change", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const { number } = await draftFrom(forge, world, repository, "one");
    const first = await forge.readPullRequest(repository, number);
    const asked = world.asked.length;
    expect(await forge.readPullRequest(repository, number)).toEqual(first);
    expect(world.asked.length).toBe(asked);
    expect(world.unchanged).toBe(1);
    const [one] = world.pullRequests;
    if (one) one.state = "closed";
    expect(await forge.readPullRequest(repository, number)).toMatchObject({ state: "closed" });
  });

  it("takes another token as soon as the forge refuses the one that it has", async () => {
    const tokens = ["second-token"];
    const renewToken = async () => tokens[0] ?? null;
    const { world, repository, forge } = await forgeFixture(standIn, { http: { renewToken } });
    const { number } = await draftFrom(forge, world, repository, "one");
    world.tokens.set(ownToken, { user: world.user("me"), permissions: [], isExpired: true });
    expect(await errorOf(forge.readPullRequest(repository, number))).toMatchObject({
      kind: "token-rejected",
    });
    world.tokens.set("second-token", { user: world.user("me"), permissions: everything });
    const [one, other] = await Promise.all([
      forge.readPullRequest(repository, number),
      forge.updatePullRequest(repository, number, { text: "Now" }),
    ]);
    expect([one.number, other.text]).toEqual([number, "Now"]);
    expect(world.asked.filter((asked) => asked.startsWith("P"))).toHaveLength(2);
  });

  it("asks again after a while for what the token was not allowed to do", async () => {
    const { clock, world, account, repository } = await forgeFixture(standIn);
    world.tokens.set("narrow-token", { user: world.user("me"), permissions: ["read"] });
    const forge = account("narrow-token");
    const issue = world.addIssue("Broken", "");
    const read = () => forge.readIssue(repository, issue.number);
    expect(await errorOf(read())).toMatchObject({ kind: "permission" });
    world.tokens.set("narrow-token", { user: world.user("me"), permissions: ["read", "issues"] });
    expect(await errorOf(read())).toMatchObject({ kind: "permission" });
    clock.pass(10 * 60_000);
    expect(await read()).toMatchObject({ title: "Broken" });
  });

  it("names a missing permission once, sends nothing more for it, and does everything else", async () => {
    const { world, account, repository } = await forgeFixture(standIn);
    world.tokens.set("narrow-token", { user: world.user("me"), permissions: ["read", "issues"] });
    const forge = account("narrow-token");
    const issue = world.addIssue("Broken", "");
    const error = await errorOf(forge.checksOf(repository, "c0ffee"));
    expect(error).toMatchObject({
      kind: "permission",
      permission: standIn.kind === "github" ? "actions" : "checks",
    });
    expect(error.remedy).toContain(standIn.kind === "github" ? "Actions: read" : "read_api");
    expect(error.remedy).toContain("Everything else continues");
    const asked = world.asked.length;
    await errorOf(forge.checksOf(repository, "decade"));
    expect(world.asked.length).toBe(asked);
    expect((await forge.readIssue(repository, issue.number)).title).toBe("Broken");
  });

  it("says that a token has expired and how to get another one", async () => {
    const { world, forge, repository } = await forgeFixture(standIn);
    world.tokens.set(ownToken, { user: world.user("me"), permissions: ["read"], isExpired: true });
    const error = await errorOf(forge.readIssue(repository, 1));
    expect(error.kind).toBe("token-rejected");
    expect(error.remedy).toMatch(/auth login/u);
  });

  it("reads without a token what is public, and asks for one to write", async () => {
    const { world, account, repository } = await forgeFixture(standIn);
    const issue = world.addIssue("Broken", "");
    const anonymous = account(null);
    expect((await anonymous.readIssue(repository, issue.number)).title).toBe("Broken");
    const seen = { text: "x", run: "r-1", since: 0 };
    const error = await errorOf(anonymous.commentOnIssue(repository, issue.number, seen));
    expect(error.kind).toBe("no-token");
    expect(error.remedy).toMatch(/auth login/u);
  });

  it("says for a missing repository that it was renamed, deleted or can't be seen", async () => {
    const { forge } = await forgeFixture(standIn);
    const error = await errorOf(forge.findRepository({ path: "acme/none" }));
    expect(error.kind).toBe("not-found");
    expect(error.remedy).toMatch(/renamed.*access/u);
  });

  it("sends nothing while a rate limit lasts, and continues after it", async () => {
    const { forge, world, clock, repository } = await forgeFixture(standIn);
    const issue = world.addIssue("Broken", "");
    const resetAt = clock.now() + 600_000;
    world.faults.quota = { left: 0, resetAt };
    const error = await errorOf(forge.readIssue(repository, issue.number));
    expect(error).toMatchObject({ kind: "rate-limit", retryAt: resetAt });
    expect(error.remedy).toContain("12:10 UTC");
    const asked = world.asked.length;
    await errorOf(forge.readIssue(repository, issue.number));
    expect(world.asked.length).toBe(asked);
    clock.pass(600_001);
    expect((await forge.readIssue(repository, issue.number)).title).toBe("Broken");
  });

  it("waits as long as a secondary limit says", async () => {
    const { forge, world, clock, repository } = await forgeFixture(standIn);
    world.faults.isSecondaryLimit = true;
    const error = await errorOf(forge.readIssue(repository, 1));
    expect(error).toMatchObject({ kind: "rate-limit", retryAt: clock.now() + 30_000 });
  });

  it("tells a forge that is down from one that is gone, and from one that is slow", async () => {
    const { forge, world, clock, running, repository } = await forgeFixture(standIn);
    world.faults.isDown = true;
    expect((await errorOf(forge.readIssue(repository, 1))).message).toContain("503");
    world.faults.isDown = false;
    const held = Promise.withResolvers<void>();
    world.faults.hold = held.promise;
    const slow = errorOf(forge.readIssue(repository, 1));
    await eventually(() => expect(clock.untilNext()).toBe(30_000));
    await pause(0);
    clock.pass(30_001);
    expect((await slow).kind).toBe("slow");
    held.resolve();
    await running.close();
    const gone = await errorOf(forge.readIssue(repository, 1));
    expect(gone).toMatchObject({ kind: "unavailable" });
    expect(gone.message).toMatch(/ECONNREFUSED|can't be reached/u);
  });

  it("reads no answer beyond a size, and no page in place of an answer", async () => {
    const { world, repository, forge } = await forgeFixture(standIn, { http: { maxBytes: 10_000 } });
    world.addIssue("Broken", "");
    world.faults.padding = 20_000;
    expect(await errorOf(forge.readIssue(repository, 1))).toMatchObject({ kind: "too-large" });
    world.faults.padding = 0;
    world.faults.page = "<h1>Log in to the network</h1>";
    expect(await errorOf(forge.readIssue(repository, 1))).toMatchObject({ kind: "malformed" });
  });

  it("makes a native stack where the forge has them", async () => {
    const { forge, world, repository } = await forgeFixture(standIn, { world: { hasStacks: true } });
    const numbers: number[] = [];
    for (const [nth, branch] of ["a", "b", "c"].entries())
      numbers.push((await draftFrom(forge, world, repository, branch, ["main", "a", "b"][nth])).number);
    const [one = 0, two = 0, three = 0] = numbers;
    const isStack = await forge.stack(repository, [one, two]);
    expect(isStack).toBe(standIn.kind === "github");
    if (!isStack) return;
    expect(await forge.stack(repository, numbers)).toBe(true);
    expect(await forge.readPullRequest(repository, three)).toMatchObject({ stack: { position: 3, size: 3 } });
    for (const number of numbers) await forge.markReady(repository, number);
    const begun = await forge.merge(repository, two, { method: "squash", head: world.tip("b") ?? "" });
    expect(begun.kind).toBe("pending");
    expect(await forge.merge(repository, two, { method: "squash", head: world.tip("b") ?? "" })).toEqual(
      begun,
    );
    if (begun.kind !== "pending") return;
    expect(await forge.mergeResult(repository, two, begun.request)).toMatchObject({ kind: "merged" });
    expect(world.git("log", "--format=%s", "main").split("\n")).toEqual([
      "Add b",
      "Add a",
      "Change readme.md",
    ]);
    expect(await forge.readPullRequest(repository, three)).toMatchObject({
      base: "main",
      state: "open",
      isMergeable: true,
    });
  });

  it("has no native stack where the forge has none", async () => {
    const { forge, world, repository } = await forgeFixture(standIn);
    const one = await draftFrom(forge, world, repository, "a");
    const two = await draftFrom(forge, world, repository, "b", "a");
    expect(await forge.stack(repository, [one.number, two.number])).toBe(false);
  });
});
