import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { toolPath } from "../../config/tools.ts";
import { tempDir } from "../../testing/kit.ts";
import { createOwnWrites } from "../graph-memory/own-writes.ts";
import { JjError } from "../process/errors.ts";
import { locateStore } from "../process/op-heads.ts";
import { createJj, type Jj } from "../process/process.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";
import { createQueue } from "../write/queue.ts";
import { createFillWorkspace } from "./fill-workspace.ts";

let test: TestRepository;
afterEach(async () => {
  vi.unstubAllEnvs();
  await test.remove();
});

async function prepared(files: Record<string, string>) {
  test = await createTestRepository({ files });
  await mkdir(join(test.folder, "workspaces"));
  const base = (await test.repository.query("@-"))[0]?.changeId ?? "";
  const task = await test.repository.newChange({ parents: [base], description: "task\n" });
  return { ...test, base, change: task.changeId, at: join(test.folder, "workspaces", "agent-1") };
}

/** What fills workspaces, and one without files that a terminal has made. */
async function withEmptyWorkspace(around: (jj: Jj) => Jj = (jj) => jj) {
  const made = await prepared({ "a.txt": "a\n", "src/b.txt": "b\n" });
  const { root } = made.repository;
  const jj = around(createJj());
  const store = await locateStore(root);
  const fill = createFillWorkspace({
    jj,
    root,
    store,
    queue: createQueue(jj, store, createOwnWrites(store)),
  });
  const add = ["workspace", "add", "--no-colocate", "--sparse-patterns", "empty", "--name", "agent-1"];
  await made.terminal([...add, "-r", made.change, "--", made.at]);
  await made.terminal(["edit", made.change], { cwd: made.at });
  return { ...made, fill: () => fill(made.at, { actor: "agent-1" }) };
}

const listed = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name !== ".jj").sort();

it("others write while the files of a workspace are being written", async () => {
  const folder = tempDir();
  const [program, go] = [join(folder, "jj"), join(folder, "go")];
  const waits = `case "$*" in *" sparse set "*) until [ -e '${go}' ]; do sleep 0.05; done ;; esac`;
  await writeFile(program, `#!/bin/sh\n${waits}\nexec '${toolPath("jj")}' "$@"\n`);
  await chmod(program, 0o755);
  vi.stubEnv("HOX_JJ", program);
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [`src/${at % 30}/${at}.txt`, `${at}\n`]),
  );
  const { repository, base, change, at } = await prepared(files);
  const order: string[] = [];
  const all = Promise.all([
    repository
      .addWorkspace({ name: "agent-1", folder: at, change, edit: true, actor: "agent-1" })
      .then(() => order.push("its files are there")),
    repository.describe(base, "meanwhile\n").then(async () => {
      order.push("another has written");
      await writeFile(go, "");
    }),
  ]);
  await repository.idle();
  order.push("nothing is being written");
  await all;
  expect(order).toEqual(["another has written", "its files are there", "nothing is being written"]);
  expect(await repository.workspace("agent-1", at).snapshot()).toMatchObject({ hasChanged: false });
  expect(await readdir(join(at, "src"))).toHaveLength(30);
});

it("an agent has the user's sparse patterns, as they are when it starts", async () => {
  const { repository, terminal, base, change, at } = await prepared({ "a.txt": "a\n", "src/b.txt": "b\n" });
  await terminal(["sparse", "set", "--clear", "--add", "src"]);
  await repository.addWorkspace({ name: "agent-1", folder: at, change, edit: true, actor: "agent-1" });
  expect(await listed(at)).toEqual(["src"]);
  await terminal(["sparse", "reset"]);
  await repository.addWorkspace({ name: "agent-2", folder: `${at}-2`, change: base, actor: "agent-2" });
  expect(await listed(`${at}-2`)).toEqual(["a.txt", "src"]);
});

it("a workspace whose change was rewritten before it had files gets the current ones", async () => {
  const { repository, base, at, fill } = await withEmptyWorkspace();
  await repository.insertAfter(base, { description: "decision\n", files: { "decided.txt": "so\n" } });
  await fill();
  expect(await listed(at)).toEqual(["a.txt", "decided.txt", "src"]);
  expect(await repository.workspace("agent-1", at).snapshot()).toMatchObject({ hasChanged: false });
});

it("a file partly written by a killed jj is no edit of the agent", async () => {
  const { repository, at, fill } = await withEmptyWorkspace((jj) => {
    let isKilled = false;
    return {
      ...jj,
      async run(call) {
        if (isKilled || !call.args.includes("--clear")) return jj.run(call);
        isKilled = true;
        await writeFile(join(call.cwd, "a.txt"), "");
        throw new JjError({
          kind: "killed",
          message: "jj sparse was killed by SIGKILL before it finished.",
        });
      },
    };
  });
  await fill();
  expect(await readFile(join(at, "a.txt"), "utf8")).toBe("a\n");
  expect(await repository.workspace("agent-1", at).snapshot()).toMatchObject({ hasChanged: false });
});

it("a workspace whose host died before it was full is removed, and leaves no edit behind", async () => {
  const { repository, change, at } = await withEmptyWorkspace();
  await writeFile(join(at, "a.txt"), "half of wh");
  await repository.removeWorkspace(repository.workspace("agent-1", at), { actor: "agent-1" });
  const [task, ...others] = await repository.query(change);
  expect(others).toEqual([]);
  expect(await repository.changedFiles(task?.commitId ?? "")).toEqual([]);
  const { workspace } = await repository.addWorkspace({ name: "agent-1", folder: at, change, edit: true });
  expect(await readFile(join(at, "a.txt"), "utf8")).toBe("a\n");
  expect(await workspace.snapshot()).toMatchObject({ hasChanged: false, changeId: task?.changeId });
});
