import { describe, expect, it, onTestFinished } from "vitest";
import { eventually, watchTimers } from "../../testing/kit.ts";
import { createAnthropicDriver } from "../anthropic-driver.ts";
import { createRateLimit } from "../rate-limit.ts";
import { defineScript, type Fault, type Step } from "../stand-in/script.ts";
import { startStandIn } from "../stand-in/stand-in.ts";
import { startWiresStandIn, type WireAnswer } from "../stand-in/testing/wires-stand-in.ts";
import type { Wire } from "../usage-meter.ts";
import { ask, canary, gatewayTo, requests, tokenPrice } from "./testing/gateway-fixture.ts";

const usage = (
  over: Partial<Record<"input" | "cacheWrite5m" | "cacheWrite1h" | "cacheRead" | "output", number>>,
) => ({
  input: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  cacheRead: 0,
  output: 0,
  ...over,
});

const others: readonly Wire[] = ["openai-responses", "openai-chat", "gemini"];

async function upstream(...answers: readonly WireAnswer[]) {
  const standIn = await startWiresStandIn((_, count) => answers[count - 1] ?? answers.at(-1) ?? {});
  onTestFinished(() => standIn.close());
  return standIn;
}

const counted = usage({ input: 100, cacheWrite5m: 40, cacheRead: 900, output: 30 });

async function anthropic(
  faults: readonly Fault[] = [],
  step: Step = { say: "Hello, this is a longer answer.", usage: counted },
) {
  const standIn = await startStandIn({
    apiKey: canary,
    faults,
    script: defineScript({ name: "gateway", routes: { "*": [{ name: "all", steps: [step] }] } }),
  });
  onTestFinished(() => standIn.close());
  return standIn;
}

