/** Metadata of landed changes in Git notes, with a real jj and a real Git. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { noteBlock } from "#shared/domain/change-metadata/change-note.ts";
import { translateRevset } from "#shared/domain/revset/revset.ts";
import { toolPath } from "../../config/tools.ts";
import { openRepository } from "../open.ts";
import type { Repository } from "../ports/repository-interface.ts";
import { createTestRepository, type TestRepository } from "../testing/create-test-repository.ts";
import { createNotes } from "./notes.ts";

let repo: TestRepository;
beforeEach(async () => {
  repo = await createTestRepository();
});
afterEach(() => repo.remove());

const run = promisify(execFile);
const git = async (...args: readonly string[]): Promise<string> =>
  (
    await run(toolPath("git"), ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", ...args], {
      cwd: repo.repository.root,
    })
  ).stdout.trim();

async function found(repository: Repository, revset: string): Promise<readonly string[]> {
  const translated = translateRevset(revset, await repository.notes());
  if (!translated.ok) throw new Error(translated.error.message);
  const changes = await repository.query(translated.revset);
  return changes.map(({ description }) => description.split("\n")[0] ?? "").sort();
}

const words = (agent: string, metrics = "") =>
  `\n\nHox-Kind: task\nHox-Status: done\nHox-Run: r-1\nHox-Orchestrator: O-A-1\nHox-Agent: ${agent}\n${metrics}`;
const figures = 'Hox-Metrics: {"failures": 4, "score": 0.910}\n';

/** A series as a run leaves it: a decision without files, two tasks and the result. */
async function land(history: "changes" | "one") {
  const { repository } = repo;
  const [base] = await repository.query("@-");
  const onto = base?.commitId ?? "";
  const make = async (parent: string, description: string, files: Record<string, string> = {}) =>
    (await repository.newChange({ parents: [parent], description, files })).changeId;
  const described = await make(
    onto,
    "Use cents\n\nHox-Kind: mutation\nHox-Run: r-1\nHox-Msg-Type: mutation\n",
  );
  const one = await make(described, `Write one${words("agent-1", figures)}`, { "one.ts": "1\n" });
  const two = await make(one, `Write two${words("agent-2")}`, { "two.ts": "2\n" });
  const result = await make(two, `Both\n\nHox-Kind: integration\nHox-Run: r-1\n`, { "both.ts": "3\n" });
  const series = await repository.changesSince(onto, result);
  const own = series.toReversed();
  const blockOf = (change: (typeof own)[number]) => noteBlock(change.changeId, change.description);
  const bare = (text: string) => `${text.split("\n")[0]}\n`;
  const landed = await repository.landingSeries(
    history === "changes"
      ? {
          kind: "changes",
          result,
          descriptions: own.map(({ changeId, description }) => ({
            changeId,
            description: bare(description),
          })),
          dispensable: own.map(({ changeId }) => changeId),
          notes: own.map((change) => ({ of: change.changeId, block: blockOf(change) })),
        }
      : {
          kind: "copies",
          result: series[0]?.commitId ?? "",
          onto,
          commits: [],
          rest: () => "All of it\n",
          notes: series.map((change) => ({ of: change.commitId, block: blockOf(change) })),
        },
  );
  await repository.moveBranch({ branch: "main", from: null, to: landed.commitId });
  return { ...landed, one, two, described };
}

