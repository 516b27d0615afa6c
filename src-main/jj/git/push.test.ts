import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTestRepository } from "../testing/create-test-repository.ts";

test("a branch is pushed to the remote that is named, and fetched from it, though there is an origin", async () => {
  const { repository, terminal, folder, remove } = await createTestRepository({ isUnique: true });
  onTestFinished(remove);
  const git = (...args: readonly string[]) => terminal(["util", "exec", "--", "git", ...args]);
  for (const name of ["origin", "upstream"]) {
    await git("init", "--quiet", "--bare", join(folder, name));
    await terminal(["git", "remote", "add", name, join(folder, name)]);
  }
  const { changeId } = await repository.newChange({ parents: ["@-"], description: "Keep users\n" });
  await terminal(["bookmark", "set", "users", "-r", changeId]);
  const { moves, remote } = await repository.previewPush("users", "upstream");
  expect(remote).toBe("upstream");
  await repository.push("users", moves, { remote: "upstream" });
  const branchesAt = (name: string) => git("-C", join(folder, name), "branch", "--list");
  expect(await branchesAt("upstream")).toContain("users");
  expect(await branchesAt("origin")).toBe("");
  expect(await repository.fetchBranch("users", { remote: "upstream" })).toEqual({ remote: "upstream" });
  expect((await repository.previewPush("users", "upstream")).moves).toEqual([]);
});