describe("gateway metering of whole answers", () => {
  it.each([
    [
      "openai-responses",
      { cached: 600, output: 50, thoughts: 20 },
      usage({ input: 400, cacheRead: 600, output: 50 }),
    ],
    ["openai-chat", { cached: 600, output: 50 }, usage({ input: 400, cacheRead: 600, output: 50 })],
    ["gemini", { cached: 600, output: 50, thoughts: 20 }, usage({ input: 400, cacheRead: 600, output: 50 })],
  ] as const)("counts what %s reports, streamed or not", async (wire, reported, expected) => {
    const { url } = await upstream({ say: "Hello there.", usage: { input: 1000, ...reported } });
    const under = await gatewayTo(url);
    const streamed = await ask(under, requests[wire]);
    expect(streamed.status).toBe(200);
    const { stream: _, ...body } = requests[wire].body;
    await ask(under, {
      ...requests[wire],
      path: requests[wire].path.replace(/streamG(\w+)\?.*/u, "g$1"),
      body,
    });
    // Gemini's stream without events is one JSON list.
    if (wire === "gemini")
      await ask(under, { ...requests[wire], path: requests[wire].path.replace(/\?.*/u, "") });
    expect(under.spent.map(({ isEstimated }) => isEstimated)).not.toContain(true);
    for (const { spent } of under.spent) expect(spent.usage).toEqual(expected);
    expect(under.spent).toHaveLength(wire === "gemini" ? 3 : 2);
    expect(under.spent[0]).toMatchObject({
      model: wire === "gemini" ? "gemini-3-pro" : "gpt-5-5",
      spent: { requests: 1, microDollars: 1050 * tokenPrice },
    });
  });

  it("counts an Anthropic answer as our own loop does", async () => {
    const standIn = await anthropic();
    const under = await gatewayTo(standIn.url);
    await ask(under, requests.anthropic);
    await ask(under, { ...requests.anthropic, body: { ...requests.anthropic.body, stream: false } });
    const own: unknown[] = [];
    await createAnthropicDriver({
      apiKey: canary,
      baseUrl: standIn.url,
      scheduler: createRateLimit(),
    }).stream(
      {
        model: "claude-sonnet-5-5",
        maxTokens: 100,
        system: "",
        tools: [],
        requester: "agent-1",
        messages: [{ role: "user", content: [{ type: "text", text: "Speak." }] }],
      },
      { usage: (one) => own.push(one) },
      new AbortController().signal,
    );
    expect(own).toEqual([counted]);
    expect(under.spent.map(({ spent, isEstimated }) => [spent.usage, isEstimated])).toEqual([
      [counted, false],
      [counted, false],
    ]);
  });

  it("counts side requests, such as one for a title, like all others", async () => {
    const { url } = await upstream({ say: "A title", usage: { input: 20, output: 3 } });
    const under = await gatewayTo(url);
    await Promise.all([1, 2, 3].map(() => ask(under, requests["openai-chat"])));
    expect(under.spent).toHaveLength(3);
  });

  it("counts nothing for free requests and for errors", async () => {
    const { url } = await upstream(
      {},
      {},
      { refuse: { status: 400, body: '{"error":{"message":"No such field."}}' } },
    );
    const under = await gatewayTo(url);
    expect((await ask(under, { path: "/v1/models" })).text).toContain("gpt-5-5");
    const count = { path: "/v1beta/models/gemini-3-pro:countTokens", body: requests.gemini.body };
    expect((await ask(under, count)).text).toContain("totalTokens");
    expect(await ask(under, requests["openai-chat"])).toMatchObject({
      status: 400,
      text: expect.stringContaining("No such field"),
    });
    expect(under.spent).toEqual([]);
    expect(under.failed).toMatchObject([{ kind: "invalid-request" }]);
  });

  it("asks Chat Completions for its usage even if the agent does not", async () => {
    const standIn = await upstream({ say: "Hello.", usage: { input: 10, output: 2 } });
    const under = await gatewayTo(standIn.url);
    const body = { ...requests["openai-chat"].body, stream_options: { include_usage: false, other: 1 } };
    await ask(under, { ...requests["openai-chat"], body });
    expect(JSON.parse(standIn.requests[0]?.text ?? "")).toMatchObject({
      stream_options: { include_usage: true, other: 1 },
    });
    expect(under.spent).toMatchObject([{ isEstimated: false, spent: { usage: { input: 10, output: 2 } } }]);
  });

  it.each(others)("estimates an answer of %s without a usage, and says so", async (wire) => {
    const { url } = await upstream({ say: "x".repeat(400), usage: null });
    const under = await gatewayTo(url);
    await ask(under, requests[wire]);
    const path = requests[wire].path.replace(/streamG(\w+)\?.*/u, "g$1");
    await ask(under, { ...requests[wire], path, body: { ...requests[wire].body, stream: false } });
    if (wire === "gemini")
      await ask(under, { ...requests[wire], path: requests[wire].path.replace(/\?.*/u, "") });
    expect(under.spent.length).toBeGreaterThan(1);
    for (const { spent, isEstimated } of under.spent) {
      expect(isEstimated).toBe(true);
      expect(spent.usage.input).toBeGreaterThan(2);
      // Names in the answer count, too.
      expect(spent.usage.output).toBeGreaterThanOrEqual(wire === "gemini" ? 0 : 100);
      expect(spent.usage.output).toBeLessThan(120);
    }
  });

  it.each([
    ["anthropic", {}],
    ["openai-responses", {}],
    ["openai-chat", {}],
    ["openai-chat", { usage: null }],
    ["gemini", {}],
  ] as const)("records the cost of %s before the answer's end is passed on: %j", async (wire, over) => {
    const recorded = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const standIn = wire === "anthropic" ? await anthropic() : await upstream({ say: "Hello.", ...over });
    const under = await gatewayTo(standIn.url, {
      onSpent: () => {
        asked.resolve();
        return recorded.promise;
      },
    });
    onTestFinished(() => recorded.resolve());
    let seen = "";
    let isOver = false;
    const onData = (text: string): void => {
      seen += text;
    };
    const answer = ask(under, { ...requests[wire], onData }).finally(() => {
      isOver = true;
    });
    await asked.promise;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isOver).toBe(false);
    expect(seen).not.toMatch(/message_stop|response\.completed|\[DONE\]/u);
    recorded.resolve();
    expect((await answer).text).toMatch(/message_stop|response\.completed|\[DONE\]|"finishReason":"STOP"/u);
  });

  it.each(others)("passes every byte of %s on as it is", async (wire) => {
    const standIn = await upstream({
      say: "Grüße 👋, 世界! ".repeat(50),
      calls: [{ name: "a", input: { b: "ü" } }],
    });
    const under = await gatewayTo(standIn.url);
    const { path, body } = requests[wire];
    const direct = await fetch(`${standIn.url}${path}`, {
      method: "POST",
      body: JSON.stringify({ ...body, stream_options: { include_usage: true } }),
    });
    expect((await ask(under, requests[wire])).text).toBe(await direct.text());
  });

  it("reads a last event that has no empty line after it", async () => {
    const event = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2 } };
    const headers = { "content-type": "text/event-stream" };
    const standIn = await upstream({
      refuse: { status: 200, headers, body: `data: ${JSON.stringify(event)}` },
    });
    const under = await gatewayTo(standIn.url);
    expect((await ask(under, requests["openai-chat"])).text).toBe(`data: ${JSON.stringify(event)}`);
    expect(under.spent).toMatchObject([{ isEstimated: false, spent: { usage: { input: 9, output: 2 } } }]);
  });

  it("sends nothing more once a cost could not be recorded", async () => {
    const standIn = await upstream({ say: "Hello." });
    const under = await gatewayTo(standIn.url, {
      onSpent: () => Promise.reject(new Error("The disk is full")),
    });
    await expect(ask(under, requests["openai-chat"])).rejects.toThrow();
    expect(await ask(under, requests["openai-chat"])).toMatchObject({
      status: 403,
      headers: { "x-hox-refusal": "unrecorded" },
      text: expect.stringContaining("The disk is full"),
    });
    expect(standIn.requests).toHaveLength(1);
  });

  it("refuses a model without a price by its name, and asks nothing", async () => {
    const standIn = await upstream({});
    const under = await gatewayTo(standIn.url);
    const body = { ...requests["openai-chat"].body, model: "unknown-9" };
    expect(await ask(under, { ...requests["openai-chat"], body })).toMatchObject({
      status: 403,
      headers: { "x-hox-refusal": "model" },
      text: expect.stringContaining("There is no price for unknown-9. Add its price."),
    });
    const path = "/v1beta/models/unknown-8:generateContent";
    expect(await ask(under, { ...requests.gemini, path })).toMatchObject({ status: 403 });
    expect(standIn.requests).toEqual([]);
  });
});

