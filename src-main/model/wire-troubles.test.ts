import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createAnthropicDriver } from "./anthropic-driver.ts";
import { ModelError, type ModelErrorKind, modelTroubles } from "./model-error.ts";
import { createRateLimit } from "./rate-limit.ts";
import { defineScript, type Fault } from "./stand-in/script.ts";
import { type StandIn, startStandIn } from "./stand-in/stand-in.ts";

const script = defineScript({
  name: "troubles",
  routes: { "*": [{ name: "all", steps: [{ say: "Hello." }] }] },
});
const request = {
  model: "claude-sonnet-5-5",
  maxTokens: 100,
  system: "",
  tools: [],
  messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "Speak." }] }],
  requester: "agent-1",
};

let close: () => Promise<unknown> = async () => {};
afterEach(() => close());

/** How one request ends, or what everybody waits for since then. */
async function troubleOf(baseUrl: string, apiKey = "k".repeat(8), idleMs = 10_000) {
  const scheduler = createRateLimit({ firstTryMs: 60_000 });
  const driver = createAnthropicDriver({
    apiKey,
    baseUrl,
    scheduler,
    idleMs,
    backoffMs: 1,
    attempts: 2,
  });
  const stop = new AbortController();
  const paused = new Promise<{ message: string; remedy: string }>((resolve) =>
    scheduler.onPause(({ pause }) => pause && resolve({ message: pause.reason, remedy: pause.remedy })),
  );
  const failed = driver.stream(request, {}, stop.signal).then(
    () => null,
    (error: unknown) => error as ModelError,
  );
  const first = await Promise.race([paused, failed]);
  stop.abort();
  const end = await failed;
  if (first instanceof ModelError) return { message: first.message, remedy: first.remedy, kind: first.kind };
  const kind = (Object.keys(modelTroubles) as ModelErrorKind[]).find(
    (one) => first?.remedy === modelTroubles[one].remedy && first.message.startsWith(modelTroubles[one].what),
  );
  return {
    message: first?.message ?? "an answer",
    remedy: first?.remedy ?? "",
    kind,
    waited: end?.kind === "aborted",
  };
}

const error = (status: number, type: string, message: string, code?: string): Fault => ({
  kind: "refused",
  times: 9,
  answer: {
    status,
    body: { type: "error", error: { type, message, ...(code ? { details: { error_code: code } } : {}) } },
  },
});
const page = (status: number, words: string): Fault => ({
  kind: "refused",
  times: 9,
  answer: { status, body: `<html><style>p{}</style><body><h1>${words}</h1></body></html>` },
});
const lowCredit =
  "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.";

