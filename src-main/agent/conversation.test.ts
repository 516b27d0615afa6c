import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { totalTokens, type Usage } from "#shared/domain/spending/usage.ts";
import { promptLine } from "#shared/domain/text/prompt-text.ts";
import { createAnthropicDriver } from "../model/anthropic-driver.ts";
import { createRateLimit } from "../model/rate-limit.ts";
import type { Fault, Scene } from "../model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../model/stand-in/stand-in.ts";
import { lastResult } from "../model/stand-in/testing/last-result.ts";
import { tempDir } from "../testing/kit.ts";
import { agentTools } from "../tools/agent-tools.ts";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import { structuredTool } from "../tools/tool-interface.ts";
import { workspaceFiles } from "../tools/workspace-files.ts";
import type { Conversation, ConversationOptions, ResumeToken } from "./agent-interface.ts";
import { createConversation } from "./conversation.ts";
import { messagesOf } from "./message-history.ts";

let workspace: string;
let standIn: StandIn;
let entries: ConversationEntry[];
let spent: Usage[];
let stored: ResumeToken | null;
const signal = new AbortController().signal;

beforeEach(() => {
  workspace = tempDir();
  mkdirSync(join(workspace, ".jj"));
  writeFileSync(join(workspace, "a.txt"), "alpha");
  writeFileSync(join(workspace, "b.txt"), "beta");
  entries = [];
  spent = [];
  stored = null;
});
afterEach(async () => {
  await standIn.close();
});

async function converse(
  scenes: readonly Scene[],
  over: Partial<ConversationOptions> & {
    faults?: Fault[];
    keepServer?: boolean;
    window?: number;
    token?: ResumeToken | null;
  } = {},
): Promise<Conversation> {
  if (!over.keepServer) {
    standIn = await startStandIn({
      script: { name: "conversation", routes: { "agent-1": scenes } },
      faults: over.faults ?? [],
    });
  }
  const driver = createAnthropicDriver({
    apiKey: standIn.apiKey,
    baseUrl: standIn.url,
    scheduler: createRateLimit(),
    models: () => ({
      contextWindow: over.window ?? 1_000_000,
      maxOutput: 8000,
      adaptiveThinking: true,
      effort: true,
    }),
    backoffMs: 5,
    attempts: 2,
  });
  const sandbox = await createSandbox({ allowUnsandboxed: true });
  return createConversation(
    {
      driver,
      model: "claude-sonnet-5-5",
      system: "You work on one task.\nHox-Role: agent-1",
      tools: agentTools(),
      toolContext: {
        agent: "agent-1",
        signal,
        files: workspaceFiles({ workspace }),
        run: (command) => sandbox.run({ ...command, workspace }),
        environment: {},
      },
      requester: "agent-1",
      maxTokens: 4000,
      maxTurns: 10,
      gate: () => null,
      price: totalTokens,
      onEntry: (entry) => entries.push(entry),
      onSpent: (one) => spent.push(one.usage),
      onTurn: (token) => {
        stored = token;
      },
      ...over,
    },
    over.token ?? null,
  );
}

const done = { calls: [{ tool: "report_done", input: { summary: "All is done." } }] };
const kinds = (): string[] =>
  entries
    .map((entry) => entry.kind)
    .filter((kind, index, all) => kind !== all[index - 1] || kind.startsWith("tool"));

