import { expect, test } from "vitest";
import { baseOfDraft } from "#shared/contract/cards/land.ts";
import type { InboxItem } from "#shared/contract/cards.ts";
import { issueGoal } from "#shared/domain/forge/issue-text.ts";
import { withoutMarks } from "#shared/domain/forge/pull-request-text.ts";
import type { PublishedForm } from "#shared/domain/landing/publication.ts";
import {
  everything,
  type ForgeWorld,
  ownToken,
  type WorldComment,
} from "../../../../forge/testing/forge-world.ts";
import { config } from "../../../testing/merge-request-script.ts";
import { only, published } from "../../../testing/published-run.ts";
import { comment } from "../../../testing/published-script.ts";
import { over } from "../../../testing/run-fixture.ts";

/** What the land card says of a form that is chosen on it, with the bases. */
function shownOn(item: InboxItem, form: PublishedForm) {
  const drafts = item.kind === "land" ? item.forge?.drafts[form] : undefined;
  return drafts?.map(({ branch, title, text }, at) => ({
    ...{ title, text, head: branch, base: baseOfDraft(drafts, at, "main"), isDraft: true },
  }));
}

/** What the forge was sent. */
const opened = (world: ForgeWorld) =>
  world.pullRequests.map(({ title, text, head, base, isDraft }) => ({ title, text, head, base, isDraft }));

