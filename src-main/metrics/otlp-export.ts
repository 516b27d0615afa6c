/** Spans and metrics of one run, as OpenTelemetry's GenAI conventions name them, over OTLP by HTTP. Loaded only when it is on. */

import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { contextTokens } from "#shared/domain/spending/usage.ts";
import { trimEndOf } from "#shared/domain/text/format-text.ts";
import type { Measured } from "../agent/agent-interface.ts";
import type { Config } from "../config/config-interface.ts";

export interface ExportOptions {
  /** Base address of the collector; `/v1/traces` and `/v1/metrics` follow. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether content is included. */
  readonly withContent: boolean;
  readonly run: string;
  readonly provider: string;
  /** Called once, however often it fails. */
  readonly onFailure: (error: Error) => void;
}

/** Events of a run with their time (ms since 1970). Nothing here throws or waits. */
export interface RunExport {
  entry(worker: string, entry: ConversationEntry, at: number): void;
  measured(worker: string, measured: Measured, at: number): void;
  /** Ends what is open and sends the rest; always resolves. */
  end(outcome: string, at: number): Promise<void>;
}

/** Boundaries that the conventions advise. */
const tokenBuckets = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];
const secondBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const timeoutMillis = 5_000;

export function exportRun(options: ExportOptions, begunAt: number): RunExport {
  const { run, provider, withContent } = options;
  const sending = exporters(options);
  const { tracer, close } = sending;
  const common: Attributes = { "gen_ai.provider.name": provider };
  const root = tracer.startSpan(`invoke_workflow ${run}`, {
    startTime: begunAt,
    attributes: { ...common, "gen_ai.operation.name": "invoke_workflow", "gen_ai.conversation.id": run },
  });
  const below = (span: Span) => trace.setSpan(context.active(), span);
  const workers = new Map<string, { readonly span: Span; iteration: Span | null; text: string }>();
  const calls = new Map<string, Span>();
  const workerOf = (name: string, at: number) => {
    const known = workers.get(name);
    if (known) return known;
    const attributes = { ...common, "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name };
    const span = tracer.startSpan(`invoke_agent ${name}`, { startTime: at, attributes }, below(root));
    const made = { span, iteration: null, text: "" };
    workers.set(name, made);
    return made;
  };
  return {
    entry(name, entry, at) {
      const worker = workerOf(name, at);
      const inside = below(worker.iteration ?? worker.span);
      if (entry.kind === "prompt") {
        worker.iteration?.end(at);
        const attributes = { "hox.iteration": entry.iteration, "gen_ai.agent.name": name };
        worker.iteration = tracer.startSpan("iteration", { startTime: at, attributes }, below(worker.span));
      } else if (entry.kind === "text") worker.text += withContent ? entry.text : "";
      else if (entry.kind === "tool-call") {
        const span = tracer.startSpan(`execute_tool ${entry.tool}`, { startTime: at }, inside);
        span.setAttributes({
          "gen_ai.operation.name": "execute_tool",
          "gen_ai.tool.name": entry.tool,
          "gen_ai.tool.call.id": entry.id,
          "gen_ai.tool.type": "function",
        });
        if (withContent) span.setAttribute("gen_ai.tool.call.arguments", JSON.stringify(entry.input));
        calls.set(`${name}/${entry.id}`, span);
      } else if (entry.kind === "tool-result") {
        const span = calls.get(`${name}/${entry.id}`);
        calls.delete(`${name}/${entry.id}`);
        if (withContent) span?.setAttribute("gen_ai.tool.call.result", entry.output);
        if (entry.error !== null) fail(span, entry.error);
        span?.end(at);
      }
    },
    measured(name, measured, at) {
      if (measured.kind !== "request") return;
      const worker = workerOf(name, at);
      const text = withContent ? worker.text : "";
      worker.text = "";
      recordRequest(sending, measured, {
        text,
        at,
        inside: below(worker.iteration ?? worker.span),
        common,
        withContent,
      });
    },
    async end(outcome, at) {
      for (const span of calls.values()) span.end(at);
      for (const { span, iteration } of workers.values()) {
        iteration?.end(at);
        span.end(at);
      }
      root.setAttribute("hox.run.outcome", outcome);
      if (outcome === "failed") fail(root, "failed");
      root.end(at);
      await close();
    },
  };
}

/** One request to a model, from when it was asked to the end of its answer. */
function recordRequest(
  { tracer, tokens, durations }: Pick<ReturnType<typeof exporters>, "tracer" | "tokens" | "durations">,
  measured: Extract<Measured, { kind: "request" }>,
  about: {
    readonly text: string;
    readonly at: number;
    readonly inside: Context;
    readonly common: Attributes;
    readonly withContent: boolean;
  },
): void {
  const { text, at, inside, common, withContent } = about;
  const { model, ms, waitedMs, usage, stopReason, error } = measured;
  const asked = { ...common, "gen_ai.operation.name": "chat", "gen_ai.request.model": model };
  const span = tracer.startSpan(
    `chat ${model}`,
    { kind: SpanKind.CLIENT, startTime: at - ms - waitedMs, attributes: asked },
    inside,
  );
  if (usage) {
    const cached = usage.cacheWrite5m + usage.cacheWrite1h;
    span.setAttributes({
      "gen_ai.response.model": model,
      "gen_ai.usage.input_tokens": contextTokens(usage),
      "gen_ai.usage.output_tokens": usage.output,
      "gen_ai.usage.cache_read.input_tokens": usage.cacheRead,
      "gen_ai.usage.cache_creation.input_tokens": cached,
    });
    tokens.record(contextTokens(usage), { ...asked, "gen_ai.token.type": "input" });
    tokens.record(usage.output, { ...asked, "gen_ai.token.type": "output" });
  }
  if (stopReason !== null) span.setAttribute("gen_ai.response.finish_reasons", [stopReason]);
  if (text !== "") span.setAttribute("gen_ai.output.messages", outputMessages(text, stopReason));
  // An error's text may contain the request.
  if (error !== null) fail(span, withContent ? error : "request failed");
  durations.record(ms / 1_000, { ...asked, ...(error === null ? {} : { "error.type": "_OTHER" }) });
  span.end(at);
}

const outputMessages = (text: string, stopReason: string | null): string =>
  JSON.stringify([
    { role: "assistant", parts: [{ type: "text", content: text }], finish_reason: stopReason ?? "error" },
  ]);

function fail(span: Span | undefined, why: string): void {
  span?.setAttribute("error.type", "_OTHER");
  span?.setStatus({ code: SpanStatusCode.ERROR, message: why });
}

/** The official exporters; a failure is reported once and goes no further. */
function exporters({ endpoint, headers, onFailure }: ExportOptions) {
  let hasFailed = false;
  const failed = (error: Error): void => {
    if (!hasFailed) onFailure(error);
    hasFailed = true;
  };
  const reportFailures = <Exporter extends OTLPTraceExporter | OTLPMetricExporter>(
    exporter: Exporter,
  ): Exporter => {
    const send = exporter.export.bind(exporter) as (
      items: unknown,
      done: (result: { code: number; error?: Error }) => void,
    ) => void;
    exporter.export = (items: unknown, done: (result: { code: number; error?: Error }) => void) =>
      send(items, (result) => {
        if (result.code !== 0) failed(result.error ?? new Error("it was not taken"));
        done(result);
      });
    return exporter;
  };
  const base = trimEndOf(endpoint, "/");
  const at = (path: string) => ({ url: `${base}/v1/${path}`, headers: { ...headers }, timeoutMillis });
  const resource = resourceFromAttributes({ "service.name": "hox" });
  const spans = new TracerProvider({
    resource,
    spanProcessors: [
      new BatchSpanProcessor({ exporter: reportFailures(new OTLPTraceExporter(at("traces"))) }),
    ],
  });
  const figures = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({ exporter: reportFailures(new OTLPMetricExporter(at("metrics"))) }),
    ],
  });
  const meter = figures.getMeter("hox");
  return {
    tracer: spans.getTracer("hox"),
    tokens: meter.createHistogram("gen_ai.client.token.usage", {
      unit: "{token}",
      advice: { explicitBucketBoundaries: tokenBuckets },
    }),
    durations: meter.createHistogram("gen_ai.client.operation.duration", {
      unit: "s",
      advice: { explicitBucketBoundaries: secondBuckets },
    }),
    async close(): Promise<void> {
      const closed = Promise.allSettled([spans.shutdown(), figures.shutdown()]);
      for (const one of await closed) if (one.status === "rejected") failed(one.reason as Error);
    },
  };
}

