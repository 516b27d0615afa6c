import { once } from "node:events";
import { chmodSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTestClock, eventually, tempDir } from "../../testing/kit.ts";
import { createRedactor } from "../../tools/redact.ts";
import { createRateLimit } from "../rate-limit.ts";
import { startWiresStandIn, type WireAnswer } from "../stand-in/testing/wires-stand-in.ts";
import type { Wire } from "../usage-meter.ts";
import { ask, askRaw, canary, gatewayTo, requests } from "./testing/gateway-fixture.ts";

const chat = requests["openai-chat"];
const answered: WireAnswer = { say: "Hello.", usage: { input: 10, output: 2 } };

async function upstream(answers: (count: number) => WireAnswer = () => answered, port?: number) {
  const standIn = await startWiresStandIn((_, count) => answers(count), port);
  onTestFinished(() => standIn.close());
  return standIn;
}

const refused = (reason: string) => ({
  status: 403,
  headers: { "x-hox-refusal": reason, "x-should-retry": "false" },
});

describe("gateway turns", () => {
  it.each([
    ["anthropic", { type: "error", error: { type: "permission_error" } }],
    ["openai-responses", { error: { code: "refused_by_hox" } }],
    ["openai-chat", { error: { code: "refused_by_hox" } }],
    ["gemini", { error: { code: 403, status: "PERMISSION_DENIED" } }],
  ] as const)("refuses a request of %s outside a turn as an error of its wire", async (wire, body) => {
    const standIn = await upstream();
    const under = await gatewayTo(standIn.url, { isTurnOpen: false });
    const before = await ask(under, requests[wire]);
    expect(before).toMatchObject(refused("turn"));
    expect(JSON.parse(before.text)).toMatchObject(body);
    expect(before.text).toContain("No turn is open");
    under.gateway.openTurn();
    under.gateway.closeTurn();
    expect(await ask(under, requests[wire])).toMatchObject(refused("turn"));
    expect(standIn.requests).toEqual([]);
    // Reported again in the next turn, once.
    await ask(under, requests[wire]);
    expect(under.refused.map(({ reason }) => reason)).toEqual(["turn", "turn"]);
  });

  it("reads no body outside a turn", async () => {
    const under = await gatewayTo((await upstream()).url, { isTurnOpen: false });
    const head = "POST /v1/responses HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n";
    expect(await askRaw(under, head)).toMatch(/^HTTP\/1\.1 403 /u);
  });

  it("lists models before the first turn", async () => {
    const under = await gatewayTo((await upstream()).url, { isTurnOpen: false });
    expect(await ask(under, { path: "/v1/models" })).toMatchObject({ status: 200 });
  });

  it("completes what is at the provider when the turn closes, and is idle then", async () => {
    const begin = Promise.withResolvers<void>();
    const standIn = await upstream(() => ({ ...answered, wait: begin.promise }));
    const under = await gatewayTo(standIn.url);
    await under.gateway.idle();
    const answer = ask(under, chat);
    await eventually(() => expect(standIn.requests).toHaveLength(1));
    under.gateway.closeTurn();
    let isIdle = false;
    const idle = under.gateway.idle().then(() => {
      isIdle = true;
      expect(under.spent).toHaveLength(1);
    });
    expect(await ask(under, chat)).toMatchObject(refused("turn"));
    expect(isIdle).toBe(false);
    begin.resolve();
    expect(await answer).toMatchObject({ status: 200 });
    await idle;
  });

  it.each(["pause", "budget"] as const)("holds requests at a %s until the turn is ended", async (reason) => {
    const standIn = await upstream();
    const under = await gatewayTo(standIn.url, {
      gate: () => (standIn.requests.length >= 2 ? reason : null),
    });
    for (const _ of [1, 2]) expect(await ask(under, chat)).toMatchObject({ status: 200 });
    const held = Promise.all([ask(under, chat), ask(under, chat)]);
    await eventually(() => expect(under.held).toEqual([reason, reason]));
    // Nothing is at the provider.
    await under.gateway.idle();
    under.gateway.closeTurn();
    const refusal = { ...refused("held"), text: expect.stringContaining("The turn ended") };
    expect(await held).toMatchObject([refusal, refusal]);
    expect(standIn.requests).toHaveLength(2);
    // The host has asked for it: it is told nothing that it does not know.
    expect(under.refused).toEqual([]);
  });

  it("forgets held requests whose agent has left", async () => {
    let isPaused = true;
    const standIn = await upstream();
    const under = await gatewayTo(standIn.url, { gate: () => (isPaused ? "pause" : null) });
    const stop = new AbortController();
    const left = ask(under, { ...chat, signal: stop.signal });
    await eventually(() => expect(under.held).toHaveLength(1));
    stop.abort();
    await expect(left).rejects.toThrow();
    under.gateway.closeTurn();
    isPaused = false;
    under.gateway.openTurn();
    expect(await ask(under, chat)).toMatchObject({ status: 200 });
    expect(standIn.requests).toHaveLength(1);
  });

  it("refuses in the next turn what waited in the one before", async () => {
    const scheduler = createRateLimit({ clock: createTestClock(Date.now()) });
    scheduler.pauseUntil(Date.now() + 1e6, "Full.");
    const standIn = await upstream();
    const under = await gatewayTo(standIn.url, { upstream: { scheduler } });
    const answer = ask(under, chat);
    await eventually(() => expect(scheduler.state.waiting).toBe(1));
    under.gateway.closeTurn();
    under.gateway.openTurn();
    scheduler.resume();
    expect(await answer).toMatchObject(refused("turn"));
    expect(standIn.requests).toEqual([]);
  });

  it("takes no more places at the provider than one worker may", async () => {
    const begin = Promise.withResolvers<void>();
    const standIn = await upstream(() => ({ ...answered, wait: begin.promise }));
    const under = await gatewayTo(standIn.url, { limits: { requests: 2 } });
    const answers = Promise.all([1, 2, 3, 4].map(() => ask(under, chat)));
    await eventually(() => expect(standIn.requests).toHaveLength(2));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(under.scheduler.state).toMatchObject({ active: 2, waiting: 0 });
    begin.resolve();
    expect((await answers).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it("exceeds a budget by no more than what is at the provider", async () => {
    let isSpent = false;
    const standIn = await upstream();
    const under = await gatewayTo(standIn.url, {
      limits: { requests: 3 },
      gate: () => (isSpent ? "budget" : null),
      onSpent: () => {
        isSpent = true;
      },
      onHeld: () => under.gateway.closeTurn(),
    });
    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(under, chat)));
    expect(standIn.requests.length).toBeLessThanOrEqual(3);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(12 - standIn.requests.length);
  });
});

describe("gateway waits for the provider", () => {
  const limited: WireAnswer = {
    refuse: {
      status: 429,
      headers: { "content-type": "application/json", "retry-after": "30" },
      body: '{"error":{"message":"Slow down.","type":"requests","code":"rate_limit_exceeded"}}',
    },
  };

  it("waits out a rate limit together with all others, and the agent gets an answer", async () => {
    const clock = createTestClock(Date.now());
    const scheduler = createRateLimit({ clock });
    const standIn = await upstream((count) => (count === 1 ? limited : answered));
    const under = await gatewayTo(standIn.url, { upstream: { scheduler } });
    const first = ask(under, chat);
    await eventually(() =>
      expect(scheduler.state.pause).toMatchObject({
        kind: "limit",
        reason: expect.stringContaining("Slow down"),
      }),
    );
    const second = ask(under, requests["openai-responses"]);
    await eventually(() => expect(scheduler.state).toMatchObject({ waiting: 2, active: 0 }));
    expect(standIn.requests).toHaveLength(1);
    // The limit is told in the time of day, which this clock does not follow.
    clock.pass(clock.untilNext());
    expect(await Promise.all([first, second])).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(under.spent).toHaveLength(2);
    expect(under.retries).toHaveLength(1);
  });

  it("reads Gemini's delay from its body", async () => {
    const clock = createTestClock(Date.now());
    const scheduler = createRateLimit({ clock });
    const body = JSON.stringify([
      {
        error: {
          code: 429,
          message: "Quota.",
          status: "RESOURCE_EXHAUSTED",
          details: [{ retryDelay: "34.07s" }],
        },
      },
    ]);
    const standIn = await upstream((count) => (count === 1 ? { refuse: { status: 429, body } } : answered));
    const under = await gatewayTo(standIn.url, { upstream: { scheduler } });
    const asked = Date.now();
    const answer = ask(under, requests.gemini);
    await eventually(() => expect(scheduler.state.pause).not.toBeNull());
    const until = scheduler.state.pause?.until ?? 0;
    expect(until - asked).toBeGreaterThanOrEqual(34_070);
    expect(until - Date.now()).toBeLessThanOrEqual(35_000);
    clock.pass(clock.untilNext());
    expect(await answer).toMatchObject({ status: 200 });
  });

  it("tries again after 500, and passes the provider's error on when it is its own", async () => {
    const broken: WireAnswer = { refuse: { status: 500, body: '{"error":{"message":"Oh."}}' } };
    const standIn = await upstream((count) => (count === 1 || count > 2 ? broken : answered));
    const under = await gatewayTo(standIn.url);
    expect(await ask(under, chat)).toMatchObject({ status: 200 });
    // Others succeed meanwhile.
    under.scheduler.answered();
    const failed = ask(under, chat);
    const others = setInterval(() => under.scheduler.answered(), 1);
    onTestFinished(() => clearInterval(others));
    expect(await failed).toMatchObject({ status: 500, text: expect.stringContaining("Oh.") });
    expect(under.failed).toMatchObject([{ kind: "server" }]);
  });

  it.each(["openai-chat", "gemini"] as const)("passes on that %s has no such model", async (wire) => {
    const body = JSON.stringify({
      error: { code: 404, message: "models/x is not found for API version v1beta" },
    });
    const under = await gatewayTo((await upstream(() => ({ refuse: { status: 404, body } }))).url);
    expect(await ask(under, requests[wire])).toMatchObject({ status: 404, text: body });
    expect(under.failed).toMatchObject([{ kind: "model-not-found" }]);
    expect(under.scheduler.state.pause).toBeNull();
  });

  it("passes the error on when the provider asks for too long a wait before the next attempt", async () => {
    const headers = { "content-type": "application/json", "retry-after": "3000" };
    const body = '{"error":{"message":"Oh."}}';
    const standIn = await upstream(() => ({ refuse: { status: 500, headers, body } }));
    const under = await gatewayTo(standIn.url, { limits: { waitMs: 200 } });
    expect(await ask(under, chat)).toMatchObject({ status: 500, text: expect.stringContaining("Oh.") });
    expect(standIn.requests).toHaveLength(1);
  });

  it("waits for a provider that can't be reached", async () => {
    const gone = await upstream();
    const port = Number(new URL(gone.url).port);
    await gone.close();
    const scheduler = createRateLimit({ firstTryMs: 20 });
    const under = await gatewayTo(gone.url, { upstream: { scheduler }, limits: { attempts: 99 } });
    const answer = ask(under, chat);
    await eventually(() => expect(scheduler.state.pause?.kind).toBe("outage"));
    await upstream(() => answered, port);
    expect(await answer).toMatchObject({ status: 200 });
    expect(under.spent).toHaveLength(1);
  });

  it("passes the error on when the wait is too long, and waits no more for an agent that has left", async () => {
    const scheduler = createRateLimit({ clock: createTestClock(Date.now()) });
    const standIn = await upstream(() => limited);
    const under = await gatewayTo(standIn.url, { upstream: { scheduler }, limits: { waitMs: 300 } });
    expect(await ask(under, chat)).toMatchObject({
      status: 429,
      headers: { "retry-after": "30" },
      text: expect.stringContaining("Slow down."),
    });
    // Another one never gets as far as to the provider.
    expect(await ask(under, chat)).toMatchObject({ status: 429, headers: { "x-hox-refusal": "rate-limit" } });
    const patient = await gatewayTo(standIn.url, { upstream: { scheduler } });
    const stop = new AbortController();
    const left = ask(patient, { ...chat, signal: stop.signal });
    await eventually(() => expect(scheduler.state.waiting).toBe(1));
    stop.abort();
    await expect(left).rejects.toThrow();
    await eventually(() => expect(scheduler.state.waiting).toBe(0));
    expect(standIn.requests).toHaveLength(1);
    expect(patient.spent).toEqual([]);
  });

  it("takes an agent that leaves for no trouble of the provider", async () => {
    const provider = createServer((_, response) => {
      response.writeHead(500, { "content-type": "application/json" }).write("{");
    });
    onTestFinished(() => void provider.close().closeAllConnections());
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    const asked = once(provider, "request");
    const under = await gatewayTo(`http://127.0.0.1:${(provider.address() as AddressInfo).port}`);
    const stop = new AbortController();
    const answer = ask(under, { ...chat, signal: stop.signal });
    await asked;
    await new Promise((resolve) => setTimeout(resolve, 50));
    stop.abort();
    await expect(answer).rejects.toThrow();
    await eventually(() => expect(under.scheduler.state.active).toBe(0));
    expect(under.retries).toEqual([]);
    expect(under.failed).toEqual([]);
  });

  it("leaves the wait when the worker is paused", async () => {
    const scheduler = createRateLimit({ clock: createTestClock(Date.now()) });
    scheduler.pauseUntil(Date.now() + 1e6, "Full.");
    let gate: "pause" | null = null;
    const under = await gatewayTo((await upstream()).url, { upstream: { scheduler }, gate: () => gate });
    const answer = ask(under, chat);
    await eventually(() => expect(scheduler.state.waiting).toBe(1));
    gate = "pause";
    await eventually(() => expect(under.held).toEqual(["pause"]));
    under.gateway.closeTurn();
    expect(await answer).toMatchObject(refused("held"));
    expect(scheduler.state).toMatchObject({ waiting: 0, active: 0 });
  });
});

describe("gateway keeps the key", () => {
  it.each(["anthropic", "openai-responses", "openai-chat", "gemini"] as const)(
    "sends %s the real key and none of the agent's",
    async (wire) => {
      const standIn = await upstream(() => ({ refuse: { status: 400, body: "{}" } }));
      const under = await gatewayTo(standIn.url);
      const { path } = requests[wire];
      await ask(under, {
        ...requests[wire],
        path: `${path}${path.includes("?") ? "&" : "?"}key=dummy-key-of-the-agent&evil=1`,
        headers: {
          ...requests[wire].headers,
          "x-goog-api-key": "dummy-key-of-the-agent",
          "openai-organization": "org-of-the-agent",
          cookie: "dummy-key-of-the-agent",
          "anthropic-version": "2023-06-01",
        },
      });
      const [seen] = standIn.requests;
      const text = JSON.stringify({ ...seen?.headers, url: seen?.url });
      expect(text).not.toMatch(/dummy-key|org-of|evil/u);
      const key = { anthropic: "x-api-key", gemini: "x-goog-api-key" }[wire as string] ?? "authorization";
      expect(seen?.headers[key]).toBe(key === "authorization" ? `Bearer ${canary}` : canary);
      expect(text.split(canary)).toHaveLength(2);
      expect(seen?.headers.host).toBe(new URL(standIn.url).host);
      expect(seen?.headers["anthropic-version"]).toBe("2023-06-01");
      const expected: Record<Wire, string> = {
        anthropic: "/v1/messages?beta=true",
        "openai-responses": "/v1/responses",
        "openai-chat": "/v1/chat/completions",
        gemini: "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
      };
      expect(seen?.url).toBe(expected[wire]);
    },
  );

  it("leaves out what Anthropic tries out at another price", async () => {
    const standIn = await upstream(() => ({ refuse: { status: 400, body: "{}" } }));
    const under = await gatewayTo(standIn.url);
    const beta = "claude-code-20250219, fast-mode-2026-02-01,mcp-client-2025-11-20,effort-2025-11-24";
    await ask(under, {
      ...requests.anthropic,
      headers: { "anthropic-version": "2023-06-01", "anthropic-beta": beta },
    });
    expect(standIn.requests[0]?.headers["anthropic-beta"]).toBe("claude-code-20250219,effort-2025-11-24");
  });

  it("lists the models of the wire that is asked", async () => {
    const standIn = await upstream();
    const under = await gatewayTo(standIn.url);
    await ask(under, { path: "/v1/models?limit=9&key=x" });
    await ask(under, { path: "/v1/models?limit=9&key=x", headers: { "anthropic-version": "2023-06-01" } });
    const seen = standIn.requests.map(({ url, headers }) => [
      url,
      headers.authorization,
      headers["x-api-key"],
    ]);
    expect(seen).toEqual([
      ["/v1/models", `Bearer ${canary}`, undefined],
      ["/v1/models?limit=9", undefined, canary],
    ]);
  });

  it("never shows it in answers, errors and logs", async () => {
    const echo = {
      headers: {
        "content-type": "application/json",
        "request-id": canary,
        "set-cookie": canary,
        "x-key": canary,
      },
    };
    const standIn = await upstream((count) =>
      count === 1
        ? {
            refuse: {
              ...echo,
              status: 400,
              body: JSON.stringify({ error: { message: `Wrong: ${canary}` } }),
            },
          }
        : {
            refuse: {
              ...echo,
              status: 200,
              body: JSON.stringify({ choices: [], say: `The key is ${canary}, they say.` }),
            },
          },
    );
    const under = await gatewayTo(standIn.url);
    const refusedPath = await ask(under, { path: `/v1/${canary}?key=${canary}` });
    const answers = [
      refusedPath,
      await ask(under, chat),
      await ask(under, { ...chat, body: { ...chat.body, stream: false } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 400, 200]);
    expect(answers[2]?.text).toContain("The key is [redacted], they say.");
    expect(JSON.stringify([answers, under.refused])).not.toContain(canary);
  });

  it("does not start with a redactor that does not know it, or with a key that is none", async () => {
    await expect(gatewayTo("http://127.0.0.1:9", { redactor: createRedactor([]) })).rejects.toThrow(
      "redactor",
    );
    await expect(gatewayTo("http://127.0.0.1:9", { upstream: { apiKey: "" } })).rejects.toThrow("API key");
  });

  it("hides other secrets from the model", async () => {
    const standIn = await upstream();
    const under = await gatewayTo(standIn.url, { redactor: createRedactor([canary, "hunter2-hunter2"]) });
    await ask(under, {
      ...chat,
      body: { ...chat.body, messages: [{ role: "user", content: "It is hunter2-hunter2." }] },
    });
    expect(standIn.requests[0]?.text).toContain("It is [redacted].");
  });

  it("makes the socket's folder for this user alone", async () => {
    const { socketPath } = await gatewayTo("http://127.0.0.1:9");
    expect(statSync(dirname(socketPath)).mode & 0o777).toBe(0o700);
    expect(statSync(socketPath).mode & 0o777).toBe(0o600);
    chmodSync(dirname(socketPath), 0o755);
    await expect(gatewayTo("http://127.0.0.1:9", { socketPath })).rejects.toThrow("open to other users");
    const long = join(dirname(socketPath), "x".repeat(100));
    await expect(gatewayTo("http://127.0.0.1:9", { socketPath: long })).rejects.toThrow(
      "Use a shorter folder",
    );
  });

  it("starts where a host before it has ended without closing", async () => {
    const socketPath = join(tempDir(), "model.sock");
    writeFileSync(socketPath, "");
    const next = await gatewayTo((await upstream()).url, { socketPath });
    expect(await ask(next, chat)).toMatchObject({ status: 200 });
  });
});
