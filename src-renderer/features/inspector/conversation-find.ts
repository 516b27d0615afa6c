/** The texts of a conversation, for finding words in it, and where each is on the page. */
import { shownText } from "#shared/domain/text/shown-text.ts";
import type { FindHit, FindPiece } from "../../kit/find/find-matches.ts";
import { type Seek, seek } from "../../kit/find/mark-hit.ts";
import type { ConversationItem } from "./conversation-items.ts";

/** One text of an item: the `at`th element of the item that fits the selector; none means the item itself. */
export interface ConversationPlace {
  readonly item: number;
  readonly selector: string | null;
  readonly at: number;
}

const inputBox = 'section[aria-label="Input of the call"]';
const answerBox = 'section[aria-label="Output of the call"]';

type Text = readonly [selector: string | null, text: string, at?: number];

/** Everything that a reader sees or can unfold, in order. */
export const conversationPieces = (
  items: readonly ConversationItem[],
): readonly FindPiece<ConversationPlace>[] =>
  items.flatMap((item, index) =>
    textsOf(item).map(([selector, text, at = 0]) => ({
      key: { item: index, selector, at },
      text: shownText(text),
    })),
  );

function textsOf(item: ConversationItem): readonly Text[] {
  if (item.kind === "message") return [["p", item.message.text]];
  if (item.kind === "call") {
    const { call, result } = item;
    const input = JSON.stringify(call.input, null, 2) ?? "";
    return [
      ["[data-call]", call.tool],
      [inputBox, input],
      ...(typeof result === "string" ? [] : [[answerBox, result.output] as const]),
    ];
  }
  const { row } = item;
  switch (row.kind) {
    case "prompt":
      return [["pre", row.text]];
    case "thinking":
    case "text":
      return [["p", row.text]];
    case "tool-result":
      return [["pre", row.output]];
    case "notice":
      return [[null, row.text]];
    case "retry":
      return [[null, row.reason]];
    case "aside":
      return [
        ["p", row.question],
        ["p", row.answer, 1],
      ];
    case "hooks":
      return row.results.map(({ message }, at) => ["pre", message, at] as const);
    case "checks":
      return [[null, row.results.map(({ name }) => name).join(" ")]];
    case "usage":
    case "tool-call":
      return [];
  }
}

const lineHeight = 16;

/** Unfolds what holds a match, and scrolls to it. @returns how to stop */
export function showInConversation(
  list: HTMLElement | null,
  { key, line, nth, nthInLine }: FindHit<ConversationPlace>,
  query: string,
): () => void {
  const look = (): Seek => {
    const item = list?.children[key.item];
    if (!item) return "wait";
    const isOfCall = key.selector === inputBox || key.selector === answerBox;
    const closed = isOfCall && item.querySelector<HTMLElement>('[data-call][aria-expanded="false"]');
    if (closed) closed.click();
    const box = key.selector === null ? item : item.querySelectorAll(key.selector)[key.at];
    if (!box) return "wait";
    const details = box.closest("details");
    if (details) details.open = true;
    const drawn = [...box.querySelectorAll<HTMLElement>(":scope [data-index]")];
    if (drawn.length === 0) return { box, nth };
    const found = drawn.find(({ dataset }) => Number(dataset.index) === line);
    if (found) return { box: found, nth: nthInLine };
    // A long text draws only the lines that are seen.
    const nearest = Math.max(...drawn.map(({ dataset }) => Number(dataset.index)));
    box.scrollTop += (line - nearest) * lineHeight;
    return "wait";
  };
  return seek(look, query);
}
