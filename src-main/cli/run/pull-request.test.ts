import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { defaultConfig } from "../../config/settings.ts";
import { repositoryStateFolder } from "../../config/state-folder.ts";
import { forgeFixture, standIns } from "../../forge/testing/forge-fixture.ts";
import { ownToken } from "../../forge/testing/forge-world.ts";
import { createTestRepository } from "../../jj/testing/create-test-repository.ts";
import { openJournal } from "../../journal/journal.ts";
import { tempDir } from "../../testing/kit.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";

/** A clone of the forge's repository, in which a run has landed one change on a branch. */
async function landedRun(cloneUrl: string, state: string, forge: string, branch = "keep-users") {
  const own = await createTestRepository({ isUnique: true });
  onTestFinished(() => own.remove());
  await own.terminal(["git", "remote", "add", "origin", cloneUrl]);
  await own.terminal(["git", "fetch"]);
  await own.terminal(["new", "main@origin", "-m", "Keep users\n\nFixes #9, thanks @alice"]);
  await own.write("store.ts", "export const users = [];\n");
  await own.terminal(["bookmark", "set", branch, "-r", "@", "--allow-backwards"]);
  const log = async (revset: string, template: string) =>
    (await own.terminal(["log", "--no-graph", "-r", revset, "-T", template])).trim();
  const [from, commitId, changeId] = [
    await log("main@origin", "commit_id"),
    await log(branch, "commit_id"),
    await log(branch, "change_id"),
  ];
  await own.terminal(["new"]);
  const journal = openJournal(
    join(repositoryStateFolder(state, own.repository.root), "journal.sqlite"),
    Date.now,
  );
  journal.addRun("run-1", {
    ...{ goal: "Keep users. Fixes #9", orchestrators: null, maxTokens: null, maxMicroDollars: null },
    ...{ onto: null, rehearsal: null, model: "claude-sonnet-5", attempts: 1, isQuick: true, isWatch: false },
    ...{ root: "O-A-1", models: {}, efforts: {}, attachments: [] },
    issue: { number: 7, url: `https://${forge}.test/acme/widgets/issues/7`, title: "Users vanish" },
  });
  journal.setConfig("run-1", defaultConfig);
  const move = { branch, from, commitId, changeId, workers: {} };
  journal.addEvent("run-1", { kind: "BranchMoveStarted", move });
  journal.addEvent("run-1", { kind: "ResultLanded", move });
  journal.close();
  return own;
}

test.each(standIns)(
  "hox pull-request previews, pushes and opens a draft on $kind, and updates its own part",
  async (kind) => {
    const { world, running } = await forgeFixture(kind);
    const state = join(tempDir(), "state");
    const own = await landedRun(running.cloneUrl, state, kind.kind);
    const env = {
      ...{ HOX_STATE: state, GH_HOST: running.host, GH_ENTERPRISE_TOKEN: ownToken },
      ...{ GITLAB_HOST: running.host, GITLAB_TOKEN: ownToken },
    };
    const hox = (...args: readonly string[]) =>
      hoxInProcess(["pull-request", ...args], { folder: own.repository.root, env });

    const asked = await hox("--closes-issue");
    expect(asked).toMatchObject({ code: exitCode.waits, stderr: expect.stringContaining("--yes") });
    expect(asked.stdout).toContain("acme/widgets: keep-users → main\nTitle: Users vanish\n");
    expect(asked.stdout).toMatch(/│ Closes #7\./u);
    expect(asked.stdout).toMatch(/bookmark: keep-users/u);
    expect(world.tip("keep-users")).toBeNull();
    expect(world.pullRequests).toEqual([]);

    const opened = await hox("--yes", "--closes-issue");
    expect([opened.code, opened.stderr]).toEqual([exitCode.done, ""]);
    expect(opened.stdout).toContain("Opened #1");
    const [pull] = world.pullRequests;
    expect(pull).toMatchObject({ title: "Users vanish", head: "keep-users", base: "main", isDraft: true });
    expect(world.git("log", "-1", "--format=%s", "keep-users")).toBe("Keep users");
    expect(pull?.text).not.toMatch(/#9|@alice/u);

    // A user writes around Hox's part, and edits the title.
    if (pull) Object.assign(pull, { title: "Mine", text: `Read this first\n${pull.text}` });
    const updated = await hox("--yes");
    expect(updated.stdout).toContain("You edited its title");
    expect(updated.stdout).toContain("Updated #1");
    expect(world.pullRequests).toHaveLength(1);
    expect(pull?.title).toBe("Mine");
    expect(pull?.text).toMatch(/^Read this first\n<!-- hox:begin[\s\S]*For #7\.[\s\S]*<!-- hox:end -->$/u);

    // Somebody merges it right after it was updated again.
    const { touch } = world;
    world.touch = (one) => {
      world.touch = touch;
      touch(one);
      setImmediate(() => world.merge(Object.assign(one, { isDraft: false }), "squash", null));
    };
    const followed = await hox("--yes", "--follow");
    expect([followed.code, followed.stderr]).toEqual([exitCode.done, ""]);
    expect(followed.stdout).toMatch(/Following it.*\n#1 was merged as [0-9a-f]{12}\.$/u);
    expect((await hox("--base", "keep-users")).stderr).toContain("where the pull request would go to");
  },
);