test("a result becomes a draft, a comment on a line reopens its task, and the merge lands the run", async () => {
  const { one, world } = await published("pull_request");
  const issue = world.addIssue("Users vanish", "They are gone.");
  const url = "https://github.test/acme/widgets/issues/1";
  let shown: ReturnType<typeof shownOn>;
  one.answers = {
    ...one.answers,
    land: (item) => {
      shown = shownOn(item, "pull_request");
      return { kind: "approve", form: "pull_request", history: "one" };
    },
  };
  await one.start({ goal: issueGoal(issue), issue: { number: 1, url, title: issue.title, isLinked: true } });
  await one.until((run) => run.publication?.isPublished === true);
  const pull = only(world);
  expect(pull).toMatchObject({ isDraft: true, base: "main", state: "open", title: "Users vanish" });
  expect(pull.text).toMatch(/Closes #1\.[\s\S]*### Goal\n\nUsers vanish\n/u);
  expect(opened(world)).toEqual(shown);
  expect(world.git("rev-list", "--count", `main..${pull.head}`)).toBe("1");
  expect(issue.comments.map(({ text }) => text)).toEqual([
    expect.stringMatching(
      /^A draft for this issue is open: https:\/\/github\.test\/acme\/widgets\/pull\/2\n/u,
    ),
  ]);
  const first = world.headOf(pull);

  comment(world, pull, "src/store.txt", "Say that it was reviewed.");
  await one.until((run) => run.workers.some(({ name, status }) => name === "agent-1" && status !== "done"));
  await one.until(() => pull.threads[0]?.isResolved === true);
  expect(pull.threads[0]?.comments.at(-1)?.text).toContain("Addressed in");
  const second = world.headOf(pull);
  expect(world.git("show", `${second}:src/store.txt`)).toContain("reviewed");
  // Nothing that people had seen was replaced.
  expect(world.git("merge-base", first, second)).toBe(first);

  pull.isDraft = false;
  world.merge(pull, "squash", null);
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toContain("reviewed");
  expect(await one.repo.terminal(["bookmark", "list"])).not.toContain("hox/");
  expect(issue.comments).toHaveLength(1);
});

test("a stack has a pull request for each task; a comment reopens the task of its line, and all merge from below", {
  tags: ["long"],
}, async () => {
  const { one, world } = await published("stack");
  const issue = world.addIssue("Users vanish", "They are gone.");
  // The host ends while it comments.
  let reopening: Promise<void> | null = null;
  const comments = Object.assign([] as WorldComment[], {
    push(...added: WorldComment[]) {
      reopening ??= one.reopen();
      return Array.prototype.push.apply(comments, added);
    },
  });
  issue.comments = comments;
  let shown: ReturnType<typeof shownOn>;
  one.answers = {
    ...one.answers,
    land: (item) => {
      shown = shownOn(item, "stack");
      const [first] = shown ?? [];
      return { kind: "approve", form: "stack", titles: { [first?.head ?? ""]: "Mine, #7" } };
    },
  };
  const url = "https://github.test/acme/widgets/issues/1";
  await one.start({ issue: { number: 1, url, title: issue.title, isLinked: true } });
  await one.until(() => issue.comments.length > 0);
  await reopening;
  await one.until((run) => run.publication?.isPublished === true);
  expect(issue.comments).toHaveLength(1);
  const [bottom, ...above] = shown ?? [];
  const pushed = opened(world);
  expect(pushed.slice(1)).toEqual(above);
  expect(pushed[0]).toMatchObject({ title: "Mine, #7", head: bottom?.head, base: "main" });
  expect(withoutMarks(pushed[0]?.text ?? "")).toBe(withoutMarks(bottom?.text ?? ""));
  expect(pushed.map(({ text }) => /^(?:Closes|For) #1\.$/mu.exec(text)?.[0])).toEqual([
    ...above.map(() => "For #1."),
    "Closes #1.",
  ]);
  const titles = (shown ?? []).map(({ title }) => title);
  expect(titles).toEqual(expect.arrayContaining(["Write the store", "Write the api", "Write the view"]));
  expect(world.stacks).toEqual([{ number: 1, numbers: world.pullRequests.map(({ number }) => number) }]);
  expect(world.pullRequests.map(({ base }) => base)).toEqual([
    "main",
    ...world.pullRequests.slice(0, -1).map(({ head }) => head),
  ]);
  const top = world.pullRequests.at(-1);
  if (!top) throw new Error("There is no pull request.");
  const reviewed = world.pullRequests[titles.indexOf("Write the store")] ?? top;
  comment(world, reviewed, "src/store.txt", "Say that it was reviewed.");
  await one.until(() => reviewed.threads[0]?.isResolved === true);
  expect(world.pullRequests[0]?.title).toBe("Mine, #7");
  expect(world.git("show", `${world.headOf(reviewed)}:src/store.txt`)).toContain("reviewed");
  expect(world.git("show", `${world.headOf(top)}:src/store.txt`)).toContain("reviewed");
  for (const pull of world.pullRequests) pull.isDraft = false;
  expect(world.merge(top, "merge", null)).toHaveProperty("commit");
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toContain("reviewed");
});

test("failed checks are repaired once for each set, and a closed pull request asks what to do", {
  tags: ["long"],
}, async () => {
  const { one, world } = await published("pull_request");
  one.answers = { ...one.answers, "align-request": () => null };
  const issue = world.addIssue("Users vanish", "They are gone.");
  const permissions = everything.filter((each) => each !== "issues");
  world.tokens.set(ownToken, { user: world.user("me"), permissions });
  const url = "https://github.test/acme/widgets/issues/1";
  await one.start({ issue: { number: 1, url, title: issue.title, isLinked: true } });
  await one.until((run) => run.publication?.isPublished === true);
  // What the token may not do keeps nothing else up.
  expect(issue.comments).toEqual([]);
  expect(one.events).toContainEqual(
    expect.objectContaining({
      kind: "notice",
      text: expect.stringContaining("could not comment on issue #1"),
      remedy: expect.stringMatching(/^The pull request is open\. .*"Issues: read and write"/u),
    }),
  );
  const pull = only(world);
  const first = world.headOf(pull);
  world.setCheck(first, "build", "failed");
  world.touch(pull);
  await one.until(() => world.headOf(pull) !== first);
  expect(world.git("show", `${world.headOf(pull)}:src/index.txt`)).toContain("repaired");
  pull.state = "closed";
  pull.finalHead = world.headOf(pull);
  world.touch(pull);
  const card = await one.card("align-request");
  expect(card).toMatchObject({ question: expect.stringContaining("was closed") });
  await one.execute("inbox.answer", { ...card, decision: { kind: "answer", text: "End without landing" } });
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", landed: null });
});

test("without stacks what is above a merged pull request is put onto the base, also after a squash", {
  tags: ["long"],
}, async () => {
  const { one, world } = await published("stack", { hasStacks: false });
  await one.start();
  await one.until((run) => run.publication?.isPublished === true);
  const pulls = [...world.pullRequests];
  expect(pulls.length).toBeGreaterThan(2);
  for (const pull of pulls) {
    const isOnMain = () =>
      pull.base === "main" &&
      one.engine.state().run?.publication?.isPublished === true &&
      world.git("merge-base", world.headOf(pull), "main") === world.tip("main");
    await one.until(isOnMain);
    pull.isDraft = false;
    expect(world.merge(pull, "squash", null)).toHaveProperty("commit");
    world.touch(pull);
  }
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(world.pullRequests).toHaveLength(pulls.length);
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/index.txt"])).toContain("the view");
});

test("a token that may not open pull requests is asked about, and the result can land on a branch instead", {
  tags: ["long"],
}, async () => {
  const { one, world } = await published("pull_request");
  world.tokens.set(ownToken, { user: world.user("me"), permissions: ["read"] });
  const answers = { ...one.answers };
  one.answers = { ...answers, "align-request": () => null };
  await one.start();
  const card = await one.card("align-request");
  expect(card).toMatchObject({ question: expect.stringContaining("Pull requests") });
  expect(world.pullRequests).toEqual([]);
  one.answers = { ...answers, land: () => ({ kind: "approve", form: "branch" }) };
  await one.execute("inbox.answer", { ...card, decision: { kind: "answer", text: "Land it another way" } });
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", landed: { bookmark: "main" } });
});

test("commits of another person stay", { tags: ["long"] }, async () => {
  const { one, world } = await published("pull_request");
  await one.start();
  await one.until((run) => run.publication?.isPublished === true);
  const pull = only(world);
  const theirs = world.commit(pull.head, "theirs.txt", "theirs\n");
  world.touch(pull);
  await one.until(({ publication, stage }) => {
    const commit = publication?.parts[0]?.commit ?? "";
    return stage === "landing" && commit === world.headOf(pull) && publication?.isPublished === true;
  });
  const head = world.headOf(pull);
  expect(world.git("merge-base", theirs, head)).toBe(theirs);
  expect(world.git("show", `${head}:src/store.txt`)).toBe("keeps users");
  await one.execute("run.stop");
});

test("the draft of a quick run names what had no review", async () => {
  const { one, world } = await published("pull_request", { files: config('[workflow]\nlearning = "off"\n') });
  await one.start({ quick: true });
  await one.until((run) => run.publication?.isPublished === true);
  expect(only(world).text).toMatch(/### Not reviewed by anyone\n\n- \S/u);
});
