import { expect, test } from "vitest";
import type { ModelMessage } from "../model/driver-interface.ts";
import { fileHeader, hashOf } from "../tools/file-listing.ts";
import { filesLeft } from "./conversation.ts";

const call = (id: string, name: string, input: unknown = {}): ModelMessage => ({
  role: "assistant",
  content: [{ type: "tool_use", id, name, input }],
});
const result = (id: string, content: string): ModelMessage => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content, is_error: false }],
});
const knows = (id: string, path: string, text: string) => result(id, fileHeader(path, hashOf(text), "read"));
const left = (...history: readonly ModelMessage[]) => [
  ...filesLeft(history, (name) => name === "report_done"),
];

const read = [call("1", "read_file", { path: "a.txt" }), knows("1", "a.txt", "alpha")] as const;

test("files are as a conversation left them, except for changes by its own calls", () => {
  expect(left(...read)).toEqual([["a.txt", hashOf("alpha")]]);
  expect(left(...read, call("2", "write_file", { path: "a.txt" }), knows("2", "a.txt", "beta"))).toEqual([
    ["a.txt", hashOf("beta")],
  ]);
  // A call whose result a crash took may have written or not.
  expect(left(...read, call("2", "edit_file", { path: "./a.txt" }))).toEqual([]);
  expect(left(...read, call("2", "edit_file", { path: "b.txt" }))).toHaveLength(1);
  // A command may write anywhere.
  expect(left(...read, call("2", "run_command"), result("2", "ok"))).toEqual([]);
  expect(left(...read, call("2", "run_command"))).toEqual([]);
  expect(left(call("2", "run_command"), result("2", "ok"), ...read)).toHaveLength(1);
  // Whoever is done writes nothing any more.
  expect(left(...read, call("2", "report_done"), result("2", "Reported."))).toEqual([]);
});
