import { expect, test } from "vitest";
import { landKind } from "#shared/contract/cards/land.ts";
import type { ItemOf } from "#shared/contract/cards.ts";
import {
  createGitRepository,
  type GitRepository,
  openInGitRepository,
} from "../../../../jj/testing/create-git-repository.ts";
import { defineScript } from "../../../../model/stand-in/script.ts";
import { eventually } from "../../../../testing/kit.ts";
import { checkRunBase, chooseRunBase, describeRunBase } from "../../../graph-sync/run-base.ts";
import { agreeable, createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";
import { calmAgents, done, exampleFiles, rewrite } from "../../../testing/three-agents-script.ts";
import { judgedScript, seat } from "../../../testing/verdict-script.ts";

let fixture: Fixture | null = null;

/** One whose branch got another API meanwhile: both are kept. */
const script = defineScript({
  name: "moved-on",
  routes: {
    ...calmAgents.routes,
    integrator: [
      {
        name: "brings both together",
        prompt: "Bring both together",
        steps: [...rewrite("src/api.txt", "GET /v2/users/:userId\n"), done("Both are there.")],
      },
      ...(calmAgents.routes.integrator ?? []),
    ],
  },
});

const titles = async (repo: GitRepository, range: string): Promise<readonly string[]> =>
  (await repo.git("log", "--first-parent", "--format=%s", range)).split("\n");

test("a Git user's run builds and lands on their branch, merges its new commits, and is undone", async () => {
  const git = await createGitRepository({ files: exampleFiles });
  await git.git("checkout", "--quiet", "-b", "feature");
  fixture = await createFixture({ git, script });
  const one = fixture;
  // After jj was put beside it: nobody tells jj.
  await git.write("src/base.txt", "base\n");
  await git.git("add", ".");
  await git.git("commit", "--quiet", "-m", "A commit that jj has not heard of");
  const [main, feature] = [await git.git("rev-parse", "main"), await git.git("rev-parse", "feature")];
  await git.write("readme.md", "# Mine\n");
  await git.write("staged.txt", "staged\n");
  await git.git("add", "staged.txt");
  await git.write("new.txt", "new\n");
  const before = await git.look();

  one.answers = { ...agreeable, land: () => null };
  await one.start();
  const first = await one.card("land");
  if (first.kind !== "land") throw new Error("unreachable");
  expect(first).toMatchObject({ suggested: "feature", standsOn: "feature", brought: null, inTheWay: null });
  expect(await git.look()).toEqual(before);

  // What collides with the result becomes the integrator's task, and is judged again.
  await git.write("src/api.txt", "GET /v2\n");
  await git.git("add", "src/api.txt");
  await git.git("commit", "--quiet", "-m", "Another API", "--", "src/api.txt");
  const again = await one.until(
    (run, inbox) => run.attempt === 1 && inbox.some(({ kind }) => kind === "land"),
  );
  expect(again.validation).toMatchObject({ verdict: "approved", attempt: 2 });

  // What only comes beside it is brought in while the card waits, and shown.
  await git.write("else.txt", "else\n");
  await git.git("add", "else.txt");
  await git.git("commit", "--quiet", "-m", "Something else", "--", "else.txt");
  const shown = await eventually(() => {
    const card = one.engine.state().inbox.find(({ kind }) => kind === "land");
    expect(card).toMatchObject({
      brought: { branch: "feature", commits: ["Something else"], commitCount: 1 },
    });
    return card;
  });
  if (shown?.kind !== "land") throw new Error("unreachable");
  expect(shown.brought?.checks.map(({ outcome }) => outcome)).toEqual(["passed"]);

  // An edit in the way is said before anything happens.
  await git.write("src/view.txt", "mine\n");
  await expect(
    one.execute("inbox.answer", { ...shown, decision: { kind: "approve", history: "tasks" } }),
  ).rejects.toMatchObject({ kind: "in-the-way", message: expect.stringContaining("src/view.txt") });
  await git.git("clean", "--quiet", "-f", "src/view.txt");
  const tip = await git.git("rev-parse", "feature");
  const waiting = await git.look();
  await one.execute("inbox.answer", { ...shown, decision: { kind: "approve", history: "tasks" } });
  const run = await one.until(over);
  expect(run).toMatchObject({ stage: "complete", failure: null, landed: { bookmark: "feature", from: tip } });
  const bookmarks = () => one.repo.terminal(["--ignore-working-copy", "bookmark", "list"]);
  await eventually(async () => expect(await bookmarks()).not.toContain("O-A-1"));

  const landed = await git.git("rev-parse", "feature");
  expect(await git.look()).toEqual({
    ...waiting,
    branches: [`refs/heads/feature ${landed}`, `refs/heads/main ${main}`],
  });
  expect(run.landed?.to).toBe(landed);
  expect(await titles(git, `${feature}..feature`)).toEqual([
    "Bring it together",
    ...[1, 2, 3].map(() => expect.stringMatching(/^Write the /u)),
    "Contracts: Keep users",
    "Something else",
    "Another API",
  ]);
  expect(await git.git("show", "feature:src/api.txt")).toBe("GET /v2/users/:userId");
  expect(await git.git("show", "feature:src/base.txt")).toBe("base");
  const commits = await git.git("log", "--format=%an <%ae>%n%cn <%ce>%n%B", `${tip}..feature`);
  expect(commits).not.toMatch(/JJ_EMPTY|Hox-/u);
  expect(new Set(commits.match(/^.+ <pat@example\.org>$/gmu))).toEqual(
    new Set(["Pat Git <pat@example.org>"]),
  );
  expect(commits).toContain("Co-authored-by: agent-1 (claude-sonnet-5-5) <agent-1@hox.invalid>");

  const preview = await one.execute("run.previewUndoLanding");
  expect(preview).toMatchObject({ bookmark: "feature", from: tip, to: landed, refusal: null });
  // Where somebody relies on it, it stays, and the way on is said.
  const refusal = async () => (await one.execute("run.previewUndoLanding")).refusal;
  await git.git("update-ref", "refs/remotes/origin/feature", landed);
  expect((await refusal())?.reason).toBe("It was already pushed to origin/feature.");
  await git.git("update-ref", "-d", "refs/remotes/origin/feature");
  const above = await git.git("commit-tree", "-p", landed, "-m", "Built on it", `${landed}^{tree}`);
  await git.git("update-ref", "refs/heads/built", above);
  expect((await refusal())?.reason).toBe("Others built on it: built.");
  await git.git("update-ref", "refs/heads/feature", above);
  expect((await refusal())?.reason).toBe("feature has moved since this run landed.");
  await git.git("update-ref", "refs/heads/feature", landed);
  await git.git("branch", "-D", "--quiet", "built");
  await one.execute("run.undoLanding");
  expect(await git.look()).toEqual(waiting);
  expect(one.engine.state().run?.landed?.undoneAt).toEqual(expect.any(Number));
  await expect(one.execute("run.undoLanding")).rejects.toMatchObject({
    message: expect.stringContaining("No landed run"),
  });
  expect(await one.execute("run.leftovers")).toMatchObject({ branches: [], messages: 0, work: [] });
}, 400_000);

test("lands without commits that left the branch during the run, and on a renamed branch", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const git = await createGitRepository({ files: exampleFiles });
  const commit = async (path: string, title: string) => {
    await git.write(path, `${title}\n`);
    await git.git("add", path);
    await git.git("commit", "--quiet", "-m", title);
  };
  await commit("wrong.txt", "A wrong commit");
  const judge = { "validator-1": seat(() => "approve") };
  fixture = await createFixture({ git, script: judgedScript(judge), workflow: "auto" });
  const one = fixture;
  one.answers = { ...agreeable, land: () => null };
  await one.start();
  await one.card("land");
  const shown = (what: object) =>
    eventually(() => {
      const card = one.engine.state().inbox.find(({ kind }) => kind === "land");
      expect(card).toMatchObject(what);
      return card as ItemOf<"land">;
    });

  await git.git("reset", "--quiet", "--hard", "HEAD~1");
  await commit("right.txt", "A right commit");
  const card = await shown({
    suggested: "main",
    brought: { branch: "main", commits: ["A right commit"], left: [{ title: "A wrong commit" }] },
  });
  expect(card.diffStat.map(({ path }) => path)).not.toContain("wrong.txt");
  const cardText = landKind.lines(card).join("\n");
  expect(cardText).toContain("1 commit that this run is based on is no longer on main and will not land");
  expect(cardText).toMatch(/git cherry-pick [0-9a-f]{12} +A wrong commit/u);

  // Amended with jj the run's work has followed already, and is checked with it again.
  await one.repo.terminal(["file", "chmod", "--ignore-working-copy", "x", "-r", "main", "right.txt"]);
  const amended = await eventually(async () => {
    const now = await shown({ brought: { commits: ["A right commit"] } });
    expect(now.brought?.left).toBeUndefined();
    return now;
  });
  expect(amended.diffStat.map(({ path }) => path)).toEqual(["src/store.txt"]);

  await git.git("branch", "-m", "main", "trunk");
  const renamed = await shown({ suggested: "trunk", goneBranch: "main" });
  expect(landKind.lines(renamed).join("\n")).toContain("Branch main no longer exists.");
  await one.execute("inbox.answer", { ...renamed, decision: { kind: "approve" } });
  expect(await one.until(over)).toMatchObject({ stage: "complete", landed: { bookmark: "trunk" } });
  expect(await git.git("log", "--format=%s", "trunk")).not.toContain("A wrong commit");
  expect(await git.git("ls-tree", "-r", "--name-only", "trunk")).toMatch(/right\.txt[\s\S]*src\/store\.txt/u);
  expect(await git.git("branch", "--list", "main")).toBe("");
});

