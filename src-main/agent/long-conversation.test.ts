import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { promptLine } from "#shared/domain/text/prompt-text.ts";
import type { Scene } from "../model/stand-in/script.ts";
import { type ConversationsUnderTest, conversationsUnderTest } from "./testing/conversation-under-test.ts";

const { signal } = new AbortController();
let one: ConversationsUnderTest | null = null;
afterEach(() => one?.close());

const done = { calls: [{ tool: "report_done", input: { summary: "All is done." } }] };
const notices = (): string[] =>
  (one?.entries ?? []).flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []));
const callsMade = (): number => one?.entries.filter((entry) => entry.kind === "tool-call").length ?? 0;
const bodyOf = (index: number) =>
  one?.standIn.requests().at(index)?.body as {
    max_tokens: number;
    messages: { role: string; content: { type: string; text?: string; content?: string }[] }[];
  };

describe("text in a request", () => {
  it("contains no unpaired surrogate, wherever it is cut", async () => {
    one = await conversationsUnderTest([
      {
        name: "task",
        steps: [
          {
            calls: [
              { tool: "read_file", input: { path: "signs.txt" } },
              { tool: "search", input: { pattern: "x" } },
              { tool: "run_command", input: { command: "cat signs.txt" } },
              { tool: "write_file", input: { path: "half.txt", content: "half: \ud83d." } },
            ],
          },
          (seen) => ({ say: seen.results.map((result) => result.output.length).join(), ...done }),
        ],
      },
    ]);
    // Every limit that counts units falls into the middle of a sign.
    writeFileSync(join(one.workspace, "signs.txt"), `x${"😀".repeat(40_000)}`);
    const conversation = await one.begin();
    expect(await conversation.run(promptLine`Read ${"\ude00"} all.`, signal)).toMatchObject({
      kind: "signal",
    });
    expect(JSON.stringify(bodyOf(1))).not.toMatch(/\\ud[89a-f]/i);
    expect(one.standIn.requests().map(({ outcome }) => outcome)).toEqual([200, 200]);
  });
});

describe("a truncated answer", () => {
  it("continues in the same iteration: with its text, or with the call repeated and a larger limit", async () => {
    const content = "gamma ".repeat(50);
    one = await conversationsUnderTest(
      [
        {
          name: "task",
          steps: [{ calls: [{ tool: "write_file", input: { path: "c.txt", content } }] }, done],
        },
      ],
      { faults: [{ kind: "truncate", times: 2 }] },
    );
    const conversation = await one.begin();
    expect(await conversation.run(promptLine`Write.`, signal)).toMatchObject({ kind: "signal" });
    // The call that was cut never ran.
    expect(callsMade()).toBe(2);
    expect([0, 1, 2].map((index) => bodyOf(index).max_tokens)).toEqual([4000, 8000, 8000]);
    expect(notices()).toHaveLength(2);
    expect(bodyOf(1).messages).toHaveLength(1);
    await one.close();

    one = await conversationsUnderTest(
      [{ name: "task", steps: [{ say: "A long story. ".repeat(9) }, { say: "And its end." }] }],
      { faults: [{ kind: "truncate" }] },
    );
    const story = await one.begin();
    expect(await story.run(promptLine`Tell.`, signal)).toEqual({ kind: "ended", text: "And its end." });
    expect(bodyOf(1).messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(bodyOf(1).messages[2]?.content[0]?.text).toContain("Continue where it stopped");
  });

  it("ends the iteration when it is truncated repeatedly", async () => {
    one = await conversationsUnderTest([{ name: "task", steps: [{ say: "Words ".repeat(9), ...done }] }], {
      faults: [{ kind: "truncate", times: 9 }],
    });
    expect(await (await one.begin()).run(promptLine`Tell.`, signal)).toEqual({
      kind: "cut",
      reason: "max_tokens",
    });
    expect(one.standIn.count()).toBe(3);
  });
});

describe("repeated useless calls", () => {
  const read = (path: string) => ({ tool: "read_file", input: { path } });
  it.each<[string, Scene["steps"], number]>([
    ["one call", Array.from({ length: 60 }, () => ({ calls: [read("a.txt")] })), 12],
    [
      "a round of three",
      Array.from({ length: 60 }, (_, at) => ({ calls: [read(`${["a", "b", "c"][at % 3]}.txt`)] })),
      12,
    ],
    // As often as it is asked for in one answer, it is run three times.
    ["2,000 calls in one answer", [{ calls: Array.from({ length: 2_000 }, () => read("a.txt")) }], 3],
    [
      "a command that prints its time",
      Array.from({ length: 60 }, () => ({
        calls: [{ tool: "run_command", input: { command: "date +%N; false" } }],
      })),
      12,
    ],
  ])("%s: the model is warned, and the iteration ends after a dozen", async (_, steps, most) => {
    one = await conversationsUnderTest([{ name: "task", steps }]);
    for (const name of ["a", "b", "c"]) writeFileSync(join(one.workspace, `${name}.txt`), name);
    const conversation = await one.begin();
    expect(await conversation.run(promptLine`Work.`, signal)).toMatchObject({
      kind: "loop",
      calls: expect.stringMatching(/same/),
    });
    expect(callsMade()).toBe(most);
    if (most === 3) return;
    expect(notices().length).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify(bodyOf(-1))).toContain("[NOTE] You");
  });
});