describe("notes of commits that landed unchanged", () => {
  it("answer every query that trailers answered, with clean messages", async () => {
    const { repository } = repo;
    const before = await repository.currentOperation();
    const { one } = await land("changes");
    expect(await git("log", "--format=%B", "main")).not.toContain("Hox-");
    expect(await found(repository, "agent(agent-1)")).toEqual(["Write one"]);
    expect(await found(repository, "kind(task) & status(done)")).toEqual(["Write one", "Write two"]);
    expect(await found(repository, "orchestrator(O-A-1) & run(r-1)")).toEqual(["Write one", "Write two"]);
    // The decision held no file and did not land itself: the commit above it answers for it.
    expect(await found(repository, "msg_type(mutation) & ::main")).toEqual(["Write one"]);
    expect(await found(repository, "metrics(failures>3) & score(>0.9)")).toEqual(["Write one"]);
    expect(await found(repository, "metrics(failures>4) | agent(agent-3)")).toEqual([]);
    // The window reads the graph and what differs.
    const { changes } = await repository.readGraph();
    expect(changes.find(({ changeId }) => changeId === one)?.metadata).toMatchObject({ agent: "agent-1" });
    const { added } = await repository.readPublishedDelta(before, await repository.currentOperation());
    expect(added.find(({ changeId }) => changeId === one)?.metadata).toMatchObject({ status: "done" });
  });

  it("follow a commit that jj or Git rewrites, and yield to its new description", async () => {
    const { repository } = repo;
    const { one } = await land("changes");
    // Git keeps jj's header when it amends, and copies notes when it rebases.
    await git("checkout", "--quiet", "main");
    await git("commit", "--quiet", "--amend", "-m", "Both, amended");
    await repository.importGit();
    expect(await found(repository, "kind(integration) & main")).toEqual(["Both, amended"]);
    await git("commit", "--quiet", "--amend", "--no-edit", "--author", "Bea <bea@example.org>");
    await git("rebase", "--quiet", "--force-rebase", "HEAD~1");
    await repository.importGit();
    expect(await git("cat-file", "-p", "HEAD")).not.toContain("change-id");
    expect(await found(repository, "kind(integration) & main")).toEqual(["Both, amended"]);

    await repo.terminal(["describe", "--ignore-immutable", "-r", one, "-m", "Write it better"]);
    expect(await found(repository, "agent(agent-1)")).toEqual(["Write it better"]);
    await repository.setMetadata([{ change: one, patch: { status: "open" } }]);
    expect(await found(repository, "status(done)")).toEqual(["Write two"]);
    expect(await repository.query(one)).toMatchObject([{ metadata: { status: "open", agent: "agent-1" } }]);
  });

  it("keep others' edits, also concurrent ones", async () => {
    const { repository } = repo;
    const { commitId, changeId } = await land("changes");
    const text = await git("notes", "--ref=hox", "show", commitId);
    await git(
      ...["notes", "--ref=hox", "add", "-f", "-m", `${text.replace("integration", "base")}\nSee #12`],
      commitId,
    );
    const ours = noteBlock(changeId, "Both\n\nHox-Kind: integration\nHox-Agent: agent-8\n");
    const other = createNotes(repository.root);
    const [first = ""] = (await git("rev-list", "--max-parents=0", "main")).split("\n");
    await Promise.all([
      createNotes(repository.root).write([{ commitId, landedAs: changeId, blocks: [ours] }], null),
      other.write([{ commitId: first, landedAs: "k".repeat(32), blocks: ["Hox-Agent: agent-9"] }], null),
      git("notes", "--ref=review", "add", "-m", "mine", commitId),
    ]);
    const after = await git("notes", "--ref=hox", "show", commitId);
    expect(after).toContain("Hox-Kind: base");
    expect(after).toContain("See #12");
    expect(after).toContain("Hox-Agent: agent-8");
    expect(await found(repository, "agent(agent-9)")).toEqual(["first"]);
    expect(await found(repository, "agent(agent-8) & kind(base)")).toEqual(["Both"]);

    // Packed refs are read as well, and notes that are gone leave a graph without them.
    await git("pack-refs", "--all");
    expect((await repository.notes()).byCommit.size).toBe(4);
    await git("update-ref", "-d", "refs/notes/hox");
    expect(await found(repository, "agent(agent-1)")).toEqual([]);
  });
});

describe("notes of one commit for several changes", () => {
  it("answer for each of its changes, also in a fresh clone, and are merged when both sides have new ones", async () => {
    const { one, commitId } = await land("one");
    const remote = join(repo.folder, "remote.git");
    const clone = join(repo.folder, "clone");
    await git("clone", "--quiet", "--bare", repo.repository.root, remote);
    await git("remote", "add", "origin", remote);
    expect(await repo.repository.previewPush("main")).toMatchObject({ notes: 1 });
    await repo.repository.pushNotes("origin");
    expect(await repo.repository.previewPush("main")).toMatchObject({ notes: 0 });
    await repo.terminal(["git", "clone", "--quiet", "--colocate", remote, clone]);
    const inClone = (...args: readonly string[]) => git("-C", clone, ...args);
    await inClone("fetch", "--quiet", "origin", "refs/notes/hox:refs/notes/hox");
    const fresh = await openRepository(clone);
    try {
      for (const revset of ["agent(agent-1)", "agent(agent-2)", "msg_type(mutation)", "metrics(failures>3)"])
        expect(await found(fresh, revset), revset).toEqual(["All of it"]);
      expect(await found(fresh, "kind(integration) & status(done)")).toEqual(["All of it"]);
      const { byCommit } = await fresh.notes();
      const [note] = byCommit.values();
      expect(note?.blocks.map(({ changeId }) => changeId)).toContain(one);
      await inClone("notes", "--ref=hox", "append", "-m", "Hox-Agent: theirs", commitId);
      await inClone("push", "--quiet", "origin", "refs/notes/hox");
      await git("notes", "--ref=hox", "append", "-m", "Hox-Agent: ours", commitId);
      await git("notes", "--ref=hox", "add", "-m", "Hox-Agent: ours", `${commitId}~`);
      await repo.repository.pushNotes("origin");
      await inClone("fetch", "--quiet", "origin", "refs/notes/hox:refs/notes/hox");
      expect(await found(fresh, "agent(theirs) & agent(agent-2)")).toEqual(["All of it"]);
      expect(await found(fresh, "agent(ours)")).toEqual(["All of it", "first"]);
    } finally {
      await fresh.close();
    }
  });
});

describe("a long revset", () => {
  it("names more commits than one argument can hold", async () => {
    const { repository } = repo;
    await land("changes");
    const notes = await repository.notes();
    const many = new Map(notes.byCommit);
    for (let n = 0; n < 4_000; n++) {
      const commitId = n.toString(16).padStart(40, "f");
      many.set(commitId, { commitId, text: "Hox-Agent: agent-1\n", landedAs: null, blocks: [] });
    }
    const translated = translateRevset("agent(agent-1)", { ...notes, byCommit: many });
    if (!translated.ok) throw new Error(translated.error.message);
    expect(translated.revset.length).toBeGreaterThan(131_072);
    expect((await repository.query(translated.revset)).map(({ metadata }) => metadata.agent)).toEqual([
      "agent-1",
    ]);
  });
});
