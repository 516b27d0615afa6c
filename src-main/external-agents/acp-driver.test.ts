import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { resourceText } from "#shared/domain/text/prompt-text.ts";
import { eventually } from "../testing/kit.ts";
import { createRedactor } from "../tools/redact.ts";
import { customDialect } from "./dialects.ts";
import { noticesIn, type Step, scriptedWorker, textOf } from "./testing/run-scripted.ts";

const never = new AbortController().signal;
const task = resourceText("Do the task.");

const runOnce = async (script: readonly (readonly Step[])[], offers?: Readonly<Record<string, boolean>>) => {
  const worker = await scriptedWorker({ script, ...(offers ? { offers } : {}) });
  const driver = worker.driver();
  const conversation = driver.start(worker.options());
  return { worker, driver, conversation, end: await conversation.run(task, never) };
};

describe.each([
  ["in its sandbox", true],
  ["without a sandbox", false],
])("an agent over ACP %s", (_, isContained) => {
  it.runIf(process.platform === "linux" || !isContained)(
    "works on files, reaches the gateway, and its turn becomes entries of the conversation",
    async () => {
      const worker = await scriptedWorker({
        isContained,
        script: [
          [
            { think: "Looking." },
            { plan: [{ content: "write", status: "pending", priority: "high" }] },
            { write: "src/new.txt", text: "one\ntwo\n" },
            { model: "/v1/messages" },
            { say: "I am " },
            { say: "done." },
          ],
        ],
      });
      const driver = worker.driver();
      const conversation = driver.start(worker.options());
      expect(await conversation.run(task, never)).toEqual({ kind: "ended", text: "I am done." });
      const place = { path: "src/new.txt" };
      expect(worker.entries.filter(({ kind }) => kind !== "text")).toMatchObject([
        { kind: "prompt", text: "Do the task.", iteration: 1 },
        { kind: "thinking", text: "Looking." },
        { kind: "tool-call", tool: "plan", input: { entries: [{ content: "write" }] } },
        { kind: "tool-result", tool: "plan", error: null },
        { kind: "tool-call", tool: "edit", input: { title: "Write src/new.txt", locations: [place] } },
        { kind: "tool-result", tool: "edit", error: null, output: expect.stringContaining("+one\n+two") },
      ]);
      expect(textOf(worker.entries)).toBe("I am done.");
      expect(worker.requests).toEqual(["POST /v1/messages"]);
      expect(worker.notes().at(-1)).toBe("model 200 from the gateway");
      await driver.close();
    },
  );
});

