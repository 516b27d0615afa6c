import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lockRepository } from "../../api/repository-lock.ts";
import { repositoryStateFolder } from "../../config/state-folder.ts";
import { toolPath } from "../../config/tools.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";

let folder: string;
let own: TestRepository;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hox-cli-undo-")));
  own = await createTestRepository();
});
afterAll(async () => {
  await own.remove();
  await rm(folder, { recursive: true, force: true });
});

const hox = (args: readonly string[], cwd: string) =>
  hoxInProcess(args, { folder: cwd, env: { HOX_STATE: join(folder, "state") } });
const jj = async (root: string, args: readonly string[]) =>
  (
    await execa(toolPath("jj"), ["--no-pager", "--color=never", "--ignore-working-copy", ...args], {
      cwd: root,
    })
  ).stdout;
const json = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("undo without a run is refused", async () => {
  const { code, stderr } = await hox(["undo", "agent-1"], own.repository.root);
  expect([code, stderr]).toEqual([exitCode.error, expect.stringContaining("No run")]);
  expect((await hox(["undo"], own.repository.root)).code).toBe(exitCode.usage);
});

test("one agent of a waiting run is undone in a terminal; the run resumes and lands", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const begun = await hox(["run", "--rehearsal", "profiles", "--json", "--approve", "plan"], folder);
  expect(begun.code).toBe(exitCode.waits);
  const root = String(json(begun.stdout)[0]?.path);
  const status = async () => JSON.parse((await hox(["status", "--json"], root)).stdout);
  const worker = async (name: string) =>
    (await status()).run.workers.find((one: { name: string }) => one.name === name);
  const others = `description(regex:"(?m)^Hox-Kind: (task|message)$") ~ ${(await worker("agent-1")).changeId}`;
  const template = 'commit_id ++ " " ++ description';
  const before = await jj(root, ["log", "--no-graph", "-r", others, "-T", template]);

  const asked = await hox(["undo", "agent-1"], root);
  expect(asked.code).toBe(exitCode.waits);
  expect(asked.stdout).toContain("unchanged: agent-2, agent-3");
  expect(asked.stderr).toContain("--yes");
  const answer = lockRepository(repositoryStateFolder(join(folder, "state"), root));
  const refused = await hox(["undo", "agent-1", "--yes"], root);
  expect(refused.stderr).toContain(`process ${process.pid}`);
  if (answer.isAcquired) answer.lock.release();
  expect((await hox(["undo", "agent-7", "--yes"], root)).stderr).toContain("agent-1, agent-2, agent-3");

  const { changeId } = await worker("agent-1");
  const undone = await hox(["undo", "agent-1", "--yes", "--json"], root);
  expect(undone).toMatchObject({ code: exitCode.done, stderr: "" });
  expect(json(undone.stdout)).toMatchObject([
    { kind: "preview", worker: "agent-1", refusal: null },
    { kind: "undone", changeId },
  ]);
  expect(await jj(root, ["diff", "--name-only", "-r", changeId])).toBe("");
  expect(await jj(root, ["log", "--no-graph", "-r", others, "-T", template])).toBe(before);
  expect(await worker("agent-1")).toMatchObject({ status: "open", held: false });

  const gates = ["--approve", "plan,questions,mutations,patterns,land"];
  const ended = await hox(["run", "--rehearsal", "profiles", "--repo", root, "--json", ...gates], folder);
  expect(ended.code, ended.stderr).toBe(exitCode.done);
  const late = await hox(["undo", "agent-1", "--yes"], root);
  expect([late.code, late.stderr]).toEqual([exitCode.error, expect.stringContaining("integration")]);
});
