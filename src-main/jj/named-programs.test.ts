/** What a repository that somebody sent names in its settings is started by nothing that only looks. */

import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { folderView } from "../api/folders.ts";
import { toolPath } from "../config/tools.ts";
import { inspectTools } from "../doctor/doctor.ts";
import { scanRepository } from "../engine/features/planning/planning/repository-scan.ts";
import { tempDir } from "../testing/kit.ts";
import { initInGitRepository } from "./init.ts";
import { openRepository } from "./open.ts";
import { locateStore } from "./process/op-heads.ts";
import { nestedRepositories } from "./workspaces/unsnapshotted-files.ts";

let folder: string;
let root: string;
let trap: string;

const git = (...args: string[]) =>
  execa(toolPath("git"), ["-c", "user.name=T", "-c", "user.email=t@example.org", ...args], { cwd: root });

/** What has been started so far, with the environment that it saw. */
const started = (): Promise<string> => readFile(join(folder, "started"), "utf8").catch(() => "");

beforeEach(async () => {
  folder = tempDir();
  root = join(folder, "repository");
  trap = join(folder, "trap");
  await writeFile(join(folder, "jj.toml"), '[user]\nname = "Test"\nemail = "test@example.org"\n');
  vi.stubEnv("JJ_CONFIG", join(folder, "jj.toml"));
  vi.stubEnv("XDG_CONFIG_HOME", join(folder, "config"));
  vi.stubEnv("ANTHROPIC_API_KEY", "sk-ant-canary-0123456789");
  await mkdir(root);
  await git("init", "--quiet", "-b", "main");
  await writeFile(join(root, "a.txt"), "one\n");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "first");
  await git("init", "--quiet", "--bare", join(folder, "remote"));
  await writeFile(
    trap,
    `#!/bin/sh\necho "started: $0 $*" >> ${folder}/started\nenv >> ${folder}/started\ncat\n`,
  );
  await chmod(trap, 0o755);
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** Every program that Git's settings may name, in this repository's own and in a file that it includes. */
async function plantInGit(): Promise<void> {
  const hooks = join(folder, "hooks");
  await mkdir(hooks);
  for (const hook of ["post-index-change", "reference-transaction", "post-checkout", "pre-push"]) {
    await writeFile(join(hooks, hook), `#!/bin/sh\n${trap} ${hook} < /dev/null\n`);
    await chmod(join(hooks, hook), 0o755);
  }
  await writeFile(
    join(root, ".git", "included"),
    `[filter "planted"]\n\tclean = ${trap} clean\n\tsmudge = ${trap} smudge\n[core]\n\tfsmonitor = ${trap} monitor\n`,
  );
  const settings: Record<string, string> = {
    "include.path": join(root, ".git", "included"),
    "core.fsmonitor": `${trap} monitor`,
    "core.hooksPath": hooks,
    "core.sshCommand": `${trap} ssh`,
    "core.pager": `${trap} pager`,
    "core.editor": `${trap} editor`,
    "core.askPass": `${trap} ask`,
    "credential.helper": `!${trap} credential`,
    "diff.external": `${trap} diff`,
    "diff.planted.textconv": `${trap} textconv`,
    "pager.rev-parse": `${trap} pager`,
    "alias.rev-parse": `!${trap} alias`,
    "gpg.program": trap,
    "commit.gpgSign": "true",
    "remote.origin.url": join(folder, "remote"),
    "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    "remote.origin.receivepack": `${trap} receive`,
    "remote.origin.uploadpack": `${trap} upload`,
    "remote.origin.promisor": "true",
  };
  for (const [name, value] of Object.entries(settings)) await git("config", name, value);
  await writeFile(join(root, ".gitattributes"), "* filter=planted diff=planted\n");
  // As long as before and with another time: only the filter could tell whether it is another content.
  await writeFile(join(root, "a.txt"), "two\n");
}

test("the trap works: git's own look at the files would start the filter, with the key", async () => {
  await plantInGit();
  await git("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "status", "--porcelain");
  expect(await started()).toContain("trap clean");
  expect(await started()).toContain("canary");
});

test("a look, an init, an open, a scan and a push start nothing from Git's settings", async () => {
  await plantInGit();
  vi.spyOn(process, "cwd").mockReturnValue(root);
  expect(await folderView(root)).toEqual({ kind: "git", root, canAdopt: true, reason: null });
  expect(await started()).toBe("");

  await initInGitRepository(root);
  expect(await folderView(root)).toEqual({ kind: "jj", root });
  const repository = await openRepository(root);
  try {
    const graph = await repository.readGraph();
    expect(graph.refs.bookmarks.main).toHaveLength(1);
    const commit = graph.refs.bookmarks.main?.[0] ?? "";
    await scanRepository(repository, commit);
    expect(await repository.diff({ commit })).toContain("+one");
    const preview = await repository.previewPush("main");
    expect(preview).toMatchObject({ remote: "origin", moves: [/main/] });
    await mkdir(join(root, "nested", ".git"), { recursive: true });
    expect(await nestedRepositories(root, await locateStore(root))).toEqual(["nested"]);
    await repository.newChange({ parents: [commit], description: "on top\n" });
    await inspectTools("linux");
    const quiet = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];
    await git(...quiet, "notes", "--ref=hox", "add", "-m", "Hox-Kind: task", commit);
    for (const push of [() => repository.push("main", preview.moves), () => repository.pushNotes("origin")])
      await expect(push()).rejects.toThrow("remote.origin.receivepack");
    for (const name of ["receivepack", "uploadpack"]) await git("config", "--unset", `remote.origin.${name}`);
    await repository.push("main", preview.moves);
    await repository.pushNotes("origin");
  } finally {
    await repository.close();
  }
  expect(await started()).toBe("");
  const { stdout: notes } = await git("--git-dir", join(folder, "remote"), "notes", "--ref=hox", "list");
  expect(notes).not.toBe("");
  const { stdout } = await git("--git-dir", join(folder, "remote"), "log", "--format=%s", "main");
  expect(stdout).toBe("first");
});

test("a landing starts only the user's own filters, and git-lfs without the repository's settings", async () => {
  const lfs = join(folder, "git-lfs");
  const heard = join(folder, "heard");
  await writeFile(
    lfs,
    `#!/bin/sh\n{ pwd; ls -A; git config --list; env; git rev-parse --git-dir; } >> ${heard} 2>&1\nls -L "$(git rev-parse --git-dir)/lfs" >> ${heard}\nexec cat\n`,
  );
  await chmod(lfs, 0o755);
  const program = (name: string) => `sh -c 'echo ${name} >> ${folder}/own; cat'`;
  await writeFile(
    join(folder, "gitconfig"),
    `[user]\nname = T\nemail = t@example.org\n[filter "own"]\nsmudge = "${program("own")}"\n[filter "lfs"]\nsmudge = ${lfs}\n`,
  );
  vi.stubEnv("GIT_CONFIG_GLOBAL", join(folder, "gitconfig"));
  await writeFile(join(root, "before.txt"), "before\n");
  await git("add", ".");
  await git("commit", "--quiet", "-m", "second");
  await initInGitRepository(root);
  await plantInGit();
  await mkdir(join(folder, "elsewhere"));
  for (const [key, value] of Object.entries({
    "core.worktree": join(folder, "elsewhere"),
    "filter.own.smudge": `${trap} own`,
    "filter.own.clean": `${trap} own`,
    "filter.lfs.smudge": `${trap} lfs`,
    "filter.a=b.smudge": `${trap} equals`,
    "filter.a=b.clean": `${trap} equals`,
    "hook.planted.command": `${trap} hook`,
    "hook.planted.event": "reference-transaction",
    "lfs.url": "http://127.0.0.1:1/canary-url",
    "lfs.customtransfer.planted.path": trap,
    "http.proxy": "http://127.0.0.1:1/canary-proxy",
  }))
    await git("config", key, value);
  await writeFile(join(root, "a.txt"), "one\n");
  const repository = await openRepository(root);
  try {
    const [from = ""] = (await repository.readGraph()).refs.bookmarks.main ?? [];
    const { commitId } = await repository.newChange({
      parents: ["main"],
      description: "work\n",
      files: {
        ".gitattributes": "own.txt filter=own\nlfs.txt filter=lfs\nequals.txt filter=a=b\n",
        ".lfsconfig": "[lfs]\n\turl = http://127.0.0.1:1/canary-url\n",
        "own.txt": "own\n",
        "lfs.txt": "lfs\n",
        "equals.txt": "equals\n",
      },
    });
    await rm(join(root, ".gitattributes"));
    await repository.moveBranch({ branch: "main", from, to: commitId });
  } finally {
    await repository.close();
  }
  expect(await started()).toBe("");
  for (const name of ["own", "lfs", "equals"])
    expect(await readFile(join(root, `${name}.txt`), "utf8")).toBe(`${name}\n`);
  // Both filters of the user's ran.
  expect(await readFile(join(folder, "own"), "utf8")).toBe("own\n");
  const received = await readFile(heard, "utf8");
  expect(received).toContain(`GIT_DIR=`);
  for (const word of ["canary-", trap, root, "lfsconfig", "planted"]) expect(received).not.toContain(word);
});

test("jj settings of the folder start nothing either, and a push starts our git", async () => {
  await git("config", "remote.origin.url", join(folder, "remote"));
  await git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*");
  await initInGitRepository(root);
  const program = JSON.stringify([trap, "jj"]);
  // jj moves this into the user's own folder and takes it for theirs.
  await writeFile(
    join(root, ".jj", "repo", "config.toml"),
    `[git]\nexecutable-path = "${trap}"
[ui]\neditor = ${program}\ndiff-formatter = ${program}\ndiff-editor = ${program}\nmerge-editor = ${program}\npager = ${program}
[fsmonitor]\nbackend = "watchman"
[signing]\nbehavior = "own"\nbackend = "gpg"\nbackends.gpg.program = "${trap}"
[revset-aliases]\n'planted()' = 'root()'
[merge-tools.planted]\nprogram = "${trap}"
`,
  );
  const repository = await openRepository(root);
  try {
    // Proof that jj reads the file at all.
    expect(await repository.query("planted()")).toHaveLength(1);
    const [commit = ""] = (await repository.readGraph()).refs.bookmarks.main ?? [];
    await repository.diff({ commit });
    const { changeId } = await repository.newChange({ parents: [commit], description: "on top\n" });
    await repository.describe(changeId, "other words\n");
    await repository.setBookmark("main", changeId);
    const { moves } = await repository.previewPush("main");
    expect(await started()).toBe("");
    await repository.push("main", moves);
  } finally {
    await repository.close();
  }
  expect(await started()).toBe("");
  const { stdout } = await git("--git-dir", join(folder, "remote"), "log", "--format=%s", "main");
  expect(stdout).toContain("other words");
});

test("jj gets no key, and only the push gets the token that the user names", async () => {
  const seen = join(folder, "seen");
  const watched = join(folder, "watched-jj");
  await writeFile(watched, `#!/bin/sh\necho "$*" >> ${seen}\nenv >> ${seen}\nexec ${toolPath("jj")} "$@"\n`);
  await chmod(watched, 0o755);
  vi.stubEnv("HOX_JJ", watched);
  vi.stubEnv("HOX_PUSH_ENV", "GH_TOKEN");
  vi.stubEnv("GH_TOKEN", "gh-canary-for-the-push");
  vi.stubEnv("SSH_AUTH_SOCK", "/run/agent-of-the-user");
  await git("config", "remote.origin.url", join(folder, "remote"));
  await initInGitRepository(root);
  const repository = await openRepository(root);
  try {
    const { moves } = await repository.previewPush("main");
    const looking = await readFile(seen, "utf8");
    expect(looking).toContain("git push --bookmark");
    for (const secret of ["sk-ant-canary", "gh-canary", "agent-of-the-user"])
      expect(looking).not.toContain(secret);
    await repository.push("main", moves);
    const pushing = (await readFile(seen, "utf8")).slice(looking.length);
    expect(pushing).toContain("GH_TOKEN=gh-canary-for-the-push");
    expect(pushing).toContain("agent-of-the-user");
    expect(pushing).not.toContain("sk-ant-canary");
  } finally {
    await repository.close();
  }
});
