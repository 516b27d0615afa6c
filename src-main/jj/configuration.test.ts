import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import type { TestRepository } from "./testing/create-test-repository.ts";
import { createTestRepository } from "./testing/create-test-repository.ts";

let test: TestRepository;
afterEach(() => test.remove());

// Everything here is allowed in a user's configuration, and each line hangs, fails or garbles a naive caller.
const hostile = `
[ui]
color = "always"
paginate = "auto"
pager = ["sleep", "600"]
editor = ["sleep", "600"]
diff-editor = ["sleep", "600"]
merge-editor = ["sleep", "600"]
diff-formatter = ["sleep", "600"]
log-word-wrap = true
show-cryptographic-signatures = true
conflict-marker-style = "git"
default-command = ["nonsense"]
[signing]
behavior = "force"
backend = "gpg"
key = "nobody"
[signing.backends.gpg]
program = "/nonexistent/gpg"
[fsmonitor]
backend = "watchman"
[snapshot]
auto-track = "none()"
max-new-file-size = "1B"
auto-update-stale = true
[diff.git]
show-path-prefix = false
context = 0
[templates]
commit_summary = '"what " ++ description'
log = '"nothing\\n"'
op_log = '"nothing\\n"'
[git]
colocate = false
[aliases]
l = ["log", "-r", "none()"]
[revset-aliases]
"mine_too()" = "mine()"
`;

it("a configuration that would hang or garble a command is survived, and the user's own settings apply", async () => {
  test = await createTestRepository({ files: { "a.txt": "1\n2\n3\n4\n5\n" } });
  const { repository, folder, configure } = test;
  await configure(hostile);
  await mkdir(join(folder, "workspaces"));
  const made = await repository.newChange({
    parents: ["@-"],
    description: `a long line ${"word ".repeat(60)}\n\nHox-Status: open\n`,
    files: { "a.txt": "1\n2\nthree\n4\n5\n" },
  });
  await repository.setMetadata([{ change: made.changeId, patch: { priority: "high" } }]);
  const [change] = await repository.query(`${made.changeId} & mine_too()`);
  expect(change).toMatchObject({
    metadata: { status: "open", priority: "high" },
    author: { name: "Test", email: "test@example.org" },
  });
  const diff = await repository.diff({ commit: change?.commitId ?? "" });
  expect(diff.split("\n").slice(0, 1)).toEqual(["diff --git a/a.txt b/a.txt"]);
  expect(diff).toContain(" 2\n-3\n+three\n 4\n");
  const { workspace } = await repository.addWorkspace({
    name: "agent-1",
    folder: join(folder, "workspaces", "agent-1"),
    change: made.changeId,
  });
  await writeFile(join(workspace.folder, "new.txt"), "more than one byte\n");
  const { commitId } = await workspace.snapshot();
  expect(await repository.changedFiles(commitId)).toEqual([{ path: "new.txt", kind: "added" }]);
  await repository.insertAfter(change?.parents[0] ?? "", {
    description: "decision\n",
    files: { "a.txt": "1\n2\ndrei\n4\n5\n" },
  });
  await workspace.updateStale();
  const conflict = Buffer.from(await repository.readFile(made.changeId, "a.txt")).toString("utf8");
  expect(conflict).toContain("%%%%%%%");
  await repository.rebase({ source: made.changeId, onto: ["root()"] });
  expect((await repository.operations({ limit: 3 })).length).toBe(3);
  await repository.removeWorkspace(workspace);
});

it("an error in the user's configuration is reported with its location", async () => {
  test = await createTestRepository();
  await test.configure("[ui\n");
  await expect(test.repository.readGraph()).rejects.toMatchObject({
    kind: "config",
    stderr: expect.stringContaining("config.toml"),
  });
  await test.configure("");
});
