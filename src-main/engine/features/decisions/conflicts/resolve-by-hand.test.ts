import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ConflictPart, conflictParts, textOfTerm } from "#shared/domain/conflict/conflict.ts";
import { conflictMark } from "../../../../jj/read/read-conflict.ts";
import { worker } from "../../../testing/read-run.ts";
import { createFixture, type Fixture } from "../../../testing/run-fixture.ts";
import { neverDone, patientFiles, threeAgents } from "../../../testing/three-agents-script.ts";

let fixture: Fixture | null = null;

const conflictOf = async (one: Fixture, changeId: string, path: string) => {
  const [change] = await one.repo.repository.commitsNamed(changeId);
  const content = await one.repo.repository.readConflict(change?.commitId ?? "", path);
  return { seen: conflictMark(content), parts: conflictParts(Buffer.from(content).toString("utf8")) };
};

test("a conflict is resolved in place by a text or by a side, descendants follow, and it can be undone", async () => {
  fixture = await createFixture();
  const one = fixture;
  const { root } = one;
  const { terminal } = one.repo;
  const write = (path: string, text: string | Uint8Array) => writeFile(join(root, path), text);
  const binary = (nth: number) => new Uint8Array([0, 1, nth]);
  await terminal(["new", "main", "-m", "left"]);
  await write("x.txt", "a\nleft\nc\n");
  await write("b.bin", binary(1));
  await terminal(["new", "main", "-m", "right"]);
  await write("x.txt", "a\nright\nc\n");
  await write("b.bin", binary(2));
  await terminal(["new", 'description(glob:"left*")', 'description(glob:"right*")', "-m", "both"]);
  await terminal(["new", "-m", "above"]);
  await write("y.txt", "half typed\n");
  const [both] = await one.repo.repository.query('description(glob:"both*")');
  const changeId = both?.changeId ?? "";

  const { seen, parts } = await conflictOf(one, changeId, "x.txt");
  expect([0, 2].map((nth) => textOfTerm(parts, nth))).toEqual(["a\nleft\nc\n", "a\nright\nc\n"]);
  const as = { kind: "text", text: "a\nleft and right\nc\n" } as const;
  const settle = { changeId, path: "x.txt", seen, as };
  await expect(one.execute("change.resolveConflict", { ...settle, seen: "0" })).rejects.toMatchObject({
    message: expect.stringContaining("changed while you were resolving it"),
  });
  const { isResolved, operation } = await one.execute("change.resolveConflict", settle);
  expect(isResolved).toBe(true);
  expect(await terminal(["file", "show", "-r", "@", "x.txt"])).toBe("a\nleft and right\nc");
  expect(await readFile(join(root, "x.txt"), "utf8"), "the folder that a user has open follows").toBe(
    "a\nleft and right\nc\n",
  );
  expect(await readFile(join(root, "y.txt"), "utf8")).toBe("half typed\n");
  await expect(one.execute("change.resolveConflict", settle)).rejects.toMatchObject({
    remedy: "It has no conflict anymore.",
  });

  const [left] = await one.repo.repository.query('description(glob:"left*")');
  const binaries = await conflictOf(one, changeId, "b.bin");
  const taken = await one.execute("change.resolveConflict", {
    changeId,
    path: "b.bin",
    seen: binaries.seen,
    as: { kind: "commit", commit: left?.commitId ?? "" },
  });
  expect(new Uint8Array(await readFile(join(root, "b.bin")))).toEqual(binary(1));
  expect(await terminal(["log", "--no-graph", "-r", `${changeId} & conflicts()`, "-T", "commit_id"])).toBe(
    "",
  );

  const opened = await one.execute("operation.undo", { operation });
  expect((await conflictOf(one, changeId, "x.txt")).seen).toBe(seen);
  // A side that was taken whole is still called by the name of who brought it when that is taken back.
  await one.execute("operation.undo", { operation: taken.operation });
  const namesOf = ({ parts }: { readonly parts: readonly ConflictPart[] }) =>
    parts.flatMap((part) => (part.kind === "conflict" ? part.terms.map(({ label }) => label) : []));
  const again = await conflictOf(one, changeId, "b.bin");
  expect(again.seen).toBe(binaries.seen);
  expect(namesOf(again)).toEqual(namesOf(binaries));
  expect(namesOf(again)[0]).toContain('"left"');
  expect(await one.execute("operation.undo", { operation })).toMatchObject({
    kind: "refused",
    why: "x.txt has changed since it was resolved.",
    at: { changeId, title: "both" },
  });
  // Undone, the undoing resolves it again.
  if (opened.kind !== "undone") throw new Error("It was refused.");
  await one.execute("operation.undo", { operation: opened.operation });
  expect(await terminal(["file", "show", "-r", "@", "x.txt"])).toBe("a\nleft and right\nc");
}, 300_000);

test("an agent on the change is told of the resolution, gets the file, and its mark is removed", async () => {
  fixture = await createFixture({
    files: patientFiles,
    script: { ...threeAgents, routes: { ...threeAgents.routes, "agent-3": neverDone } },
  });
  const one = fixture;
  const path = "src/view.txt";
  await one.start();
  await one.until((run) => (worker(run, "agent-3")?.iteration ?? 0) > 0);
  await one.execute("run.pauseWorker", { worker: "agent-3" });
  const paused = await one.until((run) => worker(run, "agent-3")?.activity === "paused by you");
  const { changeId, workspace } = worker(paused, "agent-3") ?? {};
  const { terminal } = one.repo;
  const other = join(one.repo.folder, "other");
  const base = await terminal(["log", "--no-graph", "-r", `${changeId}-`, "-T", "change_id"]);
  await terminal(["workspace", "add", "-r", base, "-m", "another view", other]);
  await writeFile(join(other, path), "another view\n");
  await terminal(["util", "snapshot"], { cwd: other });
  await terminal(["rebase", "-s", changeId ?? "", "-o", 'description(glob:"another view*")']);
  await one.until((run) => worker(run, "agent-3")?.conflict === "merge");

  const text = "one view\n";
  const { seen } = await conflictOf(one, changeId ?? "", path);
  const done = await one.execute("change.resolveConflict", {
    changeId: changeId ?? "",
    path,
    seen,
    as: { kind: "text", text },
  });
  expect(done.isResolved).toBe(true);
  await one.until((run) => worker(run, "agent-3")?.conflict === "none");
  expect(await readFile(join(workspace ?? "", path), "utf8")).toBe(text);
  expect(one.engine.state().messages.find((message) => message.from === "user")?.text).toBe(
    `I resolved the conflict in ${path} by hand. Continue from its current content.`,
  );
  const rows = await one.execute("run.conversation", { run: paused.id, worker: "agent-3" });
  expect(rows.at(-1)).toMatchObject({ kind: "notice", text: `You resolved the conflict in ${path}.` });
}, 300_000);