describe("a turn of an agent over ACP", () => {
  it("ends as the agent says", async () => {
    const cases = [
      [{ stop: "end_turn" }, { kind: "ended" }],
      [{ stop: "max_tokens" }, { kind: "cut", reason: "max_tokens" }],
      [{ stop: "max_turn_requests" }, { kind: "turn-limit" }],
      [{ stop: "refusal" }, { kind: "refused" }],
      [{ error: -32603, message: "Reached maximum number of turns (3)" }, { kind: "turn-limit" }],
    ] as const;
    const worker = await scriptedWorker({ script: cases.map(([step]) => [step]) });
    const turns: string[] = [];
    const driver = worker.driver({
      gateway: {
        openTurn: () => void turns.push("open"),
        closeTurn: () => void turns.push("close"),
        idle: async () => void turns.push("idle"),
      },
    });
    const conversation = driver.start(worker.options());
    for (const [step, end] of cases)
      expect(await conversation.run(task, never), JSON.stringify(step)).toMatchObject(end);
    expect(turns).toEqual(cases.flatMap(() => ["open", "close", "idle"]));
  });

  it("has protected files put back at its end, and is told with its next prompt", async () => {
    const worker = await scriptedWorker({ script: [[{ write: ".npmrc", text: "x" }], [{ say: "again" }]] });
    const conversation = worker.driver().start(worker.options());
    await conversation.run(task, never);
    expect(existsSync(join(worker.workspace, ".npmrc"))).toBe(false);
    const restored = expect.stringContaining("Protected, restored: .npmrc");
    expect(worker.entries).toContainEqual({ kind: "notice", text: restored });
    await conversation.run(task, never);
    expect(worker.notes().filter((note) => note.startsWith("prompt "))).toEqual([
      expect.not.stringContaining(".npmrc"),
      restored,
    ]);
  });

  it("fails with the reason and a remedy", async () => {
    const cases = [
      [{ stop: "cancelled" }, /cancelled its turn, which Hox did not ask for/u],
      [{ error: -32000, message: "Authentication required" }, /is not logged in.*Authentication required/u],
      [{ error: -32603, message: "boom" }, /failed \(-32603\): boom/u],
    ] as const;
    const worker = await scriptedWorker({ script: cases.map(([step]) => [step]) });
    const conversation = worker.driver().start(worker.options());
    for (const [, message] of cases) {
      const end = await conversation.run(task, never);
      expect(end).toMatchObject({ kind: "failed", error: { message: expect.stringMatching(message) } });
      expect(end).toHaveProperty("error.remedy", expect.stringMatching(/\w/u));
    }
  });

  it("fails before its first prompt where the agent is logged out", async () => {
    const { end } = await runOnce([[]], { loggedOut: true });
    expect(end).toMatchObject({
      kind: "failed",
      error: { message: expect.stringMatching(/not logged in/u) },
    });
  });

  it("has a session for each conversation, with the system prompt", async () => {
    const { worker, driver } = await runOnce([[{ say: "one" }], [{ say: "two" }]]);
    await driver.start(worker.options()).run(task, never);
    const notes = worker.notes();
    expect(notes.filter((note) => note.startsWith("new "))).toHaveLength(2);
    expect(notes[0]).toContain("The system prompt.");
    expect(notes.filter((note) => note.startsWith("close "))).toHaveLength(1);
    expect(worker.runners).toHaveLength(1);
  });

  it("sends the system prompt with the first message where the agent takes none", async () => {
    const { worker, conversation } = await runOnce([[], []], { resume: true, http: true });
    await conversation.run(task, never);
    expect(worker.notes().filter((note) => note.startsWith("prompt "))).toEqual([
      "prompt The system prompt.  Do the task.",
      "prompt Do the task.",
    ]);
  });

  it("says what the agent offers", async () => {
    const { driver } = await runOnce([[]]);
    expect(driver.capabilities()).toEqual({
      ...{ resume: "resume", fork: false, steering: false, usage: "metered" },
      ...{ plan: true, mcpHttp: true, images: false },
    });
  });

  it("hides secrets whatever they look like in JSON", async () => {
    const quoted = 'a "quoted" secret';
    const said = "One\rest-0123456789";
    const worker = await scriptedWorker({
      script: [[{ call: { title: "Try", rawInput: { [quoted]: quoted } } }, { say: said }]],
    });
    const { toolContext } = worker.options();
    const { redact } = createRedactor([quoted, "rest-0123456789"]);
    const conversation = worker.driver().start(worker.options({ toolContext: { ...toolContext, redact } }));
    expect(await conversation.run(task, never)).toMatchObject({ kind: "ended", text: said });
    expect(JSON.stringify(worker.entries)).toContain("[redacted]");
    expect(JSON.stringify(worker.entries)).not.toContain("quoted");
  });

  it("rejects when an entry cannot be written", async () => {
    const worker = await scriptedWorker({ script: [[{ say: "text" }]] });
    const conversation = worker.driver().start(
      worker.options({
        onEntry: ({ kind }) => {
          if (kind === "text") throw new Error("The disk is full.");
        },
      }),
    );
    await expect(conversation.run(task, never)).rejects.toThrow("The disk is full.");
  });
});

