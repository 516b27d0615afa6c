import { afterEach, describe, expect, it } from "vitest";
import { totalTokens, type Usage } from "#shared/domain/spending/usage.ts";
import { watchTimers } from "../testing/kit.ts";
import { createAnthropicDriver } from "./anthropic-driver.ts";
import type { ModelDriver, ModelMessage, ModelRequest } from "./driver-interface.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";
import { defineScript, type Fault, type Script } from "./stand-in/script.ts";
import { type StandIn, startStandIn } from "./stand-in/stand-in.ts";

const script = defineScript({
  name: "driver",
  routes: {
    "agent-*": [
      {
        name: "work",
        steps: [
          {
            thinking: "First I read both files, because they are independent.",
            say: "Reading the two files that the task names.",
            calls: [
              { tool: "read_file", input: { path: "a.txt" } },
              { tool: "read_file", input: { path: "b.txt" } },
            ],
          },
          (seen) => ({ say: `They say ${seen.results.map((one) => one.output).join(" and ")}.` }),
        ],
      },
    ],
  },
});

const readers = defineScript({
  name: "readers",
  routes: { "agent-*": [{ name: "looks", steps: [{ say: "I look.", waitMs: 50 }], optional: true }] },
});

/** Longer than a busy machine is silent. */
const idleMs = 60_000;

let standIn: StandIn;
afterEach(() => standIn.close());

async function setUp(
  options: { faults?: Fault[]; script?: Script; apiKey?: string; scheduler?: RateLimit } = {},
): Promise<ModelDriver> {
  standIn = await startStandIn({ script: options.script ?? script, faults: options.faults ?? [] });
  return createAnthropicDriver({
    apiKey: options.apiKey ?? standIn.apiKey,
    baseUrl: standIn.url,
    scheduler: options.scheduler ?? createRateLimit(),
    idleMs,
    backoffMs: 5,
    attempts: 3,
  });
}

const ask = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });
const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "claude-sonnet-5-5",
  maxTokens: 4000,
  system: "You work on one task.\nHox-Role: agent-1",
  tools: [
    {
      name: "read_file",
      description: "Reads a file.",
      inputSchema: { type: "object", properties: { path: { type: "string" } } },
    },
  ],
  messages: [ask("Read both files.")],
  requester: "agent-1",
  ...over,
});

function listen(): {
  text: string;
  thinking: string;
  retries: string[];
  usages: Usage[];
  on: Parameters<ModelDriver["stream"]>[1];
} {
  const heard = { text: "", thinking: "", retries: [] as string[], usages: [] as Usage[] };
  return Object.assign(heard, {
    on: {
      text: (delta: string) => {
        heard.text += delta;
      },
      thinking: (delta: string) => {
        heard.thinking += delta;
      },
      retry: (reason: string) => {
        heard.retries.push(reason);
      },
      usage: (usage: Usage) => {
        heard.usages.push(usage);
      },
    },
  });
}

const signal = new AbortController().signal;

