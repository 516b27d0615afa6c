import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { contextTokens, type Usage } from "#shared/domain/spending/usage.ts";
import { promptLine } from "#shared/domain/text/prompt-text.ts";
import { agentTools } from "../tools/agent-tools.ts";
import type { Tool } from "../tools/tool-interface.ts";
import type { Conversation, ForkOptions, ResumeToken } from "./agent-interface.ts";
import { createConversation, modelConversations } from "./conversation.ts";
import { type ConversationsUnderTest, conversationsUnderTest } from "./testing/conversation-under-test.ts";

const { signal } = new AbortController();
let one: ConversationsUnderTest | null = null;
afterEach(() => one?.close());

interface WireBody {
  readonly system: unknown;
  readonly tools: unknown;
  readonly messages: readonly unknown[];
}
/** What was sent, without the marks that say how far the provider shall remember it: they are no part of a prefix. */
const sent = (index: number): WireBody =>
  JSON.parse(
    JSON.stringify(one?.standIn.requests().at(index)?.body, (key, value) =>
      key === "cache_control" ? undefined : value,
    ),
  );
const bytes = (value: unknown): string => JSON.stringify(value);

const forkTool = (fork: () => Promise<string>): Tool => ({
  name: "fork_here",
  description: "Has a fork do it.",
  input: z.strictObject({}),
  writes: false,
  run: async () => ({ ok: true, output: await fork() }),
});
const scenes = [
  { name: "fork", prompt: "[FORK]", steps: [{ say: "I am the fork." }] },
  {
    name: "task",
    steps: [
      { calls: [{ tool: "read_file", input: { path: "long.txt" } }] },
      {
        thinking: "Two things at once.",
        calls: [
          { tool: "fork_here", input: {} },
          { tool: "read_file", input: { path: "long.txt" } },
        ],
      },
      { calls: [{ tool: "report_done", input: { summary: "All is done." } }] },
    ],
  },
];
const own = (over: Partial<ForkOptions> = {}): ForkOptions => ({
  suffix: promptLine`[FORK] Count the words.`,
  requester: "agent-1/fork-1",
  gate: () => null,
  onEntry: () => {},
  onSpent: () => {},
  ...over,
});

it("sends its origin's system prompt, tools and history byte for byte, followed by its suffix", async () => {
  one = await conversationsUnderTest(scenes);
  writeFileSync(join(one.workspace, "long.txt"), "word ".repeat(4_000));
  const entries: ConversationEntry[] = [];
  const spent: Usage[] = [];
  let origin: Conversation | null = null;
  const tools = [
    ...agentTools(),
    forkTool(async () => {
      const fork = origin?.fork(
        own({
          onEntry: (entry) => entries.push(entry),
          onSpent: ({ usage }) => spent.push(usage),
        }),
      );
      const end = await fork?.run(null, signal);
      return end?.kind === "ended" ? end.text : "no answer";
    }),
  ];
  origin = await one.begin({ tools });
  expect(await origin.run(promptLine`Do it.`, signal)).toMatchObject({ kind: "signal" });
  expect(one.standIn.requests().map(({ outcome }) => outcome)).toEqual([200, 200, 200, 200]);

  // The origin asked, answered with the call, the fork asked, and the origin went on.
  const [asked, forked, wentOn] = [sent(1), sent(2), sent(3)];
  expect(bytes(forked.system)).toBe(bytes(asked.system));
  expect(bytes(forked.tools)).toBe(bytes(asked.tools));
  const shared = asked.messages.length;
  expect(bytes(forked.messages.slice(0, shared))).toBe(bytes(asked.messages));
  // The answer that made the fork, as the origin sends it too.
  expect(bytes(forked.messages[shared])).toBe(bytes(wentOn.messages[shared]));
  expect(forked.messages.slice(shared + 1)).toMatchObject([
    {
      role: "user",
      content: [{ type: "tool_result" }, { type: "tool_result" }, { text: "[FORK] Count the words." }],
    },
  ]);
  expect(bytes(wentOn)).not.toContain("[FORK] Count the words.");
  expect(bytes(wentOn.messages.at(-1))).toContain("I am the fork.");

  // What it says and spends is its own; what its origin had paid for is read from the cache.
  expect(entries.map(({ kind }) => kind)).toEqual(["prompt", "text", "usage"]);
  expect(spent).toHaveLength(1);
  const [first] = spent;
  if (!first) throw new Error("It spent nothing.");
  expect(first.cacheRead / contextTokens(first)).toBeGreaterThan(0.95);
});

it("resumes after a restart, from a resumed origin, and with replaced tools", async () => {
  one = await conversationsUnderTest([
    { name: "fork", prompt: "[FORK]", steps: [{ say: "I am the fork." }] },
    { name: "task", steps: [{ say: "Half of it." }] },
  ]);
  const first = await one.begin();
  await first.run(promptLine`Do it.`, signal);
  const { token } = first;
  const { driver } = one;
  const conversations = modelConversations({ driver, price: () => 1 });

  let kept: ResumeToken | null = null;
  const options = one.options();
  const origin = conversations.resume(token, options);
  origin.fork(own({ tools: [], onTurn: (now) => (kept = now) }));
  // Told before it was asked: a crash from here on costs nothing.
  expect(bytes(kept)).toContain("[FORK] Count the words.");
  expect(bytes(origin.token)).toBe(bytes(token));

  if (kept === null) throw new Error("Nothing was kept.");
  const again = conversations.resume(kept, { ...options, tools: [] });
  expect(await again.run(null, signal)).toEqual({ kind: "ended", text: "I am the fork." });
  const [asked, forked] = [sent(0), sent(1)];
  expect(bytes(forked.system)).toBe(bytes(asked.system));
  expect(forked.tools).toBeUndefined();
  expect(bytes(forked.messages.slice(0, 1))).toBe(bytes(asked.messages));
  // The origin hears nothing of it.
  await origin.run(promptLine`Do it all.`, signal);
  expect(bytes(sent(2))).not.toContain("[FORK]");
});

it("is read by its own driver only", async () => {
  one = await conversationsUnderTest([]);
  const options = { ...one.options(), driver: one.driver, price: () => 1 };
  expect(() => createConversation(options, { driver: "acp", parts: ['{"sessionId":"1"}'] })).toThrow(
    "A conversation of acp cannot be read",
  );
});
