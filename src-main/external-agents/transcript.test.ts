import { expect, it } from "vitest";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { createRedactor } from "../tools/redact.ts";
import { Transcript } from "./transcript.ts";

const secret = "s3cret-0123456789-abcdef";

function transcript(): { readonly one: Transcript; readonly entries: readonly ConversationEntry[] } {
  const entries: ConversationEntry[] = [];
  const one = new Transcript({
    view: () => "/workspace",
    onEntry: (entry) => entries.push(entry),
    redact: createRedactor([secret]).redact,
    ownTools: [],
    monotonic: () => 0,
  });
  return { one, entries };
}

it("hides secrets of a call before it is cut", () => {
  const { one } = transcript();
  // The cut of each limit is inside of the secret.
  const onCut = (limit: number): string => `${"x".repeat(limit - 8)}${secret}${"x".repeat(limit)}`;
  for (const call of [
    { rawInput: { command: onCut(2_000) } },
    { rawInput: { note: onCut(1_000) } },
    { locations: [{ path: onCut(500) }] },
    { content: [{ type: "diff", path: "a", newText: onCut(200_000) }] },
    { content: [{ type: "diff", path: "a", newText: onCut(60_000 - 90) }] },
  ])
    expect(
      JSON.stringify(one.asked({ toolCallId: "1", ...call })),
      JSON.stringify(Object.keys(call)),
    ).not.toContain(secret.slice(0, 6));
});

it("hides secrets of long outputs and messages before they are cut", () => {
  const { one, entries } = transcript();
  const print = (data: string): void => {
    const _meta = { terminal_output_delta: { data } };
    one.add({ sessionUpdate: "tool_call_update", toolCallId: "1", _meta });
  };
  const say = (text: string): void => {
    one.add({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
  };
  one.add({ sessionUpdate: "tool_call", toolCallId: "1", title: "Print", status: "in_progress" });
  // What is kept of them begins inside of the secret.
  for (const send of [print, say]) {
    send(`${"x".repeat(100_000)}${secret.slice(0, 5)}`);
    send(`${secret.slice(5)}${"x".repeat(100_000 - 12)}`);
  }
  expect(one.lastText).not.toContain(secret.slice(-6));
  expect(one.lastText).toContain("xxx");
  one.add({ sessionUpdate: "tool_call_update", toolCallId: "1", status: "completed" });
  const said = JSON.stringify(entries.filter(({ kind }) => kind === "tool-result"));
  expect(said).toContain("xxx");
  expect(said).not.toContain(secret.slice(-6));
});