describe("the driver's requests", () => {
  it("streams thinking, text and parallel calls, and continues with their results from the cache", async () => {
    const driver = await setUp();
    const heard = listen();
    const first = await driver.stream(request(), heard.on, signal);
    expect(first.stopReason).toBe("tool_use");
    expect(first.content.map((block) => block.type)).toEqual(["thinking", "text", "tool_use", "tool_use"]);
    expect(heard.text).toBe("Reading the two files that the task names.");
    expect(heard.thinking).toContain("independent");

    const calls = first.content.flatMap((block) => (block.type === "tool_use" ? [block] : []));
    const messages: ModelMessage[] = [
      ask("Read both files."),
      { role: "assistant", content: first.content },
      {
        role: "user",
        content: calls.map((call, index) => ({
          type: "tool_result",
          tool_use_id: call.id,
          content: `text ${index}`,
          is_error: false,
        })),
      },
    ];
    const second = await driver.stream(request({ messages }), heard.on, signal);
    expect(second.content).toEqual([{ type: "text", text: "They say text 0 and text 1." }]);
    expect(first.usage.cacheRead).toBe(0);
    expect(first.usage.cacheWrite5m).toBeGreaterThan(0);
    // Everything that the first request wrote is read by the second.
    expect(second.usage.cacheRead).toBe(first.usage.cacheWrite5m);
    expect(heard.usages).toEqual([first.usage, second.usage]);
    expect(standIn.unusedSteps()).toEqual([]);
  });

  it("lets one of several new conversations write the prefix that they share, and the others read it", async () => {
    const agent = (name: string): Partial<ModelRequest> => ({
      ...{ system: `You work on one task.\n\nYou are ${name}.\nHox-Role: ${name}`, requester: name },
      messages: [ask(`The task of ${name}.`)],
    });
    const driver = await setUp({ script: readers });
    const [first, second, third] = await Promise.all(
      ["agent-1", "agent-2", "agent-3"].map((name) => driver.stream(request(agent(name)), {}, signal)),
    );
    expect(first?.usage.cacheRead).toBe(0);
    expect(second?.usage.cacheRead).toBeGreaterThan(0);
    expect(third?.usage.cacheRead).toBe(second?.usage.cacheRead);
    const wrote = standIn
      .requests()
      .map(({ body }) => body as { system: readonly { cache_control?: unknown }[] });
    expect(wrote[0]?.system.map((block) => block.cache_control !== undefined)).toEqual([true, false]);
  });

  it("sends the others at once when the one that writes the prefix fails", async () => {
    const driver = await setUp({
      script: readers,
      faults: [{ kind: "unauthorized", role: "agent-1" }],
    });
    const [first, second] = await Promise.allSettled(
      ["agent-1", "agent-2"].map((name) =>
        driver.stream(
          request({ system: `Work.\n\nHox-Role: ${name}`, requester: name, messages: [ask(name)] }),
          {},
          signal,
        ),
      ),
    );
    expect(first?.status).toBe("rejected");
    expect(second).toMatchObject({ status: "fulfilled", value: { usage: { cacheRead: 0 } } });
  });

  it("sends the key as a bearer, summarised thinking, cache marks, and no sampling parameters", async () => {
    const driver = await setUp();
    await driver.stream(request(), {}, signal);
    const body = standIn.requests()[0]?.body as Record<string, unknown>;
    expect(body).toMatchObject({
      thinking: { type: "adaptive", display: "summarized" },
      system: [{ cache_control: { type: "ephemeral" } }],
      messages: [{ content: [{ cache_control: { type: "ephemeral" } }] }],
    });
    expect(Object.keys(body)).not.toEqual(expect.arrayContaining(["temperature"]));
    expect(Object.keys(body)).not.toContain("tool_choice");
  });

  it.each<[Fault["kind"], number]>([
    ["overloaded", 1],
    ["server", 1],
    ["error-event", 2],
    ["cut", 2],
  ])("survives one %s and reports every counted attempt once", async (kind, counted) => {
    const driver = await setUp({ faults: [{ kind }] });
    const heard = listen();
    const answer = await driver.stream(request(), heard.on, signal);
    expect(answer.stopReason).toBe("tool_use");
    expect(heard.retries).toHaveLength(1);
    expect(heard.usages).toHaveLength(counted);
    expect(heard.usages.at(-1)).toEqual(answer.usage);
    for (const usage of heard.usages) expect(totalTokens(usage)).toBeGreaterThan(usage.output);
  });

  it("aborts a body that stalls, and retries", async () => {
    const driver = await setUp({ faults: [{ kind: "stall" }] });
    const heard = listen();
    const passTime = watchTimers();
    const begun = Promise.withResolvers<void>();
    const asked = driver.stream(request(), { ...heard.on, thinking: () => begun.resolve() }, signal);
    await begun.promise;
    // The time of the first answer passes, and none of the second's.
    passTime(idleMs);
    const answer = await asked;
    expect(answer.stopReason).toBe("tool_use");
    expect(heard.retries[0]).toContain("sent nothing");
    expect(heard.usages).toHaveLength(2);
  });

  it("makes all requests wait for retry-after, and resumes automatically", async () => {
    const scheduler = createRateLimit();
    const driver = await setUp({ faults: [{ kind: "rate-limit", retryAfter: 1 }], scheduler });
    const pauses: (string | undefined)[] = [];
    scheduler.onPause((state) => pauses.push(state.pause?.reason));
    const begun = Date.now();
    const first = driver.stream(request(), {}, signal);
    await expect.poll(() => scheduler.state.pause).not.toBeNull();
    const other = driver.stream(request({ requester: "agent-2" }), {}, signal);
    expect(scheduler.state.waiting).toBeGreaterThanOrEqual(1);
    await Promise.all([first, other]);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(990);
    expect(pauses).toEqual([expect.stringContaining("rate limit"), undefined]);
  });

  it("lets a waiting request leave, but not a running one", async () => {
    const scheduler = createRateLimit();
    const driver = await setUp({ scheduler });
    let needed = true;
    const asks = () => driver.stream(request({ leaves: () => needed }), {}, signal);
    expect((await asks()).stopReason, "it had not to wait").toBe("tool_use");
    scheduler.pauseUntil(Date.now() + 3_600_000, "an hour");
    await expect(asks()).rejects.toMatchObject({ kind: "left" });
    expect(scheduler.state).toMatchObject({ active: 0, waiting: 0 });
    expect(standIn.requests()).toHaveLength(1);
    needed = false;
    const answer = asks();
    scheduler.resume();
    expect((await answer).stopReason).toBe("tool_use");
  });

  it("waits for the user when automatic resuming is off", async () => {
    const scheduler = createRateLimit({ resumesByItself: false });
    const driver = await setUp({ faults: [{ kind: "rate-limit", retryAfter: 0 }], scheduler });
    const answer = driver.stream(request(), {}, signal);
    await expect.poll(() => scheduler.state.pause).toMatchObject({ until: null });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(standIn.requests()).toHaveLength(1);
    scheduler.resume();
    expect((await answer).stopReason).toBe("tool_use");
  });

  it("does not retry a wrong key, and says where to correct it", async () => {
    const driver = await setUp({ apiKey: "wrong" });
    const heard = listen();
    const error = await driver.stream(request(), heard.on, signal).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      kind: "authentication",
      remedy: expect.stringContaining("ANTHROPIC_API_KEY"),
    });
    expect(heard.retries).toEqual([]);
    expect(heard.usages).toEqual([]);
    expect(String(error)).not.toContain("wrong");
  });

  it.each(["", "key\nwith a line break", "key with blanks"])(
    "sends no request with the key %j",
    async (apiKey) => {
      const driver = await setUp({ apiKey });
      await expect(driver.stream(request(), {}, signal)).rejects.toMatchObject({ kind: "authentication" });
      expect(standIn.requests()).toEqual([]);
    },
  );

  it("stops a stream within moments when told to, and counts what was paid", async () => {
    const driver = await setUp({ faults: [{ kind: "stall" }] });
    const stop = new AbortController();
    const heard = listen();
    const on = { ...heard.on, text: () => stop.abort(), thinking: () => stop.abort() };
    await expect(driver.stream(request(), on, stop.signal)).rejects.toMatchObject({ kind: "aborted" });
    expect(heard.usages).toHaveLength(1);
  });

  it("passes on a listener's error instead of retrying a paid answer", async () => {
    const driver = await setUp();
    const usage = (): void => {
      throw new Error("the journal's disk is full");
    };
    await expect(driver.stream(request(), { usage }, signal)).rejects.toThrow("disk is full");
    expect(standIn.requests()).toHaveLength(1);
  });

  it("reports a refusal and a truncated call as stop reasons", async () => {
    const driver = await setUp({ faults: [{ kind: "truncate" }, { kind: "refusal" }] });
    const cut = await driver.stream(request(), {}, signal);
    expect(cut.stopReason).toBe("max_tokens");
    expect((await driver.stream(request(), {}, signal)).stopReason).toBe("refusal");
  });
});

