import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { noUsage } from "#shared/domain/spending/usage.ts";
import { exportRun } from "./otlp-export.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Attribute {
  readonly key: string;
  readonly value: Record<string, unknown>;
}
interface SentSpan {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

/** What a collector takes: OTLP as JSON over HTTP. */
async function collector(status = 200) {
  const spans: SentSpan[] = [];
  const metrics: {
    readonly name: string;
    readonly unit: string;
    readonly histogram: { dataPoints: { sum: number; count: number; attributes: Attribute[] }[] };
  }[] = [];
  const headers: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      headers.push(request.headers.authorization);
      expect(request.headers["content-type"]).toBe("application/json");
      const sent = JSON.parse(body);
      if (request.url === "/otlp/v1/traces")
        spans.push(
          ...sent.resourceSpans.flatMap((one: { scopeSpans: { spans: SentSpan[] }[] }) =>
            one.scopeSpans.flatMap((scope) => scope.spans),
          ),
        );
      else if (request.url === "/otlp/v1/metrics")
        metrics.push(
          ...sent.resourceMetrics.flatMap((one: { scopeMetrics: { metrics: never[] }[] }) =>
            one.scopeMetrics.flatMap((scope) => scope.metrics),
          ),
        );
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(resolve);
      }),
  );
  return { spans, metrics, headers, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/otlp/` };
}

/** ms since 1970. */
const began = 1_700_000_000_000;

async function exported(url: string, withContent: boolean): Promise<readonly Error[]> {
  const failures: Error[] = [];
  const run = exportRun(
    {
      endpoint: url,
      headers: { authorization: "Bearer t" },
      withContent,
      run: "r1",
      provider: "anthropic",
      onFailure: (error) => failures.push(error),
    },
    began + 1_000,
  );
  run.entry("agent-1", { kind: "prompt", text: "secret task", iteration: 2 }, began + 1_100);
  run.entry("agent-1", { kind: "text", text: "secret words" }, began + 1_400);
  const usage = { ...noUsage, input: 10, cacheRead: 5, cacheWrite5m: 3, output: 7 };
  run.measured(
    "agent-1",
    { kind: "request", model: "m-1", ms: 400, waitedMs: 0, usage, stopReason: "tool_use", error: null },
    began + 1_500,
  );
  run.entry(
    "agent-1",
    { kind: "tool-call", id: "c", tool: "run_command", input: { command: "secret" } },
    began + 1_500,
  );
  run.entry(
    "agent-1",
    {
      kind: "tool-result",
      id: "c",
      tool: "run_command",
      output: "secret output",
      error: "timed-out",
      ms: 100,
    },
    began + 1_600,
  );
  run.measured(
    "agent-1",
    {
      kind: "request",
      model: "m-1",
      ms: 50,
      waitedMs: 0,
      usage: null,
      stopReason: null,
      error: "secret refusal",
    },
    began + 1_700,
  );
  await run.end("complete", began + 2_000);
  return failures;
}

const attributeOf = (attributes: readonly Attribute[], key: string) =>
  Object.values(attributes.find((one) => one.key === key)?.value ?? {})[0];

test("a run, its worker, iteration, requests and calls are spans of the GenAI conventions, without any content", async () => {
  const heard = await collector();
  expect(await exported(heard.url, false)).toEqual([]);
  const named = (name: string) => heard.spans.filter((span) => span.name === name);
  const [root] = named("invoke_workflow r1");
  const [agent] = named("invoke_agent agent-1");
  const [iteration] = named("iteration");
  const [chat, refused] = named("chat m-1");
  const [call] = named("execute_tool run_command");
  expect(agent?.parentSpanId).toBe(root?.spanId);
  expect(iteration?.parentSpanId).toBe(agent?.spanId);
  for (const span of [chat, refused, call]) expect(span?.parentSpanId).toBe(iteration?.spanId);
  expect([chat?.startTimeUnixNano, chat?.endTimeUnixNano]).toEqual([
    "1700000001100000000",
    "1700000001500000000",
  ]);
  expect([call?.startTimeUnixNano, call?.endTimeUnixNano]).toEqual([
    "1700000001500000000",
    "1700000001600000000",
  ]);
  const attributes = Object.fromEntries(
    (chat?.attributes ?? []).map(({ key }) => [key, attributeOf(chat?.attributes ?? [], key)]),
  );
  expect(attributes).toMatchObject({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "anthropic",
    "gen_ai.request.model": "m-1",
    "gen_ai.usage.input_tokens": 18,
    "gen_ai.usage.output_tokens": 7,
    "gen_ai.usage.cache_read.input_tokens": 5,
  });
  expect(call?.status.code).toBe(2);
  expect(refused?.status.code).toBe(2);
  expect(JSON.stringify(heard.spans)).not.toContain("secret");
  expect(new Set(heard.headers)).toEqual(new Set(["Bearer t"]));

  const points = (name: string) =>
    heard.metrics.find((metric) => metric.name === name)?.histogram.dataPoints ?? [];
  expect(
    points("gen_ai.client.token.usage").map(({ sum, attributes }) => [
      attributeOf(attributes, "gen_ai.token.type"),
      sum,
    ]),
  ).toEqual([
    ["input", 18],
    ["output", 7],
  ]);
  expect(points("gen_ai.client.operation.duration").map(({ sum, count }) => [count, sum])).toEqual([
    [1, 0.4],
    [1, 0.05],
  ]);
});

test("content is included on request", async () => {
  const heard = await collector();
  await exported(heard.url, true);
  const text = JSON.stringify(heard.spans);
  for (const words of ["secret words", "secret output", "gen_ai.tool.call.arguments"])
    expect(text).toContain(words);
});

test("a collector that refuses or is missing is reported once and stops nothing", async () => {
  const refusing = await collector(400);
  expect(await exported(refusing.url, false)).toHaveLength(1);
  expect(await exported("http://127.0.0.1:9", false)).toHaveLength(1);
});
