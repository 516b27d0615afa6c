import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkoutName } from "#shared/domain/change-metadata/address.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { createTestRepository } from "../../jj/testing/create-test-repository.ts";
import { freshCheckouts } from "./checkout.ts";
import { createGitViews } from "./git-views.ts";

test("a checkout is made even if the last one was interrupted, and leaves no workspace behind", async () => {
  const repo = await createTestRepository({ files: { "a.txt": "of the commit\n" } });
  const { repository, folder } = repo;
  try {
    const [{ commitId } = { commitId: "" }] = await repository.query("@-");
    const stateFolder = join(folder, "state");
    const host = {
      id: "run",
      runEnded: new AbortController(),
      appendTranscript: () => undefined,
      repository,
      stateFolder,
      gitViews: createGitViews({ repository, stateFolder, emit: () => undefined, base: () => null }),
    };
    const pristine = join(stateFolder, "checkouts", "run", commitId.slice(0, 16), "pristine");
    const left = join(folder, "left");
    await repository.addWorkspace({ name: checkoutName(commitId, "run"), folder: left, change: commitId });
    await removeTree(left);
    const places = await freshCheckouts(host, commitId, {
      prepare: async (files) => expect(files).not.toBe(pristine),
    });
    const checkout = await places.checkout();
    expect(readFileSync(join(checkout.folder, "a.txt"), "utf8")).toBe("of the commit\n");
    expect(Object.keys((await repository.readGraph()).refs.workspaces)).toEqual(["default"]);
    await checkout.remove();
    await places.remove();
  } finally {
    await repo.remove();
  }
});
