import { expect, test } from "vitest";
import { ownToken } from "../../../../forge/testing/forge-world.ts";
import { only, published } from "../../../testing/published-run.ts";
import { comment } from "../../../testing/published-script.ts";
import { over } from "../../../testing/run-fixture.ts";

test("a result becomes a draft, a comment on a line reopens its task, and the merge lands the run", {
  timeout: 240_000,
}, async () => {
  const { one, world } = await published("pull_request");
  await one.start();
  await one.until((run) => run.publication?.isPublished === true);
  const pull = only(world);
  expect(pull).toMatchObject({ isDraft: true, base: "main", state: "open" });
  expect(pull.text).toContain("### Goal");
  const first = world.headOf(pull);

  comment(world, pull, "src/store.txt", "Say that it was reviewed.");
  await one.until((run) => run.workers.some(({ name, status }) => name === "agent-1" && status !== "done"));
  await one.until(() => pull.threads[0]?.isResolved === true, 120_000);
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
});

test("a stack has a pull request for each task; a comment reopens the task of its line, and all merge from below", {
  timeout: 240_000,
}, async () => {
  const { one, world } = await published("stack");
  await one.start();
  await one.until((run) => run.publication?.isPublished === true);
  const titles = world.pullRequests.map(({ title }) => title);
  expect(titles).toEqual(expect.arrayContaining(["Write the store", "Write the api", "Write the view"]));
  expect(world.stacks).toEqual([{ number: 1, numbers: world.pullRequests.map(({ number }) => number) }]);
  expect(world.pullRequests.map(({ base }) => base)).toEqual([
    "main",
    ...world.pullRequests.slice(0, -1).map(({ head }) => head),
  ]);
  const top = world.pullRequests.at(-1);
  if (!top) throw new Error("There is no pull request.");
  const reviewed = world.pullRequests.find(({ title }) => title === "Write the store") ?? top;
  comment(world, reviewed, "src/store.txt", "Say that it was reviewed.");
  await one.until(() => reviewed.threads[0]?.isResolved === true, 120_000);
  expect(world.git("show", `${world.headOf(reviewed)}:src/store.txt`)).toContain("reviewed");
  expect(world.git("show", `${world.headOf(top)}:src/store.txt`)).toContain("reviewed");
  for (const pull of world.pullRequests) pull.isDraft = false;
  expect(world.merge(top, "merge", null)).toHaveProperty("commit");
  const run = await one.until(over, 120_000);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/store.txt"])).toContain("reviewed");
});

test("failed checks are repaired once for each set, and a closed pull request asks what to do", {
  timeout: 240_000,
}, async () => {
  const { one, world } = await published("pull_request");
  one.answers = { ...one.answers, "align-request": () => null };
  await one.start();
  await one.until((run) => run.publication?.isPublished === true);
  const pull = only(world);
  const first = world.headOf(pull);
  world.setCheck(first, "build", "failed");
  world.touch(pull);
  await one.until(() => world.headOf(pull) !== first, 120_000);
  expect(world.git("show", `${world.headOf(pull)}:src/index.txt`)).toContain("repaired");
  pull.state = "closed";
  pull.finalHead = world.headOf(pull);
  world.touch(pull);
  const card = await one.card("align-request");
  expect(card).toMatchObject({ question: expect.stringContaining("was closed") });
  await one.execute("inbox.answer", { ...card, decision: { kind: "answer", text: "End without landing" } });
  const run = await one.until(over, 60_000);
  expect(run).toMatchObject({ stage: "complete", landed: null });
});

test("without stacks what is above a merged pull request is put onto the base, also after a squash", {
  timeout: 240_000,
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
    await one.until(isOnMain, 120_000);
    pull.isDraft = false;
    expect(world.merge(pull, "squash", null)).toHaveProperty("commit");
    world.touch(pull);
  }
  const run = await one.until(over, 120_000);
  expect(run).toMatchObject({ stage: "complete", failure: null });
  expect(world.pullRequests).toHaveLength(pulls.length);
  expect(await one.repo.terminal(["file", "show", "-r", "main", "src/index.txt"])).toContain("the view");
});

test("a token that may not open pull requests is asked about, and the result can land on a branch instead", {
  timeout: 240_000,
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
  const run = await one.until(over, 60_000);
  expect(run).toMatchObject({ stage: "complete", landed: { bookmark: "main" } });
});

test("commits of another person stay", { timeout: 240_000 }, async () => {
  const { one, world } = await published("pull_request");
  await one.start();
  await one.until((run) => run.publication?.isPublished === true);
  const pull = only(world);
  const theirs = world.commit(pull.head, "theirs.txt", "theirs\n");
  world.touch(pull);
  await one.until(({ publication, stage }) => {
    const commit = publication?.parts[0]?.commit ?? "";
    return stage === "landing" && commit === world.headOf(pull) && publication?.isPublished === true;
  }, 60_000);
  const head = world.headOf(pull);
  expect(world.git("merge-base", theirs, head)).toBe(theirs);
  expect(world.git("show", `${head}:src/store.txt`)).toBe("keeps users");
  await one.execute("run.stop");
});
