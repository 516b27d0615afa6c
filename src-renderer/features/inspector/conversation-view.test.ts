import { expect, it } from "vitest";
import { findMatches } from "../../kit/find/find-matches.ts";
import { conversationItems } from "./call-outcome.ts";
import { conversationPieces } from "./conversation-view.tsx";

it("finds words in prompts, texts, inputs and answers of calls that are folded on screen", () => {
  const items = conversationItems(
    [
      { index: 0, at: 1, kind: "prompt", text: "Write the tide table", iteration: 1 },
      { index: 1, at: 2, kind: "text", text: "I read the table first." },
      { index: 2, at: 3, kind: "tool-call", id: "a", tool: "read_file", input: { path: "table.txt" } },
      {
        ...{ index: 3, at: 4, kind: "tool-result", id: "a", tool: "read_file" },
        ...{ output: `${"line\n".repeat(400)}the last table`, error: null, ms: 3 },
      },
    ] as const,
    [],
  );
  const hits = findMatches(conversationPieces(items), "TABLE");
  expect(hits.map(({ key, line }) => [key.item, key.selector, line])).toEqual([
    [0, "pre", 0],
    [1, "p", 0],
    [2, 'section[aria-label="Input of the call"]', 1],
    [2, 'section[aria-label="Output of the call"]', 400],
  ]);
});
