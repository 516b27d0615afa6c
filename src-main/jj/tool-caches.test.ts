import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "./testing/create-test-repository.ts";

let made: TestRepository;
beforeEach(async () => {
  made = await createTestRepository({
    files: { "readme.md": "# Example\n", "tests/fixtures/.coverage": "tracked since ever\n" },
  });
});
afterEach(() => made.remove());

test("tools' caches are in no change, even if not ignored; tracked ones stay tracked", async () => {
  const { repository } = made;
  const folder = join(made.folder, "agent-1");
  const { changeId } = await repository.newChange({ parents: ["@-"], description: "Task\n" });
  const { workspace } = await repository.addWorkspace({
    name: "agent-1",
    folder,
    change: changeId,
    edit: true,
  });
  for (const path of [
    ...[
      ".pytest_cache/v/cache/lastfailed",
      "src/__pycache__/a.cpython-312.pyc",
      "target/debug/deps/a.d",
      ".coverage",
    ],
    ...[
      "node_modules/pad/index.js",
      "src/one.egg-info/PKG-INFO",
      "web/a.tsbuildinfo",
      "a/b/c/.mypy_cache/x.json",
    ],
    ...[
      "src/a.py",
      "target/readme.md",
      "tests/fixtures/node_modules/pad/index.js",
      "tests/fixtures/.coverage",
    ],
  ]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), "changed\n");
  }
  expect([...(await workspace.snapshot()).paths].sort()).toEqual([
    "src/a.py",
    "target/readme.md",
    "tests/fixtures/.coverage",
    "tests/fixtures/node_modules/pad/index.js",
  ]);
  // The folder goes without a question: nobody's work is in it.
  await repository.removeWorkspace(workspace);
});
