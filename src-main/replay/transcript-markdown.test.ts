import fc from "fast-check";
import { expect, it } from "vitest";
import type { ConversationRow } from "#shared/domain/conversation/conversation.ts";
import { smallRecording } from "./testing/any-recording.ts";
import { transcriptMarkdown } from "./transcript-markdown.ts";

const hostile = fc
  .oneof(
    fc.array(
      fc.constantFrom(
        "`",
        "```",
        "````",
        "~~~",
        "\n",
        "# Heading",
        "<script>",
        "- [x] ",
        "![](http://x)",
        "a",
        " ",
        "\r\n",
      ),
      { maxLength: 14 },
    ),
  )
  .map((parts) => parts.join(""));

/** Lines that stand in no fence, as CommonMark reads fences. */
function outside(markdown: string): readonly string[] {
  let open: string | null = null;
  return markdown.split("\n").filter((line) => {
    const ticks = /^(`{3,})(.*)$/u.exec(line);
    if (open === null) {
      if (!ticks || ticks[2]?.includes("`")) return true;
      open = ticks[1] ?? "";
      return false;
    }
    if (ticks && (ticks[1]?.length ?? 0) >= open.length && ticks[2]?.trim() === "") open = null;
    return false;
  });
}

const rowsOf = (text: string): readonly ConversationRow[] => [
  { index: 0, at: 1, kind: "prompt", text, iteration: 1 },
  { index: 1, at: 2, kind: "text", text },
  { index: 2, at: 3, kind: "tool-call", id: "1", tool: "run_command", input: { command: text } },
  { index: 3, at: 4, kind: "tool-result", id: "1", tool: text, output: text, error: text, ms: 3 },
  {
    index: 4,
    at: 5,
    kind: "checks",
    results: [{ name: text, command: text, speed: "fast", outcome: "failed", ms: 1, output: text }],
  },
];

it("keeps all untrusted text in a fence or in code, whatever it is", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const plain = smallRecording();
      const markdown = transcriptMarkdown({
        ...plain,
        input: { ...plain.input, goal: text, model: text },
        conversations: { "agent-1": rowsOf(text) },
      });
      for (const line of outside(markdown)) {
        const bare = line.replaceAll(/(?<!`)(`+)(?!`)(?:.*?[^`])\1(?!`)/gu, "");
        expect(bare).not.toMatch(/<script|Heading|http|\[x\]|~~~/u);
        expect(bare).not.toContain("`");
      }
    }),
    { numRuns: 500 },
  );
});

it("reads as a page", () => {
  const markdown = transcriptMarkdown(smallRecording({ conversations: { "agent-1": rowsOf("cat a.txt") } }));
  expect(markdown).toContain("## Goal\n\n```text\nKeep users\n```");
  expect(markdown).toContain('**Calls `run_command`**\n\n```json\n{\n  "command": "cat a.txt"\n}\n```');
  expect(markdown).toContain("**Failed (`cat a.txt`) of `cat a.txt`, 3 ms**");
});