describe("the stand-in refuses what the real server refuses", () => {
  const result = { type: "tool_result", tool_use_id: "toolu_nobody", content: "x" };
  const user = { role: "user", content: "hello" };
  const use = { type: "tool_use", id: "toolu_1", name: "read_file", input: {} };
  it.each([
    ["temperature", { messages: [user], temperature: 0.2 }],
    ["tool_choice", { messages: [user], tool_choice: { type: "tool", name: "x" } }],
    ["unexpected tool_use_id", { messages: [{ role: "user", content: [result] }] }],
    ["without tool_result", { messages: [user, { role: "assistant", content: [use] }, user] }],
    [
      "thinking blocks cannot be modified",
      {
        messages: [
          user,
          { role: "assistant", content: [{ type: "thinking", thinking: "x", signature: "y" }] },
          user,
        ],
      },
    ],
    ["prefill", { messages: [user, { role: "assistant", content: "Yes" }] }],
    ["non-empty", { messages: [{ role: "user", content: "" }] }],
    ["No route for the role", { messages: [user], system: "Hox-Role: nobody" }],
  ])("%s", async (message, body) => {
    standIn = await startStandIn({ script });
    const response = await fetch(`${standIn.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": standIn.apiKey, "anthropic-version": "2026-10-21" },
      body: JSON.stringify({ model: "m", max_tokens: 100, ...body }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: expect.stringContaining(message) },
    });
  });

  it("a missing version header, and counts tokens and answers JSON", async () => {
    standIn = await startStandIn({ script, models: ["m"] });
    const post = (path: string, headers: Record<string, string>): Promise<Response> =>
      fetch(standIn.url + path, {
        method: "POST",
        headers: { "x-api-key": standIn.apiKey, ...headers },
        body: JSON.stringify({ model: "m", max_tokens: 100, system: "Hox-Role: agent-7", messages: [user] }),
      });
    expect((await post("/v1/messages", {})).status).toBe(400);
    const version = { "anthropic-version": "2026-10-21" };
    const counted = (await (await post("/v1/messages/count_tokens", version)).json()) as {
      input_tokens: number;
    };
    const message = (await (await post("/v1/messages", version)).json()) as {
      usage: { input_tokens: number };
      content: unknown[];
    };
    expect(message.usage.input_tokens).toBe(counted.input_tokens);
    expect(message.content).toHaveLength(4);
  });
});
