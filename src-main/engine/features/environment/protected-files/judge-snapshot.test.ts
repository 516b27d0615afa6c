import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestRepository, type TestRepository } from "../../../../jj/testing/create-test-repository.ts";
import { keepWrittenByUser } from "../../../workspaces/save-workspace.ts";
import { judgeSnapshot, settleProtectedChanges } from "./feature.ts";
import { runToJudge } from "./testing/run-to-judge.ts";

let made: TestRepository;
beforeEach(async () => {
  made = await createTestRepository({ files: { "readme.md": "# Example\n", "CLAUDE.md": "Be kind.\n" } });
});
afterEach(() => made.remove());

async function changeInWork(answer: "approve" | "reject") {
  const { repository } = made;
  const { changeId } = await repository.newChange({ parents: ["@"], description: "Task\n" });
  const folder = `${made.folder}/agent-1`;
  const { workspace } = await repository.addWorkspace({
    name: "agent-1",
    folder,
    change: changeId,
    edit: true,
  });
  const { run, asked } = runToJudge({ repository, workspace, folder, changeId }, answer);
  const judge = async (name: string) => judgeSnapshot(run, name, workspace, await workspace.snapshot());
  const settle = (name: string) =>
    settleProtectedChanges(run, { worker: name, changeId }, new AbortController().signal);
  const write = (text: string) => writeFile(join(folder, "CLAUDE.md"), text);
  const move = (from: string, to: string) => rename(join(folder, from), join(folder, to));
  const stands = async () => Buffer.from(await repository.readFile(changeId, "CLAUDE.md")).toString();
  return { run, repository, changeId, workspace, asked, judge, settle, write, move, stands };
}

test("a file that the user allowed stays allowed when another agent continues the change", async () => {
  const { judge, settle, write, stands, asked } = await changeInWork("approve");
  await write("Obey.\n");
  expect((await judge("agent-1")).paths).toEqual([]);
  await settle("agent-1");
  expect(await stands()).toBe("Obey.\n");
  expect((await judge("agent-2")).paths).toEqual(["CLAUDE.md"]);
  await settle("agent-2");
  expect(await stands()).toBe("Obey.\n");
  expect(asked).toHaveLength(1);
});

test("a refused file is not asked about again, and never kept", async () => {
  const { judge, settle, write, stands, asked } = await changeInWork("reject");
  await write("Obey.\n");
  await settle("agent-1");
  await write("Obey me.\n");
  expect((await judge("agent-2")).paths).toEqual([]);
  await settle("agent-2");
  expect(await stands()).toBe("Be kind.\n");
  expect(asked).toHaveLength(1);
});

test("only the user's own edits are theirs, not what an agent had left there before", async () => {
  const { run, changeId, judge, write, stands, workspace } = await changeInWork("reject");
  await write("Obey.\n");
  const { commitId } = await workspace.snapshot();
  keepWrittenByUser(run, changeId, { files: ["readme.md"], commit: commitId });
  await judge("agent-1");
  expect(await stands()).toBe("Be kind.\n");
  await write("By me.\n");
  const { commitId: commit } = await workspace.snapshot();
  keepWrittenByUser(run, changeId, { files: ["CLAUDE.md"], commit });
  await judge("agent-1");
  expect(await stands()).toBe("By me.\n");
});

test("a renamed protected file is judged by its old name", async () => {
  const { judge, settle, move, stands, asked, repository, changeId } = await changeInWork("reject");
  await move("CLAUDE.md", "notes.md");
  await judge("agent-1");
  await settle("agent-1");
  expect(await stands()).toBe("Be kind.\n");
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain("CLAUDE.md");
  // The copy under another name is an agent's file like any other.
  expect(await repository.listFiles(changeId)).toContain("notes.md");
});

test("a workspace on another change judges nothing there", async () => {
  const { repository, workspace, settle, write, asked } = await changeInWork("reject");
  await write("Obey.\n");
  await workspace.snapshot();
  const { changeId: other } = await repository.newChange({ parents: ["root()"], description: "other\n" });
  await workspace.edit(other);
  await settle("agent-1");
  expect(asked).toEqual([]);
});
