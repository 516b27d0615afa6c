import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { totalTokens } from "#shared/domain/spending/usage.ts";
import { promptLine } from "#shared/domain/text/prompt-text.ts";
import { createCheckRunner } from "../checks/check-runner.ts";
import { createAnthropicDriver } from "../model/anthropic-driver.ts";
import { createRateLimit } from "../model/rate-limit.ts";
import type { Fault, Scene } from "../model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../model/stand-in/stand-in.ts";
import { tempDir } from "../testing/kit.ts";
import { agentTools } from "../tools/agent-tools.ts";
import { createSandbox } from "../tools/sandbox/sandbox.ts";
import type { PlacedCommand } from "../tools/tool-interface.ts";
import { workspaceFiles } from "../tools/workspace-files.ts";
import type { ResumeToken } from "./agent-interface.ts";
import { createConversation } from "./conversation.ts";
import { type IterationReport, type LoopEnd, type LoopOptions, type PromptFacts, runLoop } from "./loop.ts";
import type { PostToolsHook } from "./user-hooks.ts";

let workspace: string;
let standIn: StandIn;
let reports: IterationReport[];
let prompts: PromptFacts[];
let saved: number[];
let stored: ResumeToken | null;

beforeEach(() => {
  workspace = tempDir();
  [reports, prompts, saved, stored] = [[], [], [], null];
});
afterEach(async () => {
  await standIn.close();
});

async function loop(
  scenes: readonly Scene[],
  over: Partial<LoopOptions> & { faults?: Fault[]; gate?: () => "pause" | "budget" | null } = {},
): Promise<LoopEnd> {
  if (!over.resume) {
    standIn = await startStandIn({
      script: { name: "loop", routes: { "agent-1": scenes } },
      faults: over.faults ?? [],
    });
  }
  const sandbox = await createSandbox({ allowUnsandboxed: true });
  const driver = createAnthropicDriver({
    apiKey: standIn.apiKey,
    baseUrl: standIn.url,
    scheduler: createRateLimit(),
    models: () => ({ contextWindow: 1_000_000, maxOutput: 8000, adaptiveThinking: false, effort: false }),
    backoffMs: 5,
  });
  const signal = new AbortController().signal;
  const inWorkspace = (command: PlacedCommand) => sandbox.run({ ...command, workspace });
  const checks = createCheckRunner({
    sandbox,
    fastChecks: ["test -e done.txt"],
    slowChecks: [{ command: "grep -q good done.txt", everyNIterations: 3 }],
    timeoutSeconds: 20,
  });
  return runLoop({
    maxIterations: 4,
    run: inWorkspace,
    environment: {},
    signal,
    async buildPrompt(facts) {
      prompts.push(facts);
      return promptLine`[TASK] iteration ${facts.iteration}`;
    },
    conversation: (_, resumed) =>
      createConversation(
        {
          driver,
          model: "claude-sonnet-5-5",
          system: "Hox-Role: agent-1",
          tools: agentTools(),
          toolContext: {
            agent: "agent-1",
            signal,
            files: workspaceFiles({ workspace }),
            run: inWorkspace,
            environment: {},
          },
          requester: "agent-1",
          maxTokens: 1000,
          maxTurns: 5,
          gate: over.gate ?? (() => null),
          price: totalTokens,
          onEntry: () => {},
          onSpent: () => {},
          onTurn: (token) => {
            stored = token;
          },
        },
        resumed ? stored : null,
      ),
    async afterTools(iteration) {
      saved.push(iteration);
      return true;
    },
    checks: { run: (options) => checks.run({ ...options, workspace }) },
    async onIteration(report) {
      reports.push(report);
    },
    ...over,
  });
}

const write = (content: string): Scene["steps"][number] => ({
  calls: [{ tool: "write_file", input: { path: "done.txt", content } }],
});
const done = { calls: [{ tool: "report_done", input: { summary: "Done." } }] };

