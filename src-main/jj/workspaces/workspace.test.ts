import { access, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkoutName } from "#shared/domain/change-metadata/address.ts";
import type { Workspace } from "../ports/working-copies.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";

let test: TestRepository;
afterEach(() => test.remove());

/** Workspaces of agents on tasks above one base. */
async function agentsAbove(
  base: string,
  count: number,
): Promise<readonly (Workspace & { change: string })[]> {
  const { repository, folder } = test;
  const agents = [];
  for (let index = 1; index <= count; index++) {
    const task = await repository.newChange({ parents: [base], description: `task ${index}\n` });
    const name = `agent-${index}`;
    const { workspace } = await repository.addWorkspace({
      name,
      folder: join(folder, "workspaces", name),
      change: task.changeId,
      edit: true,
      actor: name,
    });
    agents.push({ ...workspace, change: task.changeId });
  }
  return agents;
}

async function prepared(files?: Record<string, string>) {
  test = await createTestRepository(files ? { files } : {});
  await mkdir(join(test.folder, "workspaces"));
  return { ...test, base: (await test.repository.query("@-"))[0]?.changeId ?? "" };
}

describe("workspaces", () => {
  it("have the files of their commit until it is rewritten, and are forgotten together", async () => {
    const { repository, base } = await prepared();
    const agents = await agentsAbove(base, 3);
    const [agent] = agents;
    if (!agent) throw new Error("no agent");
    expect(await agent.freshCommit()).toBeNull();
    await writeFile(join(agent.folder, "work.txt"), "done\n");
    expect(await agent.freshCommit()).toBeNull();
    const { commitId } = await agent.snapshot();
    expect(await agent.freshCommit()).toBe(commitId);
    await repository.describe(agent.change, "another description\n");
    const described = (await repository.query(agent.change))[0]?.commitId;
    expect(await agent.freshCommit()).toBe(described);
    await repository.insertAfter(base, { description: "below\n", files: { "below.txt": "below\n" } });
    expect(await agent.freshCommit()).toBeNull();
    expect(await agent.updateStale()).toMatchObject({ updated: true });
    const rewritten = (await repository.query(agent.change))[0]?.commitId ?? "";
    expect(await agent.freshCommit()).toBe(rewritten);
    const before = repository.processCount();
    expect(await agent.updateStale()).toMatchObject({ updated: false });
    expect(await repository.changedPaths(rewritten)).toEqual(["work.txt"]);
    expect(repository.processCount()).toBe(before);
    for (const one of agents) await one.updateStale();
    const forgotten = repository.processCount();
    await Promise.all(agents.map((one) => repository.removeWorkspace(one)));
    expect(repository.processCount() - forgotten).toBe(agents.length + 1);
    expect(Object.keys((await repository.readGraph()).refs.workspaces)).toEqual(["default"]);
  });

  it("work on the very change, record files, and are removed without loss", async () => {
    const { repository, base } = await prepared();
    const [agent] = await agentsAbove(base, 1);
    if (!agent) throw new Error("no agent");
    // jj writes the command down in the second of the two operations only.
    const made = (await repository.operations()).filter(({ description }) => description.includes("agent-1"));
    expect(made.map(({ description, actor }) => `${actor}: ${description}`)).toEqual([
      expect.stringContaining("agent-1: create initial working-copy commit"),
      expect.stringContaining("agent-1: add workspace"),
    ]);
    expect((await agent.workingCopy()).changeId).toBe(agent.change);
    expect(await agent.snapshot()).toMatchObject({ hasChanged: false });
    await writeFile(join(agent.folder, "work.txt"), "done\n");
    const recorded = await agent.snapshot({ actor: "agent-1", request: "step-1" });
    expect(recorded.hasChanged).toBe(true);
    expect(await repository.changedFiles(recorded.commitId)).toEqual([{ path: "work.txt", kind: "added" }]);
    expect((await repository.operations({ limit: 1 }))[0]).toMatchObject({
      id: recorded.operation,
      snapshot: true,
      workspace: "agent-1",
      actor: "agent-1",
      request: "step-1",
    });
    expect((await repository.readGraph()).refs.workspaces["agent-1"]).toBe(recorded.commitId);
    await writeFile(join(agent.folder, "last.txt"), "words\n");
    await repository.removeWorkspace(agent);
    await expect(access(agent.folder)).rejects.toThrow();
    expect(Object.keys((await repository.readGraph()).refs.workspaces)).toEqual(["default"]);
    expect(await repository.listFiles((await repository.query(agent.change))[0]?.commitId ?? "")).toContain(
      "last.txt",
    );
    // Removing what is gone already is no mistake; removing the opened folder is.
    await repository.removeWorkspace(agent);
    await expect(
      repository.removeWorkspace(repository.workspace("default", repository.root)),
    ).rejects.toMatchObject({ kind: "no-such-workspace" });
  });

  it("are made by one process that others wait for, once jj has made the first", async () => {
    const { repository, base } = await prepared({ "a.txt": "one\n", "src/b.txt": "two\n" });
    await agentsAbove(base, 1);
    const task = await repository.newChange({ parents: [base], description: "task\n" });
    const before = repository.processCount();
    const asked = { name: "agent-2", folder: join(test.folder, "workspaces", "agent-2"), actor: "agent-2" };
    const { workspace } = await repository.addWorkspace({ ...asked, change: task.changeId, edit: true });
    // The other one writes its files.
    expect(repository.processCount() - before).toBe(2);
    expect((await repository.operations({ limit: 1 }))[0]).toMatchObject({
      actor: "agent-2",
      workspace: "agent-2",
    });
    expect(await readFile(join(workspace.folder, "src", "b.txt"), "utf8")).toBe("two\n");
    await writeFile(join(workspace.folder, "work.txt"), "done\n");
    expect(await workspace.snapshot()).toMatchObject({ changeId: task.changeId, paths: ["work.txt"] });
    await repository.removeWorkspace(workspace);
    expect(Object.keys((await repository.readGraph()).refs.workspaces)).toEqual(["agent-1", "default"]);
    // Its change is gone: nothing of it is left, and the next one is made.
    await repository.abandon(task.changeId);
    await expect(
      repository.addWorkspace({ ...asked, change: task.changeId, edit: true }),
    ).rejects.toMatchObject({ kind: "no-such-revision" });
    await expect(access(asked.folder)).rejects.toThrow();
    const next = await repository.newChange({ parents: [base], description: "next\n" });
    const made = await repository.addWorkspace({ ...asked, change: next.changeId, edit: true });
    expect((await made.workspace.workingCopy()).changeId).toBe(next.changeId);
  });

  it("are made by jj where their name is taken", async () => {
    const { repository, base, folder } = await prepared();
    const [, agent] = await agentsAbove(base, 2);
    if (!agent) throw new Error("no agent");
    await writeFile(join(agent.folder, "work.txt"), "done\n");
    const { commitId } = await agent.snapshot();
    const elsewhere = join(folder, "workspaces", "elsewhere");
    await expect(
      repository.addWorkspace({ name: agent.name, folder: elsewhere, change: agent.change, edit: true }),
    ).rejects.toMatchObject({ kind: "workspace-exists" });
    expect((await repository.query(agent.change)).map((one) => one.commitId)).toEqual([commitId]);
  });

  it("report the diff of what they record, so that reading it costs no process", async () => {
    const { repository, base } = await prepared({ "a.txt": "one\n" });
    const [one, two, three] = await agentsAbove(base, 3);
    if (!one || !two || !three) throw new Error("no agents");
    let rounds = 0;
    const read = async (agent: typeof one, files: Record<string, string | Uint8Array>) => {
      for (const [path, content] of Object.entries(files)) await writeFile(join(agent.folder, path), content);
      const { commitId, paths } = await agent.describe(agent.change, `round ${++rounds}\n`);
      const before = repository.processCount();
      const diff = await repository.diff({ commit: commitId });
      const processes = repository.processCount() - before;
      // Of some paths it is always read.
      expect(diff).toBe(await repository.diff({ commit: commitId, paths: ["."] }));
      return { diff, processes, paths };
    };
    const text = 'two "quoted" \\n\r\n\u001b[31mred\u001b[0m 💡\n';
    expect(await read(one, { "a.txt": text, "b.txt": "no line end" })).toMatchObject({
      processes: 0,
      paths: ["a.txt", "b.txt"],
      diff: expect.stringContaining(`+${text.split("\n")[1]}\n`),
    });
    expect(await read(one, { "c\nd.txt": "c\n" })).toMatchObject({
      processes: 1,
      paths: ["a.txt", "b.txt", "c\nd.txt"],
      diff: expect.stringContaining(String.raw`"b/c\nd.txt"`),
    });
    expect(await read(two, { "b.txt": Buffer.from("caf\xe9\n", "latin1") })).toMatchObject({
      processes: 1,
      paths: ["b.txt"],
    });
    // What was too long once is not read in advance again: other writes would wait for it.
    expect(await read(three, { "b.txt": "💡".repeat(13_000) })).toMatchObject({ processes: 1 });
    expect(await read(three, { "b.txt": "short\n" })).toMatchObject({ processes: 1, paths: ["b.txt"] });
  });

  it("keep what jj refuses to record", async () => {
    const { repository, base } = await prepared();
    const [agent] = await agentsAbove(base, 1);
    if (!agent) throw new Error("no agent");
    await writeFile(join(agent.folder, "huge.bin"), Buffer.alloc(65 * 1024 * 1024));
    await expect(repository.removeWorkspace(agent)).rejects.toMatchObject({
      kind: "unsaved-files",
      message: expect.stringContaining("huge.bin"),
    });
    expect((await agent.snapshot()).unsnapshotted).toEqual(["huge.bin"]);
    await rm(join(agent.folder, "huge.bin"));
    // A repository inside the folder is invisible to jj; one that is ignored may go.
    await writeFile(join(agent.folder, ".gitignore"), "ignored\n");
    for (const name of ["ignored", "own work"]) {
      await mkdir(join(agent.folder, name, ".git"), { recursive: true });
      await writeFile(join(agent.folder, name, "file"), "x\n");
    }
    await expect(repository.removeWorkspace(agent)).rejects.toMatchObject({
      kind: "unsaved-files",
      message: expect.stringMatching(/untracked files: own work$/),
    });
    await access(join(agent.folder, "own work", "file"));
    await rm(join(agent.folder, "own work"), { recursive: true });
    await repository.removeWorkspace(agent);
  });

  it("survive a decision below three of them: no edit lost, the contradiction marked", async () => {
    const { repository, base } = await prepared({ "api.ts": "user_id: int\n", "other.ts": "other\n" });
    const agents = await agentsAbove(base, 3);
    for (const [index, agent] of agents.entries()) {
      await writeFile(join(agent.folder, `own-${index}.txt`), `unsaved ${index}\n`);
      if (index === 1) await writeFile(join(agent.folder, "api.ts"), "user_id: string\n");
    }
    for (const agent of agents) await agent.snapshot();
    const decision = await repository.insertAfter(base, {
      description: "user_id is a uuid\n\nHox-Kind: mutation\n",
      files: { "api.ts": "user_id: uuid\n" },
      actor: "O-A-1",
    });
    // One more edit after the rewrite, before the agent's files were brought up.
    await writeFile(join(agents[0]?.folder ?? "", "late.txt"), "late\n");
    for (const agent of agents) expect(await agent.updateStale()).toMatchObject({ updated: true });
    for (const agent of agents) expect(await agent.updateStale()).toMatchObject({ updated: false });
    for (const [index, agent] of agents.entries()) {
      expect(await readFile(join(agent.folder, `own-${index}.txt`), "utf8")).toBe(`unsaved ${index}\n`);
      await agent.snapshot();
      const own = await agent.workingCopy();
      expect(own).toMatchObject({ changeId: agent.change, conflict: index === 1, divergent: false });
      expect(await repository.query(`${decision.changeId}::${agent.change}`)).toHaveLength(2);
      expect(await repository.listFiles(own.commitId)).toContain(`own-${index}.txt`);
    }
    expect(await readFile(join(agents[0]?.folder ?? "", "late.txt"), "utf8")).toBe("late\n");
    expect(await repository.listFiles((await agents[0]?.workingCopy())?.commitId ?? "")).toContain(
      "late.txt",
    );
    expect(await readFile(join(agents[1]?.folder ?? "", "api.ts"), "utf8")).toContain("<<<<<<<");
    expect(await readFile(join(agents[2]?.folder ?? "", "api.ts"), "utf8")).toBe("user_id: uuid\n");
    const conflicted = await repository.conflictedFiles(agents[1]?.change ?? "");
    expect(conflicted).toEqual([{ path: "api.ts", sides: 2 }]);
    await writeFile(join(agents[1]?.folder ?? "", "api.ts"), "user_id: uuid\n");
    await agents[1]?.snapshot();
    expect(await repository.query("conflicts()")).toEqual([]);
  });

  it("are recorded in the background without a change to their files, and not at all when stale", async () => {
    const { repository, base } = await prepared({ "api.ts": "user_id: int\n" });
    const [agent] = await agentsAbove(base, 1);
    if (!agent) throw new Error("no agent");
    await writeFile(join(agent.folder, "own.txt"), "first\n");
    const before = repository.processCount();
    expect(await agent.snapshotInBackground({ actor: "agent-1", isWanted: () => false })).toBeNull();
    expect(repository.processCount()).toBe(before);
    expect(await agent.snapshotInBackground({ actor: "agent-1", isWanted: () => true })).toMatchObject({
      changeId: agent.change,
      hasChanged: true,
      paths: ["own.txt"],
    });
    expect(repository.processCount()).toBe(before + 1);
    await repository.insertAfter(base, { description: "decided\n", files: { "api.ts": "user_id: uuid\n" } });
    await writeFile(join(agent.folder, "own.txt"), "second\n");
    const rewritten = await repository.currentOperation();
    expect(await agent.snapshotInBackground({ isWanted: () => true })).toBeNull();
    expect(await repository.currentOperation()).toBe(rewritten);
    expect(await readFile(join(agent.folder, "api.ts"), "utf8")).toBe("user_id: int\n");
    await agent.updateStale();
    expect(await readFile(join(agent.folder, "api.ts"), "utf8")).toBe("user_id: uuid\n");
    expect(await readFile(join(agent.folder, "own.txt"), "utf8")).toBe("second\n");
  });

  it("let one agent's operations be undone and keep the other's", async () => {
    const { repository, base } = await prepared();
    const [first, second] = await agentsAbove(base, 2);
    if (!first || !second) throw new Error("no agents");
    const since = await repository.currentOperation();
    for (let step = 1; step <= 3; step++) {
      await writeFile(join(first.folder, `first-${step}.txt`), `${step}\n`);
      await writeFile(join(second.folder, `second-${step}.txt`), `${step}\n`);
      await first.snapshot({ actor: "agent-1" });
      await second.snapshot({ actor: "agent-2" });
    }
    const operations = await repository.operations({ since });
    expect(operations).toHaveLength(6);
    for (const { id } of operations.filter(({ actor }) => actor === "agent-1"))
      await repository.revertOperation(id, { actor: "hox" });
    await first.updateStale();
    expect((await repository.listFiles(first.change)).filter((path) => path.startsWith("first"))).toEqual([]);
    await expect(access(join(first.folder, "first-3.txt"))).rejects.toThrow();
    expect(
      (await repository.listFiles(second.change)).filter((path) => path.startsWith("second")),
    ).toHaveLength(3);
    expect(await second.snapshot()).toMatchObject({ hasChanged: false });
  });

  it("work eight at once through the queue: no divergence, nothing to reconcile", {
    tags: ["long"],
    timeout: 300_000,
  }, async () => {
    const { repository, base, terminal } = await prepared();
    const agents = await agentsAbove(base, 8);
    await Promise.all(
      agents.map(async (agent, index) => {
        for (let step = 1; step <= 10; step++) {
          await writeFile(join(agent.folder, "step.txt"), `${step}\n`);
          await Promise.all([
            repository.describe(agent.change, `task ${index}, step ${step}\n`, { actor: agent.name }),
            agent.snapshot({ actor: agent.name }),
          ]);
        }
      }),
    );
    expect(await repository.query("divergent()")).toEqual([]);
    for (const [index, agent] of agents.entries())
      expect((await agent.workingCopy()).description).toBe(`task ${index}, step 10\n`);
    const log = await terminal(["op", "log", "--no-graph", "-T", 'description ++ "\\n"']);
    expect(log).not.toContain("reconcile");
  });

  it("that exist only to write a commit's files leave no row on the graph", async () => {
    const { repository, folder } = await prepared();
    const [commit] = await repository.query("@-");
    const before = await repository.readGraph();
    const shown = before.changes.map((change) => change.commitId);
    const name = checkoutName(commit?.commitId ?? "", "run");
    const { workspace } = await repository.addWorkspace({
      name,
      folder: join(folder, "workspaces", name),
      change: commit?.commitId ?? "",
      actor: "hox",
    });
    const during = await repository.readGraph();
    expect(during.changes.map((change) => change.commitId)).toEqual(shown);
    // Whoever removes what a crash left behind finds it by its name.
    expect(during.refs.workspaces[name]).toMatch(/^[0-9a-f]{40}$/u);
    expect((await repository.readDelta(before.operation, during.operation)).added).toEqual([]);
    await repository.removeWorkspace(workspace, { actor: "hox" });
    const after = await repository.readGraph();
    expect(after.changes.map((change) => change.commitId)).toEqual(shown);
    expect((await repository.readDelta(during.operation, after.operation)).added).toEqual([]);
  });
});
