import { describe, expect, test } from "vitest";
import type { ConversationEntry, ConversationRow } from "#shared/domain/conversation/conversation.ts";
import type { MessageView } from "#shared/domain/messages/message-view.ts";
import { conversationItems, deliveryTo, messagesWithUser } from "./call-outcome.ts";

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
const message = (more: Partial<MessageView>): MessageView => ({
  changeId: "m",
  from: "user",
  to: "O-A-1/agent-1",
  type: "info",
  text: "Mind the gap.",
  at: 0,
  handled: false,
  ...more,
});

describe("messages", () => {
  const order = (rows: readonly ConversationRow[], messages: readonly MessageView[]) =>
    conversationItems(rows, messages).flatMap((item): readonly (string | number)[] => {
      if (item.kind === "message") return [item.message.changeId];
      if (item.kind === "row") return [item.row.index];
      return [item.call.index, ...(typeof item.result === "string" ? [] : [item.result.index])];
    });

  test("stand where they were written, and between no call and its answer", () => {
    const rows = rowsOf([text("one"), call("a"), call("b"), result("b"), result("a"), text("two")]);
    expect(order(rows, [message({ at: 1_035 })])).toEqual([0, 1, 4, 2, 3, "m", 5]);
    expect(order(rows, [message({ at: 5_000 }), message({ changeId: "n", at: 1 })])).toEqual([
      "n",
      0,
      1,
      4,
      2,
      3,
      5,
      "m",
    ]);
  });

  test("keep their position when they are marked as read, which rewrites them", () => {
    const rows = rowsOf([text("one"), text("two")]);
    const read = message({ at: 9_000, handled: true, delivered: [{ worker: "agent-1", at: 1_005 }] });
    expect(order(rows, [read])).toEqual([0, "m", 1]);
  });

  test("of others are left out, those to all agents are not", () => {
    const all = [
      message({ changeId: "own" }),
      message({ changeId: "all", to: "O-A-1/*" }),
      message({ changeId: "other", to: "O-A-1/agent-2" }),
      message({ changeId: "peer", from: "agent-2" }),
      message({ changeId: "answer", from: "agent-1", to: "user" }),
    ];
    expect(messagesWithUser(all, "agent-1", "O-A-1/agent-1").map(({ changeId }) => changeId)).toEqual([
      "own",
      "all",
      "answer",
    ]);
    expect(messagesWithUser([message({ to: "O-A-1" })], "O-A-1", "O-A-1")).toHaveLength(1);
  });

  test("are on their way, delivered, or read", () => {
    const delivered = [{ worker: "agent-1", at: 7 }];
    expect(deliveryTo("agent-1", message({}))).toEqual({ kind: "waits" });
    expect(deliveryTo("agent-1", message({ delivered }))).toEqual({ kind: "delivered", at: 7 });
    expect(deliveryTo("agent-2", message({ delivered }))).toEqual({ kind: "waits" });
    expect(deliveryTo("agent-1", message({ delivered, handled: true }))).toEqual({ kind: "read" });
  });
});
