/** Somebody lands while a landing is taken back: nothing of theirs is lost, and the branch stands where they put it. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { crossedAt, landedElsewhere, removeCrossings } from "../../../testing/crossing-jj.ts";
import { quickScript } from "../../../testing/quick-script.ts";
import { createFixture, type Fixture, over } from "../../../testing/run-fixture.ts";

let fixture: Fixture | null = null;
afterEach(async () => {
  await fixture?.remove();
  fixture = null;
  await removeCrossings();
});

const goal = "Write the store";

async function land(bookmark: string): Promise<Fixture> {
  fixture = await createFixture({ workflow: "auto", script: quickScript(goal) });
  fixture.answers = { land: () => ({ kind: "approve", bookmark }) };
  await fixture.start({ goal, quick: true });
  await fixture.until(over);
  await fixture.execute("run.leftovers");
  return fixture;
}

/** Where jj and Git have a branch, who work in the same folder. */
async function standsAt({ repo, root }: Fixture, branch: string) {
  const shown = ["log", "--no-graph", "-r", `bookmarks(exact:"${branch}")`, "-T", 'commit_id ++ "\n"'];
  const file = join(root, ".git", "refs", "heads", branch);
  return {
    jj: (await repo.terminal(["--ignore-working-copy", ...shown])).trim(),
    git: existsSync(file) ? (await readFile(file, "utf8")).trim() : "",
  };
}

const keeps = async (branch: string, command: string): Promise<void> => {
  const arm = await crossedAt(command, branch);
  const one = await land(branch);
  const { engine, repo } = one;
  const { landed } = engine.state().run ?? {};
  await arm();
  await expect(engine.execute("run.undoLanding")).rejects.toMatchObject({
    message: expect.stringContaining("moved by another process"),
  });
  const { jj, git } = await standsAt(one, branch);
  expect(git).toBe(jj);
  const title = ["log", "--no-graph", "-r", branch, "-T", "description"];
  expect(await repo.terminal(title)).toBe(landedElsewhere);
  expect(await repo.terminal(["bookmark", "list", branch])).not.toContain("conflicted");
  expect(await repo.terminal(["file", "show", "-r", branch, "src/store.txt"])).toBe(goal);
  expect(engine.state().run?.landed).toEqual(landed);
};

test("a branch that is about to move forward keeps what others land on it during the undo", () =>
  keeps("main", "op integrate"));

test.each([
  ["one that was made new", "result", "bookmark delete"],
  ["a branch that moved forward to what landed", "main", "bookmark set"],
  ["one that was made new, about to be published", "result", "op integrate"],
])("%s keeps what others land on it during the undo", { tags: ["long"] }, (_, ...at) => keeps(...at));

test.each(["main", "result"])(
  "without concurrent moves %s is where it was, also in Git",
  { tags: ["long"] },
  async (branch) => {
    const one = await land(branch);
    const { from, to } = one.engine.state().run?.landed ?? {};
    expect(await standsAt(one, branch)).toEqual({ jj: to, git: to });
    await one.execute("run.undoLanding");
    expect(await standsAt(one, branch)).toEqual({ jj: from ?? "", git: from ?? "" });
  },
);