/**
 * Where figures may be sent. The file is the repository's and untrusted; the environment is the user's.
 */
type ExportTarget =
  | { readonly kind: "off" }
  | { readonly kind: "refused"; readonly host: string }
  | {
      readonly kind: "on";
      readonly endpoint: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly withContent: boolean;
    };

/** Names hosts that figures may be sent to, with commas between. */
export const hostsVariable = "HOX_OTLP_HOSTS";

const loopback = ["localhost", "127.0.0.1", "[::1]"];

/** @param environment the user's own */
export function exportTarget(
  { otlpEndpoint, otlpHeadersEnv, otlpContent }: Config["metrics"],
  environment: Readonly<Record<string, string | undefined>>,
): ExportTarget {
  if (otlpEndpoint === null) return { kind: "off" };
  const { hostname } = new URL(otlpEndpoint);
  const allowed = (environment[hostsVariable] ?? "").split(",").map((host) => host.trim());
  if (!loopback.includes(hostname) && !allowed.includes(hostname)) return { kind: "refused", host: hostname };
  const headers = otlpHeadersEnv === null ? "" : (environment[otlpHeadersEnv] ?? "");
  return { kind: "on", endpoint: otlpEndpoint, headers: headersOf(headers), withContent: otlpContent };
}

/** As `OTEL_EXPORTER_OTLP_HEADERS` has it: `name=value`, with commas between. */
const headersOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split(",").flatMap((pair) => {
      const at = pair.indexOf("=");
      return at <= 0 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()]];
    }),
  );
