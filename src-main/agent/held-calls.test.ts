import { afterEach, expect, it } from "vitest";
import { z } from "zod";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { promptLine } from "#shared/domain/text/prompt-text.ts";
import { agentTools } from "../tools/agent-tools.ts";
import type { Tool } from "../tools/tool-interface.ts";
import { createConversation } from "./conversation.ts";
import { type ConversationsUnderTest, conversationsUnderTest } from "./testing/conversation-under-test.ts";

const { signal } = new AbortController();
let one: ConversationsUnderTest | null = null;
afterEach(() => one?.close());

it("keeps a paused call open, resumes with only that call, and finds it again after a restart", async () => {
  const ran: string[] = [];
  let held = true;
  const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
    name,
    description: `Does ${name}.`,
    input: z.strictObject({ nth: z.number() }),
    writes: true,
    run: async (_, { callId }) => {
      ran.push(`${name} ${callId}`);
      return name === "wait" && held
        ? { ok: false, error: "suspended", output: "Later." }
        : { ok: true, output: `${name} is done` };
    },
    ...more,
  });
  one = await conversationsUnderTest([
    {
      name: "task",
      steps: [
        {
          calls: [
            { tool: "first", input: { nth: 1 } },
            { tool: "wait", input: { nth: 2 } },
            { tool: "wait", input: { nth: 3 } },
            { tool: "after", input: { nth: 4 } },
          ],
        },
        { say: "All is done." },
      ],
    },
  ]);
  let gate: "pause" | null = null;
  const tools = [...agentTools(), tool("first"), tool("wait", { runsInParallel: true }), tool("after")];
  const conversation = await one.begin({ tools, gate: () => gate });
  expect(await conversation.run(promptLine`Do it.`, signal)).toEqual({ kind: "gate", gate: "pause" });
  const names = () => ran.map((entry) => entry.split(" ")[0]);
  // Both that may run at once have begun; what comes after them has not.
  expect(names()).toEqual(["first", "wait", "wait"]);
  expect(new Set(ran).size).toBe(3);
  expect(conversation.gate()).toBe(null);

  gate = "pause";
  expect(conversation.gate()).toBe("pause");
  gate = null;
  expect(await conversation.run(null, signal)).toEqual({ kind: "gate", gate: "pause" });
  // What was done is not done again.
  expect(names()).toEqual(["first", "wait", "wait", "wait", "wait"]);
  expect(ran.slice(1, 3)).toEqual(ran.slice(3, 5));

  // Another process knows the call by the same id.
  const again = createConversation(
    { ...one.options(), tools, driver: one.driver, price: totalTokens },
    one.stored(),
  );
  held = false;
  expect(await again.run(null, signal)).toEqual({ kind: "ended", text: "All is done." });
  expect(ran.slice(6, 8)).toEqual(ran.slice(1, 3));
  expect(names().at(-1)).toBe("after");
  expect(one.standIn.requests()).toHaveLength(2);
  const heard = one.standIn.requests()[1]?.seen.results.map(({ output }) => output);
  expect(heard).toEqual(["first is done", "wait is done", "wait is done", "after is done"]);
});
