import { expect, it, vi } from "vitest";
import { questionKind } from "#shared/contract/cards/mutation.ts";
import { shownText } from "#shared/domain/text/shown-text.ts";
import { answerPermission, describeCall } from "./requested-call.ts";

const shown = (path: string): string => path.replace("/workspace/", "");

it("shows what a call would do: its diff, its places, its command and its input", () => {
  const call = describeCall(
    {
      content: [
        { type: "diff", path: "/workspace/src/a.txt", oldText: "one\n", newText: "two\n" },
        { type: "diff", path: "/workspace/src/b.txt", newText: "new\n" },
        null,
      ],
      locations: [{ path: "/workspace/src/a.txt", line: 3 }, { path: "/elsewhere" }],
      rawInput: { command: ["sh", "-c", "echo \u001b[31mred\u202e"] },
    },
    shown,
  );
  expect(call.diff).toBe(
    "diff --git a/src/a.txt b/src/a.txt\n--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n\n" +
      "diff --git a/src/b.txt b/src/b.txt\nnew file mode 100644\n--- /dev/null\n+++ b/src/b.txt\n@@ -0,0 +1,1 @@\n+new\n",
  );
  const lines = questionKind.lines({
    ...{ kind: "align-request", from: "agent-1", question: "May I do this? Run it", options: ["Yes", "No"] },
    ...{ changeId: null, call },
  } as never);
  const text = shownText(lines.join("\n"));
  expect(text).toContain("in src/a.txt:3, /elsewhere");
  expect(text).toContain("sh -c echo ␛[31mred");
  // Escapes and direction marks are shown, and do nothing.
  for (const mark of ["\u001b", "\u202e"]) expect(text).not.toContain(mark);
});

it("shows a command once", () => {
  const inputs = [
    { command: "npm test", description: "Run the tests" },
    { cmd: "npm test" },
    { command: ["npm", "a test"] },
    "npm test",
    undefined,
  ].map((rawInput) => {
    const { command, input } = describeCall({ rawInput }, shown);
    return [command, input === "" ? null : JSON.parse(input)];
  });
  expect(inputs).toEqual([
    ["npm test", { description: "Run the tests" }],
    ["npm test", null],
    // Where its words begin and end is in its input alone.
    ["npm a test", { command: ["npm", "a test"] }],
    [null, "npm test"],
    [null, null],
  ]);
});

it("is bounded, whatever an agent says", () => {
  const call = describeCall(
    {
      content: [{ type: "diff", path: "a", newText: "x\n".repeat(500_000) }],
      locations: Array.from({ length: 1_000 }, () => ({ path: "a" })),
      rawInput: { command: "c".repeat(1e6) },
    },
    shown,
  );
  expect(call).toMatchObject({ isCut: true });
  expect(JSON.stringify(call).length).toBeLessThan(100_000);
});

it("says when any part of a call is not shown whole, and shows the end of a command", () => {
  const long = (length: number): string => `begin ${"x".repeat(length)} end`;
  const calls = {
    command: { rawInput: { command: long(4_000) } },
    input: { rawInput: { note: long(2_000) } },
    locations: { locations: Array.from({ length: 21 }, () => ({ path: "a" })) },
    path: { locations: [{ path: long(1_000) }] },
    text: { content: [{ type: "diff", path: "a", oldText: long(200_000), newText: long(200_000) }] },
    diff: { content: [{ type: "diff", path: "a", newText: long(60_000) }] },
    diffs: {
      content: Array.from({ length: 21 }, () => ({ type: "diff", path: "a", newText: "a\n" }) as const),
    },
  } as const;
  for (const [part, one] of Object.entries(calls)) {
    const call = describeCall(one, shown);
    expect(call.isCut, part).toBe(true);
    const lines = questionKind.lines({
      ...{ kind: "align-request", from: "agent-1", question: "May I do this?", options: [] },
      ...{ changeId: null, call },
    } as never);
    expect(lines.join("\n"), part).toContain("not shown here");
  }
  const { command } = describeCall(calls.command, shown);
  expect(command).toMatch(/^begin x.* characters are not shown .*x end$/su);
  expect(describeCall({ rawInput: { command: long(100), note: "short" } }, shown).isCut).toBe(false);
});

it("makes no more patches than a card shows", () => {
  let read = 0;
  const content = Array.from({ length: 500 }, () => ({
    ...{ type: "diff", path: "a", oldText: "one\n" },
    get newText() {
      read += 1;
      return "two\n";
    },
  })) as never;
  const { diff, isCut } = describeCall({ content }, shown);
  expect(read).toBe(20);
  expect(diff.match(/^diff --git/gmu)).toHaveLength(20);
  expect(isCut).toBe(true);
});

it("describes a call only for a user who is asked", async () => {
  const describe = vi.fn(() => null);
  const request = {
    ...{ request: "1", toolCall: { toolCallId: "1", title: "Write" } },
    options: [{ optionId: "yes", name: "Allow", kind: "allow_once" }],
  } as never;
  const { signal } = new AbortController();
  expect(await answerPermission(request, describe, "sandbox", [], signal)).toMatchObject({ option: "yes" });
  expect(describe).not.toHaveBeenCalled();
  expect(await answerPermission(request, describe, async () => "yes", [], signal)).toMatchObject({
    option: "yes",
  });
  expect(describe).toHaveBeenCalledOnce();
});
