import { expect, test } from "vitest";
import { failedEdits, type Result, triedWrongly } from "./tried.ts";

const command = "make try";
const ran = (isError: boolean, role = "agent-1", typed = command): Result => ({
  role,
  tool: "run_command",
  input: { command: typed },
  output: isError ? "Exit code 2 after 0.1 s\na\nb\nc\nd" : "Exit code 0 after 0.1 s",
  isError,
});

test("a command that failed is wrong, of an agent and of a judge, and one of another work is not looked at", () => {
  expect(
    triedWrongly({ command }, [ran(false), ran(false, "validator-1"), ran(true, "agent-2", "x")]),
  ).toEqual([]);
  expect(triedWrongly({ command }, [ran(true), ran(false), ran(true, "validator-1")])).toEqual([
    '"make try" of agent-1 failed: Exit code 2 after 0.1 s | b | c | d',
    '"make try" of validator-1 failed: Exit code 2 after 0.1 s | b | c | d',
  ]);
});

test("a command that has to fail is wrong where it succeeds", () => {
  const work = { command, failsBecause: "there is no screen" };
  expect(triedWrongly(work, [ran(true)])).toEqual([]);
  expect(triedWrongly(work, [ran(false)])).toEqual([
    '"make try" of agent-1 was meant to fail (there is no screen): Exit code 0 after 0.1 s',
  ]);
});

test("a command that no agent tried is wrong, even if a judge did", () => {
  expect(triedWrongly({ command }, [ran(false, "validator-1")])).toEqual(['no agent tried "make try"']);
});

test("an edit that failed is wrong", () => {
  const edit = { role: "agent-1", tool: "edit_file", input: { path: "a" }, output: "There is no such text." };
  expect(failedEdits([{ ...edit, isError: false }, ran(true)])).toEqual([]);
  expect(failedEdits([{ ...edit, isError: true }])).toEqual([
    'edit_file of agent-1 failed: {"path":"a"}: There is no such text.',
  ]);
});