describe("an agent over ACP that is interrupted", () => {
  it("ends with the gate after the call that was running, and continues in the same session", async () => {
    const worker = await scriptedWorker({
      script: [
        [{ write: "one.txt", text: "1" }, { wait: "never" }, { write: "two.txt", text: "2" }],
        [{ say: "on" }],
      ],
    });
    let gate: "pause" | null = null;
    const options = worker.options({
      gate: () => gate,
      onEntry: ({ kind }) => {
        if (kind === "tool-call") gate = "pause";
      },
    });
    const conversation = worker.driver().start(options);
    expect(await conversation.run(task, never)).toEqual({ kind: "gate", gate: "pause" });
    expect(await conversation.run(null, never)).toEqual({ kind: "gate", gate: "pause" });
    gate = null;
    expect(await conversation.run(null, never)).toEqual({ kind: "ended", text: "on" });
    expect(worker.notes().filter((note) => note.startsWith("new "))).toHaveLength(1);
  });

  it("has its task told again where it forgets what was cancelled", async () => {
    const worker = await scriptedWorker({
      script: [[{ touch: "here" }, { wait: "never" }], [{ say: "on" }]],
    });
    const dialect = { ...customDialect("scripted", ["scripted"], {}), forgetsCancelled: true as const };
    const stop = new AbortController();
    const conversation = worker.driver({ dialect }).start(worker.options());
    const running = conversation.run(task, stop.signal);
    await worker.exists("here");
    stop.abort();
    expect(await running).toEqual({ kind: "aborted" });
    expect(await conversation.run(null, never)).toEqual({ kind: "ended", text: "on" });
    expect(worker.notes().at(-1)).toMatch(/^prompt Do the task\..*Your turn was interrupted/u);
  });

  it("is cancelled when the user stops it, and answers its permission requests with that", async () => {
    const worker = await scriptedWorker({ script: [[{ touch: "here" }, { ask: "Write x" }]] });
    const stop = new AbortController();
    const asked: string[] = [];
    const driver = worker.driver({
      permissions: ({ toolCall }) => {
        asked.push(String(toolCall.title));
        return new Promise(() => undefined);
      },
    });
    const running = driver.start(worker.options()).run(task, stop.signal);
    await eventually(() => expect(asked).toEqual(["Write x"]));
    stop.abort();
    expect(await running).toEqual({ kind: "aborted" });
    await eventually(() => expect(worker.notes()).toContain("permission cancelled"));
  });

  it("is ended when it ignores the cancel, and resumed with the next prompt", async () => {
    const worker = await scriptedWorker({
      script: [[{ deafToCancel: true }, { touch: "here" }, { hang: true }], [{ say: "back" }]],
      limits: { cancelMs: 300 },
    });
    const stop = new AbortController();
    const conversation = worker.driver().start(worker.options());
    const running = conversation.run(task, stop.signal);
    await worker.exists("here");
    stop.abort();
    expect(await running).toEqual({ kind: "aborted" });
    expect(await conversation.run(task, never)).toEqual({ kind: "ended", text: "back" });
    expect(worker.notes().some((note) => note.startsWith("resume "))).toBe(true);
    expect(worker.runners).toHaveLength(1);
  });

  it("waits for a late answer before it sends another prompt", async () => {
    const worker = await scriptedWorker({
      script: [
        [{ deafToCancel: true }, { touch: "here" }, { wait: "answer" }, { say: "late" }],
        [{ say: "next" }],
      ],
      limits: { cancelMs: 60_000 },
    });
    const stop = new AbortController();
    const conversation = worker.driver().start(worker.options());
    const running = conversation.run(task, stop.signal);
    await worker.exists("here");
    stop.abort();
    await eventually(() => expect(worker.notes()).toContain("cancel"));
    worker.touch("answer");
    expect(await running).toEqual({ kind: "aborted" });
    expect(await conversation.run(task, never)).toEqual({ kind: "ended", text: "next" });
    expect(textOf(worker.entries)).toBe("latenext");
  });

  it("has its sandbox ended where even its runner does not hear", async () => {
    const worker = await scriptedWorker({
      script: [
        [{ deafToCancel: true }, { deafToEnd: true }, { pid: true }, { touch: "here" }, { hang: true }],
        [{ say: "back" }],
      ],
      limits: { cancelMs: 600_000 },
    });
    const stop = new AbortController();
    const conversation = worker.driver({ killMs: 200 }).start(worker.options());
    const running = conversation.run(task, stop.signal);
    await worker.exists("here");
    stop.abort();
    expect(await running).toEqual({ kind: "aborted" });
    expect(await conversation.run(task, never)).toMatchObject({ kind: "ended" });
    expect(worker.runners).toHaveLength(2);
    const pid = worker
      .notes()
      .find((note) => note.startsWith("pid "))
      ?.slice(4);
    expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
  });
});