describe("gateway metering of cut answers", () => {
  /** Ends the agent's side once the answer has begun. */
  async function leave(under: Awaited<ReturnType<typeof gatewayTo>>, wire: Wire): Promise<void> {
    const stop = new AbortController();
    const answer = ask(under, {
      ...requests[wire],
      signal: stop.signal,
      onData: (text) => /Hello/u.test(text) && stop.abort(),
    });
    await expect(answer).rejects.toThrow();
    await eventually(() => expect(under.spent).toHaveLength(1));
  }

  it("counts Anthropic's input exactly when the agent or the provider cuts it", async () => {
    const byProvider = await gatewayTo((await anthropic([{ kind: "cut" }])).url);
    await expect(ask(byProvider, requests.anthropic)).rejects.toThrow();
    const byAgent = await gatewayTo((await anthropic([{ kind: "stall" }])).url);
    await leave(byAgent, "anthropic");
    for (const { spent } of [byProvider, byAgent]) {
      expect(spent).toMatchObject([
        { isEstimated: true, spent: { usage: { input: 100, cacheWrite5m: 40, cacheRead: 900 } } },
      ]);
      expect(spent[0]?.spent.usage.output).toBeGreaterThan(0);
    }
  });

  it("counts Anthropic's error in the middle as it is so far", async () => {
    const under = await gatewayTo((await anthropic([{ kind: "error-event" }])).url);
    expect((await ask(under, requests.anthropic)).text).toContain("Overloaded");
    expect(under.spent).toMatchObject([
      { isEstimated: true, spent: { usage: { input: 100, cacheRead: 900 } } },
    ]);
  });

  it.each(others)("never counts a cut answer of %s as nothing", async (wire) => {
    const say = "Hello, this is a much longer answer than the others, in several pieces.";
    const usage = { input: 70, cached: 20, output: 30, thoughts: 10 };
    const standIn = await upstream({ say, usage, after: 3, ends: "cut" });
    const byProvider = await gatewayTo(standIn.url);
    await expect(ask(byProvider, requests[wire])).rejects.toThrow();
    const stalled = await upstream({ say, usage, after: 3, ends: "stall" });
    const byAgent = await gatewayTo(stalled.url);
    await leave(byAgent, wire);
    // The provider stops, too.
    await eventually(() => expect(stalled.requests[0]?.isCut).toBe(true));
    for (const { spent } of [byProvider, byAgent]) {
      expect(spent).toHaveLength(1);
      expect(spent[0]?.isEstimated).toBe(true);
      expect(spent[0]?.spent.usage.output).toBeGreaterThanOrEqual(5);
      if (wire === "gemini") expect(spent[0]?.spent.usage).toMatchObject({ input: 50, cacheRead: 20 });
      else expect(spent[0]?.spent.usage.input).toBeGreaterThan(2);
    }
  });

  it("estimates the input when the agent leaves before the answer has begun", async () => {
    const standIn = await upstream({ wait: new Promise(() => {}) });
    const under = await gatewayTo(standIn.url);
    const stop = new AbortController();
    const body = {
      ...requests["openai-chat"].body,
      messages: [{ role: "user", content: "x".repeat(3_000) }],
    };
    const answer = ask(under, { ...requests["openai-chat"], body, signal: stop.signal });
    await eventually(() => expect(standIn.requests).toHaveLength(1));
    stop.abort();
    await expect(answer).rejects.toThrow();
    await eventually(() => expect(under.spent).toHaveLength(1));
    expect(under.spent[0]).toMatchObject({ isEstimated: true, spent: { usage: { output: 0 } } });
    expect(under.spent[0]?.spent.usage.input).toBeGreaterThanOrEqual(1_000);
    expect(under.spent[0]?.spent.usage.input).toBeLessThan(1_100);
    await under.gateway.idle();
  });

  it("counts what a silent provider may have read, and asks again", async () => {
    const standIn = await upstream(
      { wait: new Promise(() => {}) },
      { say: "Hello.", usage: { input: 10, output: 2 } },
    );
    const idleMs = 240_000;
    const under = await gatewayTo(standIn.url, { limits: { idleMs } });
    const passTime = watchTimers();
    const answer = ask(under, requests["openai-chat"]);
    await eventually(() => expect(standIn.requests).toHaveLength(1));
    // The time of the first request passes, and none of the second's.
    passTime(idleMs);
    expect((await answer).status).toBe(200);
    expect(under.spent.map(({ isEstimated }) => isEstimated)).toEqual([true, false]);
  });

  it("counts what was cut by its own end before it has ended", async () => {
    const standIn = await upstream({ say: "Hello.", after: 2, ends: "stall" });
    let isRecorded = false;
    const under = await gatewayTo(standIn.url, {
      onSpent: async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        isRecorded = true;
      },
    });
    const begun = Promise.withResolvers<void>();
    const answer = ask(under, { ...requests["openai-chat"], onData: () => begun.resolve() });
    await begun.promise;
    await Promise.all([expect(answer).rejects.toThrow(), under.gateway.close()]);
    expect(isRecorded).toBe(true);
  });

  it("breaks off an answer with an impossible usage, and counts an estimate", async () => {
    const standIn = await upstream({ say: "Hello.", usage: { input: -5, output: 1 } });
    const under = await gatewayTo(standIn.url);
    await expect(ask(under, requests["openai-chat"])).rejects.toThrow();
    expect(under.spent).toMatchObject([{ isEstimated: true }]);
    expect(under.spent[0]?.spent.usage.input).toBeGreaterThan(0);
  });
});