/** Each with what it is taken for, and a word that its remedy has to hold. */
const onTheWire: readonly (readonly [string, Fault, ModelErrorKind, RegExp])[] = [
  ["no credit", error(400, "invalid_request_error", lowCredit), "credit", /Add credit/],
  [
    "no credit, by its type",
    error(402, "billing_error", "There is an issue with your payment."),
    "credit",
    /Billing/,
  ],
  ["402 of a gateway", page(402, "Payment Required"), "credit", /another account/],
  [
    "a spend limit",
    error(429, "rate_limit_error", "Limit.", "enforced_spend_limit_reached"),
    "credit",
    /spend limit/,
  ],
  [
    "a limit of one's own",
    error(
      400,
      "invalid_request_error",
      "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
    ),
    "credit",
    /raise the spend limit/,
  ],
  ["a wrong key", error(401, "authentication_error", "invalid x-api-key"), "authentication", /api_key_env/],
  ["401 of a gateway", page(401, "Unauthorized"), "authentication", /settings/],
  [
    "no permission",
    error(403, "permission_error", "Your API key does not have permission."),
    "permission",
    /access/,
  ],
  [
    "no such model",
    error(404, "not_found_error", "model: claude-sonet-5"),
    "model-not-found",
    /models\.default/,
  ],
  ["413", error(413, "request_too_large", "Request exceeds the maximum size"), "request-too-large", /32 MB/],
  ["413 of a proxy", page(413, "Request Entity Too Large"), "request-too-large", /proxy/],
  [
    "a long prompt",
    error(400, "invalid_request_error", "prompt is too long: 208310 tokens > 200000 maximum"),
    "prompt-too-long",
    /larger context window/,
  ],
  [
    "a long prompt with its answer",
    error(
      400,
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 199000 + 20000 > 200000",
    ),
    "prompt-too-long",
    /smaller/,
  ],
  [
    "anything else that is refused",
    error(400, "invalid_request_error", "messages.0: unknown field"),
    "invalid-request",
    /report it/,
  ],
  ["a rate limit", { kind: "rate-limit", times: 9, retryAfter: 600 }, "rate-limit", /retries automatically/],
  ["overload", { kind: "overloaded", times: 9 }, "overloaded", /retries automatically/],
  ["overload in the middle", { kind: "error-event", times: 9 }, "overloaded", /status page/],
  ["a failure", { kind: "server", times: 9 }, "server", /retries automatically/],
  [
    "a failure without words",
    { kind: "refused", times: 9, answer: { status: 500, body: {} } },
    "server",
    /retries/,
  ],
  ["a timeout", error(504, "timeout_error", "The request timed out."), "timeout", /retries automatically/],
  ["a gateway without its server", page(502, "Bad Gateway"), "proxy", /HTTPS_PROXY/],
  ["another server at that address", page(404, "Not Found"), "proxy", /ANTHROPIC_BASE_URL/],
  ["a network's login page", { kind: "page", times: 9 }, "malformed", /proxy that changes responses/],
  ["a stream that is none", { kind: "malformed", times: 9 }, "malformed", /ANTHROPIC_BASE_URL/],
  ["a cut", { kind: "cut", times: 9 }, "cut", /Hox retries/],
  ["silence", { kind: "stall", times: 9 }, "stalled", /Hox retries/],
];

describe("request failures and their remedies", () => {
  it.each(onTheWire)("%s", async (_, fault, kind, remedy) => {
    const standIn: StandIn = await startStandIn({ script, faults: [fault] });
    close = standIn.close;
    const trouble = await troubleOf(standIn.url, standIn.apiKey, fault.kind === "stall" ? 300 : undefined);
    expect(trouble.kind, trouble.message).toBe(kind);
    expect(trouble.remedy).toMatch(remedy);
    expect(trouble.message).not.toContain(trouble.remedy);
    // A page is no message; its words are.
    expect(trouble.message).not.toMatch(/[<{]/);
    expect(trouble.message.startsWith(modelTroubles[kind].what)).toBe(true);
  });

  it("a missing server, an invalid name, and a server without TLS", async () => {
    const server = createServer((_, response) => response.end("x"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    close = () => new Promise((resolve) => server.close(resolve));
    expect(await troubleOf(`https://127.0.0.1:${port}`)).toMatchObject({
      kind: "tls",
      waited: true,
      remedy: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    await close();
    close = async () => {};
    expect(await troubleOf(`http://127.0.0.1:${port}`)).toMatchObject({
      kind: "connection",
      waited: true,
      message: expect.stringContaining("ECONNREFUSED"),
      remedy: expect.stringContaining("ANTHROPIC_BASE_URL"),
    });
    expect(await troubleOf("http://no-such-host.invalid")).toMatchObject({
      kind: "connection",
      waited: true,
    });
  });

  it("are all in the guide", () => {
    const page = readFileSync(new URL("../../docs/model-troubles.md", import.meta.url), "utf8");
    const shown = Object.entries(modelTroubles).filter(([kind]) => kind !== "aborted" && kind !== "left");
    expect(shown.filter(([, { what }]) => !page.includes(what))).toEqual([]);
  });

  it("have a row for every kind, each with a remedy, and a test for each that a request can cause", () => {
    const tested = new Set<string>(onTheWire.map(([, , kind]) => kind));
    const elsewhere = ["connection", "tls", "aborted", "left"];
    expect(Object.keys(modelTroubles).filter((kind) => !tested.has(kind))).toEqual(elsewhere);
    for (const { what, remedy } of Object.values(modelTroubles)) {
      expect(what).toMatch(/^[A-Z].*[^.]$/);
      expect(remedy).toMatch(/^[A-Z].*\.$/);
    }
  });
});