describe("a conversation that outgrows its window", () => {
  const big = (name: string): string => `${name}\n${`the text of ${name} `.repeat(900)}`;
  /** Reads so many large files, one after another, then is done. */
  const reads = (count: number): Scene => ({
    name: "task",
    steps: [
      ...Array.from({ length: count }, (_, at) => ({
        thinking: `File ${at} is next.`,
        calls: [{ tool: "read_file", input: { path: `f${at}.txt` } }],
      })),
      { calls: [{ tool: "edit_file", input: { path: "f0.txt", old_text: "f0\n", new_text: "F0\n" } }] },
      done,
    ],
  });

  it("drops what can be read again before the window is full, and continues", async () => {
    one = await conversationsUnderTest([reads(20)], { window: 30_000 });
    for (let at = 0; at < 20; at++) writeFileSync(join(one.workspace, `f${at}.txt`), big(`f${at}`));
    const conversation = await one.begin({ keeps: () => promptLine`Decision: ids are text.` });
    const task = "Read everything; the contract says that ids are text.";
    expect(await conversation.run(promptLine`${task}`, signal)).toMatchObject({ kind: "signal" });
    // None was refused: it was never full.
    expect(one.standIn.requests().map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 22 }, () => 200),
    );
    expect(notices().filter((text) => text.includes("left out"))[0]).toMatch(
      /About [\d,]+ of 30,000 tokens.*\d+ messages are shorter/,
    );
    const last = bodyOf(-1).messages;
    expect(last[0]?.content[0]?.text).toContain(task);
    expect(JSON.stringify(last)).toContain("Decision: ids are text.");
    // The version of each file that was read stands yet, so that an edit is taken.
    expect(last[2]?.content[0]?.content).toMatch(/^"f0.txt" hash [0-9a-f]{16} .*\n\[left out to make room/);
    // The newest are whole.
    expect(last.at(-5)?.content[0]?.content).toContain("the text of f18");
    expect(one.stored()).toEqual(conversation.token);
  });

  it("makes room for a fresh conversation at a share of the window, if that would be emptier", async () => {
    one = await conversationsUnderTest([reads(20)], { window: 30_000 });
    for (let at = 0; at < 20; at++) writeFileSync(join(one.workspace, `f${at}.txt`), big(`f${at}`));
    const conversation = await one.begin({ freshContextAt: 0.6 });
    const end = await conversation.run(promptLine`Read everything.`, signal);
    expect(end).toMatchObject({ kind: "context-share", text: "" });
    const percent = end.kind === "context-share" ? end.percent : 0;
    expect(percent).toBeGreaterThanOrEqual(60);
    expect(percent).toBeLessThan(75);
    const asked = one.standIn.count();
    expect(asked).toBeLessThan(20);
    expect(notices().filter((text) => text.includes("left out"))).toEqual([]);
    // Every call of its last answer has its result: the work of this conversation is whole.
    expect(callsMade()).toBe(asked);

    // A fork of it is no iteration: it answers.
    const fork = conversation.fork({
      suffix: promptLine`Just say it.`,
      requester: "agent-1",
      gate: () => null,
      onEntry: () => {},
      onSpent: () => {},
    });
    expect((await fork.run(null, signal)).kind).not.toBe("context-share");
    await one.close();

    // One whose task alone fills as much would be as full again.
    one = await conversationsUnderTest([reads(4)], { window: 30_000 });
    for (let at = 0; at < 4; at++) writeFileSync(join(one.workspace, `f${at}.txt`), "short");
    const long = await one.begin({ freshContextAt: 0.6 });
    const words = `Read everything. ${"There are many words in it. ".repeat(2_500)}`;
    await long.run(promptLine`${words}`, signal);
    expect(one.standIn.count()).toBeGreaterThan(4);
  });

  it("makes room when the provider reports the limit first, in tokens or bytes", async () => {
    for (const limit of [{ window: 12_000 }, { maxBytes: 50_000 }]) {
      one = await conversationsUnderTest([reads(9)], {
        contextWindow: limit.window ?? 1_000_000,
        ...(limit.maxBytes ? { maxBytes: limit.maxBytes } : {}),
      });
      for (let at = 0; at < 9; at++) writeFileSync(join(one.workspace, `f${at}.txt`), big(`f${at}`));
      const conversation = await one.begin();
      expect(await conversation.run(promptLine`Read everything.`, signal)).toMatchObject({ kind: "signal" });
      expect(notices().some((text) => text.includes("left out"))).toBe(true);
      await one.close();
    }
    one = null;
  });

  it("shortens even a task that is longer than the window, keeping its beginning and end", async () => {
    one = await conversationsUnderTest([{ name: "task", steps: [done] }], { window: 12_000 });
    const conversation = await one.begin();
    const end = await conversation.run(promptLine`Begin ${"words ".repeat(20_000)} end.`, signal);
    expect(end).toMatchObject({ kind: "signal" });
    const [first] = bodyOf(-1).messages;
    expect(first?.content[0]?.text).toMatch(/^Begin words[\s\S]*characters are left out[\s\S]*end\.$/);
  });
});

describe("a picture", () => {
  const png =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  it("is sent to the model, and left out when the provider rejects it", async () => {
    one = await conversationsUnderTest([
      { name: "task", steps: [{ calls: [{ tool: "read_file", input: { path: "a.png" } }] }, done] },
    ]);
    writeFileSync(join(one.workspace, "a.png"), Buffer.from(png, "base64"));
    one.standIn.fail({
      kind: "refused",
      turns: 1,
      answer: {
        status: 400,
        body: {
          type: "error",
          error: { type: "invalid_request_error", message: "image: could not process image" },
        },
      },
    });
    const conversation = await one.begin();
    expect(await conversation.run(promptLine`Look.`, signal)).toMatchObject({ kind: "signal" });
    expect(bodyOf(1).messages[2]?.content[0]?.content).toMatchObject([
      { type: "text" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
    ]);
    expect(bodyOf(2).messages[2]?.content[0]?.content).toContain("does not take this picture");
  });
});