describe("agent loop", () => {
  it("counts as done only when every check passes, and lists failed checks in the next prompt", async () => {
    const end = await loop([
      { name: "first", prompt: "iteration 1", steps: [done] },
      { name: "second", prompt: "iteration 2", steps: [{ say: "I think that is all." }] },
      { name: "third", prompt: "iteration 3", steps: [write("bad"), done] },
      {
        name: "fourth",
        prompt: "iteration 4",
        steps: [{ calls: [{ tool: "read_file", input: { path: "done.txt" } }] }, write("good"), done],
      },
    ]);
    expect(end).toMatchObject({ kind: "done", summary: "Done.", iteration: 4 });
    expect(reports.map((report) => report.decision)).toEqual(["again", "again", "again", "done"]);
    expect(saved).toEqual([1, 2, 3, 4]);
    expect(prompts[1]).toMatchObject({
      failures: [
        { name: "test done.txt", outcome: "failed" },
        { speed: "slow", outcome: "failed" },
      ],
      notes: [expect.stringContaining("does not count")],
    });
    expect(prompts[2]?.notes).toEqual([expect.stringContaining("without calling report_done")]);
    expect(prompts[3]?.failures).toMatchObject([{ command: "grep -q good done.txt" }]);
    expect(standIn.unusedSteps()).toEqual([]);
  });

  it("waits for an answer and resumes in the same iteration; a non-blocking question is only reported", async () => {
    writeFileSync(join(workspace, "done.txt"), "good");
    const ask = (blocking: boolean): Scene["steps"][number] => ({
      calls: [{ tool: "align_request", input: { question: `blocking: ${blocking}`, blocking } }],
    });
    const scenes: Scene[] = [
      { name: "answer", prompt: "It is text.", steps: [done] },
      { name: "task", steps: [ask(false), ask(true)] },
    ];
    const asked: string[] = [];
    const end = await loop(scenes, {
      onQuestion: async (question) => {
        asked.push(question.question);
      },
    });
    expect(end).toMatchObject({ kind: "ask", iteration: 1, question: { question: "blocking: true" } });
    expect(asked).toEqual(["blocking: false"]);
    const after = await loop(scenes, { resume: { iteration: 1, prompt: promptLine`It is text.` } });
    expect(after).toMatchObject({ kind: "done", iteration: 1 });
    expect(prompts).toHaveLength(1);
  });

  it("saves the work when the budget ends it, and resumes later", async () => {
    let poor = false;
    const scenes: Scene[] = [{ name: "task", steps: [write("good"), done] }];
    const end = await loop(scenes, {
      gate: () => {
        const now = poor;
        poor = true;
        return now ? "budget" : null;
      },
    });
    expect(end).toEqual({ kind: "gate", gate: "budget", iteration: 1 });
    expect(saved).toEqual([1]);
    expect(existsSync(join(workspace, "done.txt"))).toBe(true);
    expect(await loop(scenes, { resume: { iteration: 1, prompt: null } })).toMatchObject({
      kind: "done",
      iteration: 1,
    });
  });

  it("continues after a failing hook, and ends when saving fails", async () => {
    writeFileSync(join(workspace, "done.txt"), "good");
    const hooks: PostToolsHook[] = [
      { name: "broken", on: "iteration", run: () => Promise.reject(new Error("no such program")) },
      {
        name: "fine",
        on: "iteration",
        async run() {
          // It follows the save, and what it does is checked.
          expect(saved).toEqual([1]);
          rmSync(join(workspace, "done.txt"));
          return { success: true, message: "formatted" };
        },
      },
      {
        name: "last",
        on: "task-done",
        run: async () => ({ success: true, message: "" }),
      },
    ];
    const scenes: Scene[] = [{ name: "task", prompt: "iteration 1", steps: [done] }];
    expect(await loop(scenes, { hooks: async () => hooks.slice(0, 2), maxIterations: 1 })).toMatchObject({
      kind: "iteration-limit",
      failures: [{ command: "test -e done.txt" }, { command: "grep -q good done.txt" }],
    });
    expect(reports[0]?.hooks).toMatchObject([
      { name: "broken", on: "iteration", success: false, message: "no such program" },
      { name: "fine", on: "iteration", success: true, message: "formatted" },
    ]);
    await standIn.close();
    writeFileSync(join(workspace, "done.txt"), "good");
    reports = [];
    expect(
      await loop([{ name: "task", steps: [done] }], { hooks: async () => hooks.slice(2) }),
    ).toMatchObject({
      kind: "done",
    });
    expect(reports[0]?.hooks).toMatchObject([{ name: "last", on: "task-done", success: true }]);
    await standIn.close();
    const afterTools = (): Promise<boolean> => Promise.reject(new Error("jj failed"));
    await expect(loop([{ name: "task", steps: [done] }], { afterTools })).rejects.toThrow("jj failed");
  });

  it("checks finished work again after a hook changed it, and does not count it as done when a check fails", async () => {
    writeFileSync(join(workspace, "done.txt"), "good");
    const spoils = async (): Promise<readonly PostToolsHook[]> => [
      {
        name: "spoils",
        on: "task-done",
        async run() {
          writeFileSync(join(workspace, "done.txt"), "bad");
          return { success: true, message: "" };
        },
      },
    ];
    const scenes: Scene[] = [{ name: "task", steps: [done] }];
    expect(await loop(scenes, { hooks: spoils, maxIterations: 1 })).toMatchObject({
      kind: "iteration-limit",
      failures: [{ command: "grep -q good done.txt" }],
    });
    expect(reports).toMatchObject([{ decision: "again", hooks: [{ name: "spoils" }] }]);
  });

  it("restarts with the reason when an iteration loops, and is blocked after three", async () => {
    const same = Array.from({ length: 12 }, () => ({ tool: "list_files", input: {} }));
    const end = await loop([{ name: "task", steps: [{ calls: same }] }]);
    expect(end).toMatchObject({
      kind: "blocked",
      iteration: 3,
      reason: expect.stringContaining("repeated the same calls"),
    });
    expect(prompts.at(-1)?.notes[0]).toContain("list_files 12 times in a row");
    expect(reports.map((report) => [report.end, report.decision])).toEqual([
      ["loop", "again"],
      ["loop", "again"],
      ["loop", "blocked"],
    ]);
  });

  it("is blocked by its own report, by refusals, by the engine, and by the iteration limit", async () => {
    const blocked = {
      calls: [{ tool: "report_done", input: { summary: "x", blocked: "No such interface." } }],
    };
    expect(await loop([{ name: "task", steps: [blocked] }])).toMatchObject({
      kind: "blocked",
      reason: "No such interface.",
    });
    await standIn.close();
    expect(
      await loop([{ name: "task", steps: [done] }], { faults: [{ kind: "refusal", times: 2 }] }),
    ).toMatchObject({
      kind: "blocked",
      iteration: 2,
    });
    await standIn.close();
    writeFileSync(join(workspace, "done.txt"), "good");
    const refuseDone = async (): Promise<string> => "your parent moved";
    expect(await loop([{ name: "task", steps: [done] }], { refuseDone, maxIterations: 2 })).toMatchObject({
      kind: "iteration-limit",
      iteration: 2,
    });
    expect(prompts.at(-1)?.notes).toEqual([expect.stringContaining("your parent moved")]);
  });
});
