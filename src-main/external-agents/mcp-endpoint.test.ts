import { describe, expect, it } from "vitest";
import { z } from "zod";
import { resourceText } from "#shared/domain/text/prompt-text.ts";
import { agentTools } from "../tools/agent-tools.ts";
import { defineTool, type Tool } from "../tools/tool-interface.ts";
import { noticesIn, type Step, scriptedWorker } from "./testing/run-scripted.ts";

const never = new AbortController().signal;
const task = resourceText("Do the task.");
const done = { mcp: "report_done", input: { summary: "All of it." } };

const addOne = defineTool({
  name: "add_one",
  description: "Adds one.",
  input: z.strictObject({ value: z.number() }),
  writes: false,
  run: async ({ value }) => ({ ok: true, output: String(value + 1) }),
});
const tools: readonly Tool[] = [
  addOne,
  ...agentTools().filter(({ name }) => ["report_done", "align_request"].includes(name)),
];

async function workerWith(script: readonly (readonly Step[])[], over: { signalMs?: number } = {}) {
  const worker = await scriptedWorker({ script });
  const tokens: string[] = [];
  const driver = worker.driver(over);
  const options = worker.options({ tools, onTurn: ({ parts }) => void tokens.push(parts[1] ?? "") });
  return { worker, driver, options, tokens, conversation: driver.start(options) };
}

const answers = (notes: readonly string[]): readonly string[] =>
  notes.filter((note) => note.startsWith("mcp "));

describe("Hox's tools over MCP", () => {
  it("are listed to be always loaded, run, and recorded under their own names", async () => {
    const { worker, conversation } = await workerWith([
      [{ mcp: null }, { mcp: "add_one", input: { value: 41 } }, { mcp: "add_one", input: { value: "x" } }],
    ]);
    expect(await conversation.run(task, never)).toMatchObject({ kind: "ended" });
    const [list, result, refused] = answers(worker.notes());
    expect(list).toContain('"name":"report_done"');
    expect(list?.split('"anthropic/alwaysLoad":true')).toHaveLength(tools.length + 1);
    expect(result).toContain('"text":"42"');
    expect(refused).toContain("Invalid input of add_one");
    expect(worker.entries.filter(({ kind }) => kind.startsWith("tool-"))).toMatchObject([
      { kind: "tool-call", tool: "add_one", input: { value: 41 } },
      { kind: "tool-result", tool: "add_one", output: "42", error: null },
      { kind: "tool-call", tool: "add_one", input: { value: "x" } },
      { kind: "tool-result", tool: "add_one", error: "invalid-input" },
    ]);
  });

  it("are recorded once where the agent shows its call too", async () => {
    const call = { title: "mcp__hox__add_one", kind: "other", rawInput: { value: 1 } };
    const other = { title: "cat hox/add_one", kind: "execute", rawInput: { command: "cat hox/add_one" } };
    const { worker, conversation } = await workerWith([[{ call }, { call: other }]]);
    await conversation.run(task, never);
    expect(worker.entries.filter(({ kind }) => kind === "tool-call")).toMatchObject([{ tool: "execute" }]);
  });

  it("end the turn with a signal, once, and it is stored before the agent hears of it", async () => {
    const { worker, conversation, tokens } = await workerWith([[done, done, { say: "Bye." }]]);
    const signal = { kind: "done", summary: "All of it." };
    expect(await conversation.run(task, never)).toMatchObject({ kind: "signal", signal, text: "Bye." });
    const [recorded, second] = answers(worker.notes());
    expect(recorded).toContain("Recorded. End your turn now");
    expect(second).toContain("Not taken");
    expect(tokens.filter((token) => token.includes("All of it."))).not.toEqual([]);
  });

  it("cancel a turn that continues after its signal", async () => {
    const { worker, conversation } = await workerWith([[done, { hang: true }]], { signalMs: 50 });
    expect(await conversation.run(task, never)).toMatchObject({ kind: "signal", signal: { kind: "done" } });
    expect(worker.notes()).toContain("cancel");
  });

  it("repeat a signal after a crash until it was reported, and forget it with the next prompt", async () => {
    const { worker, driver, options, conversation } = await workerWith([[done], [{ say: "more" }]]);
    const end = await conversation.run(task, never);
    const { token } = conversation;
    const resumed = driver.resume(token, options);
    expect(await resumed.run(null, never)).toEqual({ ...end, text: "" });
    expect(await resumed.run(task, never)).toEqual({ kind: "ended", text: "more" });
    expect(JSON.parse(resumed.token.parts[1] ?? "")).toEqual([null, "more"]);
    expect(await driver.resume(resumed.token, options).run(null, never)).toEqual({
      kind: "ended",
      text: "more",
    });
    expect(worker.runners).toHaveLength(1);
  });

  it("pass on a question that does not block while the turn continues", async () => {
    const question = { mcp: "align_request", input: { question: "Which?", blocking: false } };
    const { worker, conversation } = await workerWith([
      [
        question,
        question,
        { wait: "go" },
        { mcp: "add_one", input: { value: 1 } },
        { say: "Answered myself." },
      ],
    ]);
    expect(await conversation.run(task, never)).toMatchObject({
      kind: "signal",
      signal: { kind: "align-request", question: "Which?", blocking: false },
    });
    expect(await conversation.run(null, never)).toMatchObject({ signal: { kind: "align-request" } });
    worker.touch("go");
    expect(await conversation.run(null, never)).toEqual({ kind: "ended", text: "Answered myself." });
    expect(answers(worker.notes())[2]).toContain('"text":"2"');
  });

  it("end a turn that is still running after a question when the run is paused", async () => {
    const question = { mcp: "align_request", input: { question: "Which?", blocking: false } };
    const { worker, driver, options } = await workerWith([[question, { hang: true }]]);
    let gate: "pause" | null = null;
    const conversation = driver.start({ ...options, gate: () => gate });
    expect(await conversation.run(task, never)).toMatchObject({ kind: "signal" });
    gate = "pause";
    expect(await conversation.run(null, never)).toEqual({ kind: "gate", gate: "pause" });
    expect(worker.notes()).toContain("cancel");
  });

  it("are refused without the worker's token, and outside of a turn", async () => {
    const { worker, conversation } = await workerWith([[]]);
    await conversation.run(task, never);
    const call = (authorization: string): Promise<Response> =>
      worker.callMcp(authorization, "tools/call", { name: "add_one", arguments: { value: 1 } });
    expect((await call("Bearer guessed")).status).toBe(401);
    expect((await call("")).status).toBe(401);
    expect(await (await call("Bearer mcp-token")).text()).toContain("No turn is open");
    expect(worker.entries.filter(({ kind }) => kind === "tool-call")).toEqual([]);
  });

  it("are missed where the agent has no MCP over HTTP, which is said", async () => {
    const worker = await scriptedWorker({ script: [[]], offers: { resume: true } });
    await worker.driver().start(worker.options({ tools })).run(task, never);
    expect(noticesIn(worker.entries)).toEqual([expect.stringMatching(/cannot call Hox's tools/u)]);
  });
});
