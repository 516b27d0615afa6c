import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AttemptComparison } from "#shared/contract/commands/worker.ts";
import { exitCode } from "../command-line.ts";
import { hoxInProcess } from "../testing/in-process.ts";
import { conversationTurn } from "./attempts.ts";

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "hox-cli-attempts-")));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const hox = (args: readonly string[], cwd: string) =>
  hoxInProcess(args, { folder: cwd, env: { HOX_STATE: join(folder, "state") } });

test("a turn is given as iteration and number; anything else prints the format", () => {
  expect(conversationTurn("2.13")).toEqual({ iteration: 2, turn: 13 });
  for (const wrong of ["2", "0.1", "2.", "a.b", "2.3.4"])
    expect(() => conversationTurn(wrong)).toThrow(/is not a turn/);
});

test("every task of a run is tried twice; in a terminal one is chosen, the choice undone, and a turn forked", {
  tags: ["long"],
  timeout: 300_000,
}, async () => {
  const begun = await hox(
    [
      "run",
      "--rehearsal",
      "profiles",
      "--attempts",
      "2",
      "--json",
      "--approve",
      "plan,questions,mutations,merge_requests",
    ],
    folder,
  );
  expect(begun.code, begun.stderr).toBe(exitCode.waits);
  const root = String(
    begun.stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>)[0]?.path,
  );
  const compared = async (...args: readonly string[]) =>
    (
      JSON.parse((await hox(["attempts", ...args, "--json"], root)).stdout) as {
        tasks: readonly AttemptComparison[];
      }
    ).tasks;
  const all = await compared();
  expect(all.map(({ attempts }) => attempts.length)).toEqual([2, 2, 2]);
  const finished = all.find(({ attempts }) => attempts.every(({ status }) => status === "review"));
  const [first, second] = finished?.attempts ?? [];
  if (!finished || !first || !second) throw new Error("No task has two finished attempts.");
  const text = await hox(["attempts", finished.group.task], root);
  expect(text.stdout).toContain(`2 attempts, choose with: hox choose ${first.worker} | ${second.worker}`);
  expect(text.stdout).toContain("checks pass");

  const unknown = await hox(["attempts", "nothing"], root);
  expect([unknown.code, unknown.stderr]).toEqual([
    exitCode.usage,
    expect.stringContaining("has no other attempts"),
  ]);
  const chosen = await hox(["choose", second.worker], root);
  expect(chosen.stdout).toContain(`${second.worker} has the task; ${first.worker} is abandoned`);
  expect((await compared(first.worker))[0]?.group).toMatchObject({ chosen: second.worker, canUndo: true });
  const undone = await hox(["choose", "--undo"], root);
  expect(undone.stdout).toContain("are restored");
  expect((await compared(first.worker))[0]?.group.chosen).toBeNull();

  const forked = await hox(["fork", first.worker, "--from", "1.1", "--words", "Shorter."], root);
  expect(forked.stdout).toContain("continues from turn 1 of iteration 1");
  expect((await compared(first.worker))[0]?.attempts).toHaveLength(3);
  const late = await hox(["fork", first.worker, "--from", "9.1"], root);
  expect([late.code, late.stderr]).toEqual([exitCode.error, expect.stringContaining("has no iteration 9")]);
});
