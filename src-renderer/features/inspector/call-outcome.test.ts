import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ConversationEntry, ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { callOutcome, callsWithResults, previewOf, type ResultEntry, tellingInput } from "./call-outcome.ts";

const rowsOf = (entries: readonly ConversationEntry[]): readonly ConversationRow[] =>
  entries.map((entry, index) => ({ index, at: 1_000 + index * 10, ...entry }));
const call = (id: string): ConversationEntry => ({ kind: "tool-call", id, tool: "read_file", input: {} });
const result = (id: string): ConversationEntry => ({
  kind: "tool-result",
  id,
  tool: "read_file",
  output: id,
  error: null,
  ms: 1,
});
const text = (words: string): ConversationEntry => ({ kind: "text", text: words });
const prompt: ConversationEntry = { kind: "prompt", text: "Go on.", iteration: 2 };
const answer = (more: Partial<ResultEntry>): ResultEntry => ({
  kind: "tool-result",
  index: 1,
  at: 1,
  id: "a",
  tool: "run_command",
  output: "",
  error: null,
  ms: 1,
  ...more,
});

/** Each call's index with that of its answer, or why there is none; other rows by their index. */
const paired = (entries: readonly ConversationEntry[]) =>
  callsWithResults(rowsOf(entries)).map((one) => {
    if (one.kind === "row") return one.row.index;
    return [one.call.index, typeof one.result === "string" ? one.result : one.result.index];
  });

describe("calls", () => {
  test("that ran at once have each its own answer, in whatever order they came", () => {
    expect(paired([call("a"), call("b"), call("c"), text("then"), result("c"), result("a")])).toEqual([
      [0, 5],
      [1, "open"],
      [2, 4],
      3,
    ]);
  });

  test("that were held and ran again are answered where they ran", () => {
    expect(paired([call("a"), text("held"), call("a"), result("a")])).toEqual([[0, "held"], 1, [2, 3]]);
  });

  test("of a conversation that broke off stay unanswered, also where the next one uses the same id", () => {
    expect(paired([call("a"), prompt, call("a"), result("a")])).toEqual([[0, "lost"], 1, [2, 3]]);
    expect(paired([call("a"), prompt, result("a")])).toEqual([[0, "lost"], 1, 2]);
  });

  test("made again after an answer have another one, and an answer without a call stays", () => {
    expect(paired([result("z"), call("a"), result("a"), call("a"), result("a")])).toEqual([
      0,
      [1, 2],
      [3, 4],
    ]);
  });

  test("and answers are neither lost nor told twice, and all that is no answer keeps its order", () => {
    const entry = fc.oneof(
      fc.constantFrom("a", "b", "c").map(call),
      fc.constantFrom("a", "b", "c").map(result),
      fc.constant(text("word")),
      fc.constant(prompt),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 30 }), (entries) => {
        const rows = rowsOf(entries);
        const read = callsWithResults(rows);
        const answers = read.flatMap((one) =>
          one.kind === "call" && typeof one.result !== "string" ? [one.result] : [],
        );
        const first = read.map((one) => (one.kind === "call" ? one.call : one.row));
        expect([...first, ...answers].map(({ index }) => index).toSorted((a, b) => a - b)).toEqual(
          rows.map(({ index }) => index),
        );
        expect(first.map(({ index }) => index)).toEqual(
          first.map(({ index }) => index).toSorted((a, b) => a - b),
        );
        for (const one of read)
          if (one.kind === "call" && typeof one.result !== "string") {
            expect(one.result.id).toBe(one.call.id);
            expect(one.result.index).toBeGreaterThan(one.call.index);
          }
      }),
    );
  });
});

describe("an outcome", () => {
  test("of a command is its exit code, which is not said twice", () => {
    const failed = answer({ error: "command-failed", output: "Exit code 2 after 0.3 s\nno such test" });
    expect(callOutcome(failed, "over")).toEqual({
      mark: "failed",
      words: "failed: exit code 2",
      output: "no such test",
    });
    expect(callOutcome(answer({ output: "Exit code 0 after 0.3 s\n12 passed" }), "over")).toEqual({
      mark: "done",
      words: null,
      output: "12 passed",
    });
    const file = answer({ tool: "read_file", output: "Exit code 0 after 1 s\nof a log" });
    expect(callOutcome(file, "over").output).toContain("Exit code 0");
  });

  test("tells what was refused from what failed, and why", () => {
    expect(callOutcome(answer({ error: "protected-file" }), "over")).toMatchObject({
      mark: "refused",
      words: "refused: the file is protected",
    });
    expect(callOutcome(answer({ error: "not-found" }), "over").words).toBe("failed: not found");
    expect(callOutcome(answer({ error: "of-a-later-version" }), "over").words).toBe(
      "failed: of-a-later-version",
    );
    expect(callOutcome(answer({ error: "cancelled" }), "over").mark).toBe("stopped");
  });

  test("of a call without an answer is what its caller does", () => {
    expect(callOutcome("open", "working").mark).toBe("running");
    expect(callOutcome("open", "paused").mark).toBe("waiting");
    expect(callOutcome("open", "over").mark).toBe("stopped");
    expect(callOutcome("lost", "working").mark).toBe("stopped");
    expect(callOutcome("held", "working").words).toContain("below");
  });
});

describe("a preview", () => {
  test("has three lines and says how many follow", () => {
    expect(previewOf("")).toEqual({ lines: [], more: 0 });
    expect(previewOf("one\n")).toEqual({ lines: ["one"], more: 0 });
    expect(previewOf("1\n2\n3\n4\n5\n")).toEqual({ lines: ["1", "2", "3"], more: 2 });
  });

  test("has as many lines as the text, whatever its content", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("", "a", " b"), { maxLength: 9 }), (parts) => {
        const whole = parts.join("\n").trim();
        const { lines, more } = previewOf(parts.join("\n"));
        expect(lines.length + more).toBe(whole === "" ? 0 : whole.split("\n").length);
      }),
    );
  });

  test("of a long line is cut, and the hash that only the model needs is left out", () => {
    expect(previewOf("x".repeat(5_000)).lines[0]?.length).toBeLessThan(300);
    expect(previewOf("src/a.js hash 0123456789abcdef").lines).toEqual(["src/a.js"]);
  });
});

test("a call is named by the argument that says most, in one line", () => {
  expect(tellingInput({ command: "npm test\n--watch", path: 1 })).toBe("npm test");
  expect(tellingInput(null)).toBeNull();
});