describe("a conversation", () => {
  it("runs a turn's calls, returns their results in one message, and ends with the agent's signal", async () => {
    const conversation = await converse([
      {
        name: "task",
        steps: [
          {
            thinking: "Both files are independent.",
            say: "Reading.",
            calls: [
              { tool: "read_file", input: { path: "a.txt" } },
              { tool: "read_file", input: { path: "b.txt" } },
              { tool: "read_file", input: { path: "../secret" } },
              { tool: "fly", input: {} },
              { tool: "edit_file", input: { path: "a.txt" } },
            ],
          },
          (seen) => ({
            calls: [
              {
                tool: "edit_file",
                input: {
                  path: "a.txt",
                  old_text: lastResult(seen, "read_file").isError ? "alpha" : "?",
                  new_text: "omega",
                },
              },
              { tool: "run_command", input: { command: "cat a.txt" } },
            ],
          }),
          (seen) => ({ say: lastResult(seen, "run_command").output, ...done }),
        ],
      },
    ]);
    const end = await conversation.run(promptLine`Change a.txt.`, signal);
    expect(end).toMatchObject({ kind: "signal", signal: { kind: "done", summary: "All is done." } });
    // The command came after the edit, although both were asked for at once.
    expect(end.kind === "signal" && end.text).toContain("omega");
    const results = entries.flatMap((entry) => (entry.kind === "tool-result" ? [entry.error] : []));
    expect(results.toSorted()).toEqual([
      "invalid-input",
      null,
      null,
      null,
      null,
      null,
      "outside-workspace",
      "unknown-tool",
    ]);
    expect(messagesOf(conversation.token).map((message) => message.role)).toEqual(
      Array.from({ length: 7 }, (_, index) => (index % 2 ? "assistant" : "user")),
    );
    expect(messagesOf(conversation.token)[2]?.content).toHaveLength(5);
    expect(messagesOf(conversation.token)[1]?.content[0]).toMatchObject({
      type: "thinking",
      signature: expect.any(String),
    });
    // What was paid is known before a tool runs.
    expect(kinds().slice(0, 5)).toEqual(["prompt", "thinking", "text", "usage", "tool-call"]);
    expect(spent).toHaveLength(3);
    expect(standIn.unusedSteps()).toEqual([]);
  });

  it("pauses between turns and resumes from its stored state in a new process", async () => {
    const scenes: Scene[] = [
      {
        name: "task",
        steps: [
          { calls: [{ tool: "read_file", input: { path: "a.txt" } }] },
          { calls: [{ tool: "edit_file", input: { path: "a.txt", old_text: "alpha", new_text: "omega" } }] },
          done,
        ],
      },
    ];
    let pause = false;
    const first = await converse(scenes, {
      gate: () => (pause ? "pause" : null),
      onSpent: () => (pause = true),
    });
    expect(await first.run(promptLine`Change a.txt.`, signal)).toEqual({ kind: "gate", gate: "pause" });
    expect(standIn.requests()).toHaveLength(1);

    const second = await converse(scenes, { keepServer: true, token: stored });
    expect(await second.run(null, signal)).toMatchObject({ kind: "signal" });
    expect(readFileSync(join(workspace, "a.txt"), "utf8")).toBe("omega");
    expect(standIn.requests()).toHaveLength(3);
  });

  it("does not repeat a paid request when its tool calls were interrupted", async () => {
    const scenes: Scene[] = [
      {
        name: "task",
        steps: [{ calls: [{ tool: "write_file", input: { path: "c.txt", content: "gamma" } }] }, done],
      },
    ];
    const crash = new Error("the machine went down");
    let stores = 0;
    const first = await converse(scenes, {
      onTurn: (token) => {
        stored = token;
        stores += 1;
        // After the prompt comes the answer: it is on disk, its calls have not run.
        if (stores === 2) throw crash;
      },
    });
    await expect(first.run(promptLine`Write c.txt.`, signal)).rejects.toBe(crash);
    expect(stored && messagesOf(stored).at(-1)?.role).toBe("assistant");

    const second = await converse(scenes, { keepServer: true, token: stored });
    expect(await second.run(null, signal)).toMatchObject({ kind: "signal" });
    expect(readFileSync(join(workspace, "c.txt"), "utf8")).toBe("gamma");
    expect(standIn.requests()).toHaveLength(2);
    expect(spent).toHaveLength(2);

    // A crash right after: the signal is told again without asking the model.
    const third = await converse(scenes, { keepServer: true, token: stored });
    const again = await third.run(null, signal);
    expect(again).toMatchObject({ kind: "signal", signal: { kind: "done" }, callId: expect.any(String) });
    expect(standIn.requests()).toHaveLength(2);
  });

  it("resumes with an answer in the same conversation after a question", async () => {
    const ask = {
      calls: [{ tool: "align_request", input: { question: "Integer or text?", options: ["int", "text"] } }],
    };
    const conversation = await converse([
      {
        name: "answered",
        prompt: "The answer is",
        steps: [(seen) => ({ say: `${seen.opening} / ${seen.prompt}` })],
      },
      { name: "task", steps: [ask] },
    ]);
    expect(await conversation.run(promptLine`Do it.`, signal)).toMatchObject({
      kind: "signal",
      signal: {
        kind: "align-request",
        question: "Integer or text?",
        options: ["int", "text"],
        blocking: true,
      },
    });
    const end = await conversation.run(promptLine`The answer is text.`, signal);
    expect(end).toEqual({ kind: "ended", text: "Do it. / The answer is text." });
  });

  it("accepts one signal per answer and rejects the others", async () => {
    const ask = (question: string) => ({ tool: "align_request", input: { question } });
    const conversation = await converse([
      { name: "task", steps: [{ calls: [ask("first?"), ask("second?")] }] },
    ]);
    expect(await conversation.run(promptLine`Do it.`, signal)).toMatchObject({
      signal: { question: "first?" },
    });
    expect(entries.at(-1)).toMatchObject({ error: "not-allowed", output: expect.stringContaining("again") });
  });

  it.each<[Fault["kind"], object]>([
    ["refusal", { kind: "refused" }],
    ["unauthorized", { kind: "failed", error: { kind: "authentication" } }],
    ["malformed", { kind: "failed", error: { kind: "malformed" } }],
  ])("ends cleanly on %s and can resume", async (kind, expected) => {
    const conversation = await converse([{ name: "task", steps: [{ say: "Hello." }] }], {
      faults: [{ kind, times: kind === "unauthorized" ? 1 : 2 }],
    });
    expect(await conversation.run(promptLine`Speak.`, signal)).toMatchObject(expected);
    if (kind === "refusal") await conversation.run(null, signal);
    expect(await conversation.run(null, signal)).toEqual({ kind: "ended", text: "Hello." });
    const counted = entries.filter((entry) => entry.kind === "usage").length;
    expect(spent).toHaveLength(counted);
  });

  it("stops before a request when the budget is spent, and after the maximum of turns", async () => {
    const endless: Scene[] = [
      {
        name: "task",
        steps: Array.from({ length: 9 }, () => ({ calls: [{ tool: "list_files", input: {} }] })),
      },
    ];
    const poor = await converse(endless, { gate: () => "budget" });
    expect(await poor.run(promptLine`Work.`, signal)).toEqual({ kind: "gate", gate: "budget" });
    expect(standIn.requests()).toHaveLength(0);
    await standIn.close();
    const long = await converse(endless, { maxTurns: 3 });
    expect(await long.run(promptLine`Work.`, signal)).toEqual({ kind: "turn-limit" });
    expect(standIn.requests()).toHaveLength(3);
  });

  it("stops a running command on request", async () => {
    const stop = new AbortController();
    const conversation = await converse([
      {
        name: "task",
        steps: [{ calls: [{ tool: "run_command", input: { command: "touch begun; sleep 60" } }] }],
      },
    ]);
    const end = conversation.run(promptLine`Work.`, stop.signal);
    await expect.poll(() => entries.some((entry) => entry.kind === "tool-call")).toBe(true);
    stop.abort();
    expect(await end).toEqual({ kind: "aborted" });
    expect(entries.at(-1)).toMatchObject({ kind: "tool-result", error: "cancelled" });
  });

  it("returns the checked value of a structured answer, and warns once of a full window", async () => {
    const vote = structuredTool(
      "vote",
      "Votes.",
      z.strictObject({ approve: z.boolean(), reason: z.string() }),
    );
    const conversation = await converse(
      [
        {
          name: "task",
          steps: [
            { calls: [{ tool: "vote", input: { approve: "yes" } }] },
            { calls: [{ tool: "vote", input: { approve: true, reason: "It holds." } }] },
          ],
        },
      ],
      { tools: [vote], window: 100 },
    );
    expect(await conversation.run(promptLine`Judge.`, signal)).toMatchObject({
      kind: "signal",
      signal: { kind: "structured", name: "vote", value: { approve: true, reason: "It holds." } },
    });
    expect(entries.filter((entry) => entry.kind === "notice")).toHaveLength(1);
    expect(standIn.requests()[0]?.body).toMatchObject({
      tools: [{ name: "vote", input_schema: { type: "object", required: ["approve", "reason"] } }],
    });
  });
});