test("before anything is paid for, an author must be configured and the run's changes must be mutable", async () => {
  const git = await createGitRepository({ identity: null });
  const repo = await openInGitRepository(git);
  try {
    const base = await chooseRunBase(repo.repository, null);
    expect(base).toMatchObject({ branch: "main", change: { description: "first\n" } });
    await expect(checkRunBase(repo.repository, base)).rejects.toMatchObject({
      message: expect.stringContaining("Neither jj nor Git knows your name and email"),
      remedy: expect.stringContaining("git config --global user.email"),
    });
    await git.git("config", "user.name", "Pat");
    await git.git("config", "user.email", "pat@example.org");
    await checkRunBase(repo.repository, base);
    for (const heads of ["all()", "bookmarks()", "visible_heads()"]) {
      await repo.configure(`[revset-aliases]\n"immutable_heads()" = "${heads}"\n`);
      await expect(checkRunBase(repo.repository, base)).rejects.toMatchObject({
        remedy: expect.stringContaining("immutable_heads()"),
      });
    }
    await repo.configure("");
    // A branch of any name, and the main one as the remote says it.
    await git.git("branch", "fix#12");
    await git.git("update-ref", "refs/remotes/origin/develop", "main");
    await git.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop");
    await git.git("checkout", "--quiet", "-b", "develop");
    await git.git("checkout", "--quiet", "-b", "mine");
    const [first] = await repo.repository.query(await git.git("rev-parse", "HEAD"));
    const commit = (found = first) => ({
      ...{ changeId: found?.changeId, commitId: found?.commitId, title: found?.description.trim() },
    });
    const mine = { standsOn: "mine", trunk: "develop", base: commit(), leftOut: null };
    expect(await describeRunBase(repo.repository)).toEqual(mine);
    expect((await chooseRunBase(repo.repository, "fix#12")).branch).toBe("fix#12");
    expect((await chooseRunBase(repo.repository, null)).branch).toBe("mine");
    // On no branch at all: what is built on has not what the user stands on, and that is said.
    await git.git("checkout", "--quiet", "--detach");
    expect(await describeRunBase(repo.repository)).toEqual({ ...mine, standsOn: null });
    await git.write("beside.txt", "beside\n");
    await git.git("add", ".");
    await git.git("commit", "--quiet", "-m", "beside");
    const described = await describeRunBase(repo.repository);
    const [left] = await repo.repository.query(await git.git("rev-parse", "HEAD"));
    expect(described).toEqual({ ...mine, standsOn: null, leftOut: commit(left) });
    expect((await chooseRunBase(repo.repository, described.leftOut?.changeId ?? "")).branch).toBe("develop");
  } finally {
    await repo.remove();
  }
});
