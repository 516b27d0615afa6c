import { spawn } from "node:child_process";
import { chmodSync, existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { toolPath } from "../../config/tools.ts";
import { eventually } from "../../testing/kit.ts";
import { openRepository } from "../open.ts";
import type { Repository } from "../ports/repository-interface.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";
import { runningProcesses, waitForOrphans } from "./orphan-processes.ts";
import { createJj } from "./process.ts";

let repo: TestRepository;
let opened: Repository | null = null;
beforeEach(async () => {
  repo = await createTestRepository();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await opened?.close();
  opened = null;
  await repo.remove();
});

/** jj with something done to its process, `$$`, while it is about to write: the first so many times. */
function jjThat(does: string, times: number): void {
  const count = join(repo.folder, "count");
  const program = join(repo.folder, "jj");
  writeFileSync(count, "");
  writeFileSync(
    program,
    `#!/bin/sh
case "$*" in *hox.write=*" $JJ_TEST_COMMAND "*)
  if [ "$(wc -c < '${count}')" -lt ${times} ]; then
    printf x >> '${count}'
    ${does}
  fi
esac
exec '${toolPath("jj")}' "$@"
`,
  );
  chmodSync(program, 0o755);
  vi.stubEnv("HOX_JJ", program);
}
const descriptions = () =>
  repo.terminal(["log", "--no-graph", "-r", "::@", "-T", 'description.first_line() ++ ";"']);

test("a jj killed before it has written is retried, and its write exists once", async () => {
  jjThat("kill -KILL $$", 1);
  vi.stubEnv("JJ_TEST_COMMAND", "describe");
  opened = await openRepository(repo.repository.root);
  const { described } = await opened.describe("@", "written after all");
  expect(described).toBe(true);
  expect(await descriptions()).toBe("written after all;first;;");
});

test("a jj killed after it has written is not retried", async () => {
  jjThat(`'${toolPath("jj")}' "$@"; kill -KILL $$`, 1);
  vi.stubEnv("JJ_TEST_COMMAND", "new");
  opened = await openRepository(repo.repository.root);
  await opened.newChange({ parents: ["@"], description: "only once" });
  const found = await repo.terminal([
    "log",
    "--no-graph",
    "-r",
    'description(substring:"only once")',
    "-T",
    '"x"',
  ]);
  expect(found).toBe("x");
});

test("a jj that is killed each time is reported by name, and the queue continues", async () => {
  jjThat("kill -KILL $$", 3);
  vi.stubEnv("JJ_TEST_COMMAND", "describe");
  opened = await openRepository(repo.repository.root);
  await expect(opened.describe("@", "never")).rejects.toMatchObject({
    kind: "killed",
    message: expect.stringContaining("SIGKILL"),
    remedy: expect.stringContaining("memory"),
  });
  await opened.describe("@", "the next");
  expect(await descriptions()).toBe("the next;first;;");
});

test("a stopped jj ends at its time limit, which is reported, and the queue continues", async () => {
  jjThat("kill -STOP $$", 1);
  const jj = createJj({ timeoutMs: 500 });
  vi.stubEnv("JJ_TEST_COMMAND", "describe");
  const cwd = repo.repository.root;
  const args = ["--config=hox.write=stopped", "-R", cwd, "describe", "-m", "stopped", "-r", "@"];
  const begun = performance.now();
  await expect(jj.run({ args, cwd })).rejects.toMatchObject({
    kind: "timeout",
    message: expect.stringMatching(/describe.*0\.5 s/u),
  });
  // Not at the limit of a jj whose caller sets none.
  expect(performance.now() - begun).toBeLessThan(60_000);
  expect((await runningProcesses()).filter(({ command }) => command.includes(`-R ${cwd} describe`))).toEqual(
    [],
  );
  // This one is not stopped, and may take its time.
  vi.stubEnv("JJ_TEST_COMMAND", "none");
  await createJj().run({ args, cwd });
  expect(await descriptions()).toBe("stopped;first;;");
});

test("a jj that was stopped before its host was killed does not block the next start for ever", async () => {
  const { root } = repo.repository;
  const orphan = spawn(
    "sh",
    ["-c", "kill -STOP $$; :", "sh", "--config", "hox.write=orphan", "-R", root, "new"],
    {
      stdio: "ignore",
    },
  );
  const ended = new Promise((resolve) => orphan.once("exit", (_, signal) => resolve(signal)));
  await eventually(async () => {
    const { stdout } = await execa("ps", ["-o", "stat=", "-p", String(orphan.pid)]);
    expect(stdout, "it is stopped").toMatch(/^T/u);
  });
  await waitForOrphans([root], { patienceMs: 200 });
  expect(await ended).toBe("SIGKILL");
});

test("a missing folder is reported, and not a missing jj", async () => {
  const { root } = repo.repository;
  const elsewhere = join(repo.folder, "elsewhere");
  renameSync(root, elsewhere);
  try {
    for (const call of [
      () => repo.repository.query("@"),
      () => repo.repository.describe("@", "nowhere"),
      () => repo.repository.currentOperation(),
    ])
      await expect(call()).rejects.toMatchObject({
        kind: "folder-gone",
        message: expect.stringContaining(root),
        remedy: expect.stringMatching(/moved/u),
      });
    expect(existsSync(root)).toBe(false);
  } finally {
    renameSync(elsewhere, root);
  }
  await repo.repository.describe("@", "back again");
  expect(await descriptions()).toBe("back again;first;;");
});

test("a jj killed between the snapshot and its command is retried for the command", async () => {
  const { root } = repo.repository;
  jjThat(`'${toolPath("jj")}' "$1" "$2" -R '${root}' util snapshot; kill -KILL $$`, 1);
  vi.stubEnv("JJ_TEST_COMMAND", "rebase");
  await repo.terminal(["new", "--no-edit", "-m", "beside", "root()"]);
  await repo.write("unsaved.txt", "unsaved\n");
  opened = await openRepository(root);
  await opened.rebase({ revisions: "@", onto: ['description(substring:"beside")'] });
  expect(await descriptions()).toBe(";beside;;");
  expect(await repo.terminal(["file", "show", "unsaved.txt"])).toBe("unsaved");
});

test("a lock of a killed git or jj is reported with the remedy, and once it is gone work continues", async () => {
  const lock = join(repo.repository.root, ".git", "index.lock");
  writeFileSync(lock, "");
  await repo.write("new.txt", "text\n");
  const write = () => repo.repository.newChange({ parents: ["@"], description: "x" });
  await expect(write()).rejects.toMatchObject({
    kind: "concurrent",
    remedy: expect.stringMatching(new RegExp(`${lock}.*delete that file`, "u")),
  });
  rmSync(lock);
  await write();
  expect(await repo.terminal(["log", "--no-graph", "-r", 'description("x\n")', "-T", '"x"'])).toBe("x");
});
