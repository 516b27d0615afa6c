import { describe, expect, it } from "vitest";
import type { IssuesView } from "#shared/contract/commands/start.ts";
import { createForges } from "./connect.ts";
import { findStartIssues, readStartIssue } from "./start-issue.ts";
import { forgeFixture, standIns } from "./testing/forge-fixture.ts";
import { ownToken } from "./testing/forge-world.ts";

/** A repository with a remote on a stand-in, and issues to find there. */
async function searched(standIn: (typeof standIns)[number], signIn = { token: ownToken as string | null }) {
  const { world, running, clock } = await forgeFixture(standIn);
  world.addIssue("Users vanish", "They are gone after a restart.", { labels: ["bug", "p1"] });
  world.addIssue("Users vanished before", "", { isOpen: false });
  world.addIssue("Write a guide", "");
  const forges = createForges({
    env: standIn.kind === "github" ? { GH_HOST: running.host } : { GITLAB_HOST: running.host },
    clock,
    ask: async () => signIn.token,
  });
  const remotes = [{ name: "origin", url: running.cloneUrl }];
  const find = (typed: string) => findStartIssues(forges, remotes, typed);
  return { world, running, clock, forges, remotes, find, signIn };
}

const titles = (found: IssuesView) =>
  found.kind === "found" ? found.issues.map(({ title }) => title) : found;

describe.each(standIns)("issues to start from on $kind", (standIn) => {
  it("finds open ones by words, and any by its number or URL", async () => {
    const { find, running } = await searched(standIn);
    const found = await find("users");
    expect(found).toMatchObject({
      ...{ kind: "found", forge: standIn.kind, repository: "acme/widgets", hasMore: false, noToken: null },
      issues: [{ number: 1, title: "Users vanish", isOpen: true, labels: ["bug", "p1"] }],
    });
    expect(titles(await find(""))).toEqual(["Users vanish", "Write a guide"]);
    expect(await find("#2")).toMatchObject({ issues: [{ number: 2, isOpen: false }] });
    expect(titles(await find(`http://${running.host}/acme/widgets/issues/3`))).toEqual(["Write a guide"]);
    expect(await find("nothing like it")).toMatchObject({ kind: "found", issues: [] });
    expect(await find("99")).toMatchObject({ kind: "found", issues: [] });
  });

  it("lists fifty and says that there are more", async () => {
    const { find, world } = await searched(standIn);
    for (let nth = 0; nth < 60; nth += 1) world.addIssue(`Slow ${nth}`, "");
    const found = await find("slow");
    expect(titles(found)).toHaveLength(50);
    expect(found).toMatchObject({ hasMore: true });
  });

  it("says how to get a token, and has it as soon as the user signed in", async () => {
    const { find, signIn } = await searched(standIn, { token: null });
    expect(await find("users")).toMatchObject({ noToken: expect.stringContaining("auth login") });
    signIn.token = ownToken;
    expect(await find("users")).toMatchObject({ noToken: null });
  });

  it("says when a rate limit ends, and asks nothing until then", async () => {
    const { find, world, clock } = await searched(standIn);
    await find("users");
    world.faults.quota = { left: 0, resetAt: clock.now() + 600_000 };
    await expect(find("guide")).rejects.toMatchObject({
      kind: "rate-limit",
      remedy: expect.stringContaining("12:10 UTC"),
    });
    const asked = world.asked.length;
    await expect(find("other")).rejects.toMatchObject({ kind: "rate-limit" });
    expect(world.asked.length).toBe(asked);
    clock.pass(600_001);
    expect(titles(await find("guide"))).toEqual(["Write a guide"]);
  });

  it("reads the chosen one as `hox run --issue` does", async () => {
    const { forges, remotes } = await searched(standIn);
    const read = await readStartIssue(forges, remotes, { address: null, number: 1 });
    expect(read).toMatchObject({ goal: 'Resolve issue #1, "Users vanish". It is attached as issue-1.md.' });
    expect(Buffer.from(read.attachment.data, "base64").toString("utf8")).toContain(
      "> They are gone after a restart.",
    );
  });
});

describe("issues to start from without a forge", () => {
  it("says what is missing, and is no failure", async () => {
    const forges = createForges({
      env: {},
      clock: { now: () => 0, after: () => () => undefined },
      ask: async () => null,
    });
    expect(await findStartIssues(forges, [], "users")).toMatchObject({
      kind: "no-forge",
      reason: expect.stringContaining("no remote"),
      remedy: expect.stringContaining("jj git remote add"),
    });
  });
});