describe("an agent over ACP with a fault", () => {
  it("is started again once where it dies, and resumes its session", async () => {
    const { worker, end } = await runOnce([[{ say: "half" }, { die: 7 }], [{ say: "whole" }]]);
    expect(end).toEqual({ kind: "ended", text: expect.stringContaining("whole") });
    expect(noticesIn(worker.entries)).toEqual([
      expect.stringMatching(/ended unexpectedly \(it exited with code 7: last words\)/u),
    ]);
    const session = worker.notes().find((note) => note.startsWith("resume "));
    expect(session).toBeDefined();
    expect(worker.notes().at(-1)).toMatch(/^prompt Your process ended/u);
  });

  it("fails where it dies a second time", async () => {
    const { end } = await runOnce([[{ die: 7 }], [{ die: 8 }]]);
    expect(end).toMatchObject({
      kind: "failed",
      error: { message: expect.stringMatching(/it exited with code 8: last words/u) },
    });
  });

  it("fails where it dies and cannot resume, and begins its task again when the run is resumed", async () => {
    const { worker, end, conversation } = await runOnce([[{ die: 7 }], [{ say: "again" }]], { http: true });
    expect(end).toMatchObject({ kind: "failed", error: { message: expect.stringMatching(/code 7/u) } });
    expect(await conversation.run(null, never)).toEqual({ kind: "ended", text: "again" });
    expect(worker.notes().at(-1)).toMatch(
      /^prompt The system prompt\. {2}Do the task\. {2}Your turn was interrupted/u,
    );
    expect(noticesIn(worker.entries)).toEqual([expect.stringMatching(/could not resume its session/u)]);
  });

  it("has nothing told twice where it resumes by a replay", async () => {
    const { worker, end } = await runOnce([[{ say: "one" }, { die: 7 }], [{ say: "two" }]], {
      load: true,
      http: true,
    });
    expect(end).toMatchObject({ kind: "ended" });
    expect(worker.notes().some((note) => note.startsWith("load "))).toBe(true);
    expect(textOf(worker.entries)).toBe("onetwo");
  });

  it("is started again where it closes its connection and lives on", async () => {
    const { worker, end } = await runOnce([[{ closeOutput: true }, { hang: true }], [{ say: "back" }]]);
    expect(end).toMatchObject({ kind: "ended", text: "back" });
    expect(worker.runners).toHaveLength(1);
  });

  it("is not started again for a worker that is stopped meanwhile", async () => {
    const worker = await scriptedWorker({ script: [[{ touch: "here" }, { wait: "go" }, { die: 7 }]] });
    const stop = new AbortController();
    const running = worker.driver().start(worker.options()).run(task, stop.signal);
    await worker.exists("here");
    stop.abort();
    expect(await running).toEqual({ kind: "aborted" });
  });

  it("fails where its program is missing", async () => {
    const worker = await scriptedWorker({ script: [], words: ["/no/such/agent"] });
    expect(await worker.driver().start(worker.options()).run(task, never)).toMatchObject({
      kind: "failed",
      error: { message: expect.stringMatching(/could not be started.*ENOENT/u) },
    });
  });

  it("loses no text of a flood, and holds no more of it than it may", async () => {
    const count = 20_000;
    const worker = await scriptedWorker({
      script: [[{ flood: count }]],
      limits: { unconfirmedBytes: 20_000 },
    });
    const conversation = worker.driver().start(worker.options());
    expect(await conversation.run(task, never)).toMatchObject({ kind: "ended" });
    expect(textOf(worker.entries)).toBe(Array.from({ length: count }, (_, index) => `${index},`).join(""));
    expect(worker.entries.length).toBeLessThan(count);
  });

  it("is not believed what it used where the gateway counts, and does not count as free elsewhere", async () => {
    const lie = { inputTokens: -5, outputTokens: 1, totalTokens: 1 };
    const honest = { inputTokens: 10, outputTokens: 2, totalTokens: 12 };
    const script = [[{ usage: lie }], [{ usage: honest }], [{ usage: lie }], [{}]];
    const worker = await scriptedWorker({ script });
    const spent: number[] = [];
    const options = worker.options({ onSpent: ({ microDollars }) => void spent.push(microDollars) });
    const conversation = worker.driver().start(options);
    await conversation.run(task, never);
    await conversation.run(task, never);
    expect(spent).toEqual([]);

    const reporting = worker.driver({ usage: { price: ({ input, output }) => input + output } });
    const other = reporting.start(options);
    await other.run(task, never);
    await other.run(task, never);
    expect(noticesIn(worker.entries).filter((notice) => notice.includes("did not report"))).toHaveLength(2);
    expect(spent).toEqual([]);
    expect(reporting.capabilities().usage).toBe("none");
  });

  it("has counted what it reports where nothing else counts", async () => {
    const worker = await scriptedWorker({
      script: [[{ usage: { inputTokens: 10, outputTokens: 2, totalTokens: 15, cachedReadTokens: 3 } }]],
    });
    const spent: unknown[] = [];
    const driver = worker.driver({ usage: { price: () => 7 } });
    await driver.start(worker.options({ onSpent: (one) => void spent.push(one) })).run(task, never);
    const usage = { input: 10, output: 2, cacheRead: 3, cacheWrite5m: 0, cacheWrite1h: 0 };
    expect(spent).toEqual([{ usage, microDollars: 7, requests: 1 }]);
    expect(worker.entries).toContainEqual({ kind: "usage", usage, microDollars: 7, model: "model-1" });
  });

  it("is shown where it continues after the end of its turn", async () => {
    const worker = await scriptedWorker({ script: [[{ say: "done" }, { late: "not yet" }]] });
    const conversation = worker.driver().start(worker.options());
    expect(await conversation.run(task, never)).toEqual({ kind: "ended", text: "done" });
    await eventually(() => expect(textOf(worker.entries)).toBe("donenot yet"));
    expect(noticesIn(worker.entries)).toEqual([
      expect.stringMatching(/continued after the end of its turn/u),
    ]);
  });

  it("is not disturbed by lines that are no messages", async () => {
    const { worker, end } = await runOnce([
      [{ noise: "Debugger attached." }, { noise: "{}" }, { say: "fine" }],
    ]);
    expect(end).toEqual({ kind: "ended", text: "fine" });
    expect(textOf(worker.entries)).toBe("fine");
  });

  it("shows what a command printed where the agent has it for a terminal only", async () => {
    const call = {
      title: "ls",
      name: "exec_command",
      kind: "execute",
      content: [{ type: "terminal", terminalId: "1" }],
    };
    const _meta = { terminal_output_delta: { data: "a.txt\n", terminal_id: "1" } };
    const { worker } = await runOnce([[{ call, result: { _meta } }]]);
    expect(worker.entries).toContainEqual(
      expect.objectContaining({ kind: "tool-result", tool: "exec_command", output: "a.txt\n", error: null }),
    );
  });

  it("has calls ended that it left open", async () => {
    const { worker } = await runOnce([
      [{ call: { title: "Run", kind: "execute" }, result: { status: "in_progress" } }],
    ]);
    expect(worker.entries).toContainEqual(
      expect.objectContaining({ kind: "tool-result", tool: "execute", error: "cancelled" }),
    );
  });
});

describe("a permission request", () => {
  it("is allowed once where the sandbox decides", async () => {
    const { worker } = await runOnce([[{ ask: "Write x" }]]);
    expect(worker.notes()).toContain("permission allow_once");
    expect(noticesIn(worker.entries)[0]).toMatch(/^Asked for permission: Write x\./u);
  });

  it("is answered with what the user chose of what is offered", async () => {
    const choices = ["reject_once", null, "made-up"];
    const worker = await scriptedWorker({ script: choices.map(() => [{ ask: "Write x" }]) });
    const conversation = worker
      .driver({ permissions: async () => choices[asked++] ?? null })
      .start(worker.options());
    let asked = 0;
    for (const _ of choices) await conversation.run(task, never);
    expect(worker.notes().filter((note) => note.startsWith("permission "))).toEqual([
      "permission reject_once",
      "permission cancelled",
      "permission cancelled",
    ]);
  });
});
