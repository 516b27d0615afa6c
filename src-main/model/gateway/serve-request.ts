/** One request of an agent: read, forwarded, and answered in the words of its wire. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { noUsage } from "#shared/domain/spending/usage.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { Wire } from "../usage-meter.ts";
import { forward, UpstreamFailure } from "./forward.ts";
import type { GatewayOptions, RefusedRequest } from "./gateway-interface.ts";
import { GatewayRefusal } from "./gateway-refusal.ts";
import type { GatewayState } from "./gateway-state.ts";
import { type PreparedBody, prepareBody } from "./request-body.ts";
import { answerHeaders, errorBody, type Route, routeOf, upstreamHeaders } from "./wires.ts";

/** Answers one request. Never rejects. */
export async function serveRequest(
  state: GatewayState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { options, admission, report } = state;
  const { turn } = admission;
  const left = new AbortController();
  response.on("close", () => left.abort());
  // The client is untrusted: its errors only end its connection.
  for (const stream of [request, response]) stream.on("error", () => response.destroy());
  response.shouldKeepAlive = false;
  const [path = ""] = (request.url ?? "").split("?", 1);
  const what = { method: request.method ?? "", path: startOf(options.redactor.redact(path), 200) };
  let wire = (Object.keys(options.upstreams) as Wire[])[0] ?? "anthropic";
  let held = 0;
  try {
    const route = routeOf(request, (one) => options.upstreams[one] !== undefined);
    const upstream = route && options.upstreams[route.wire];
    if (!route || !upstream || request.headers.upgrade !== undefined)
      throw new GatewayRefusal(
        "not-served",
        "Only requests to a model and its list of models are served here.",
      );
    wire = route.wire;
    const headers = upstreamHeaders(wire, upstream, request.headers);
    let body: PreparedBody | null = null;
    const isOpen = route.kind === "models" && !admission.hasBegun;
    const verdict = isOpen ? "send" : admission.verdict(turn);
    if (verdict instanceof GatewayRefusal) throw verdict;
    if (route.kind !== "models") {
      const text = await readBody(request, state, (bytes) => {
        held += bytes;
      });
      body = prepared(route, text, options);
      for (const name of body.removed)
        report({ reason: "removed", ...what, message: `${name} was removed from a request.` });
    }
    await forward({ route, upstream, headers, body, turn, isOpen, response, signal: left.signal }, state);
  } catch (error) {
    answerError(state, response, wire, what, error);
  } finally {
    state.heldBytes -= held;
  }
}

function prepared(route: Route, text: string, { price, redactor }: GatewayOptions): PreparedBody {
  const body = prepareBody(route.wire, text, route.model);
  try {
    price(noUsage, body.model);
  } catch (error) {
    throw new GatewayRefusal("model", error instanceof Error ? error.message : String(error));
  }
  return { ...body, text: redactor.redact(body.text) };
}

/** @param onHeld is told how many bytes more are held */
async function readBody(
  request: IncomingMessage,
  state: GatewayState,
  onHeld: (bytes: number) => void,
): Promise<string> {
  const { bodyBytes, heldBytes } = state.limits;
  const tooLarge = (): GatewayRefusal =>
    new GatewayRefusal("too-large", `The request has more than ${bodyBytes / 1e6} MB. Send less.`);
  const encoding = request.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity")
    throw new GatewayRefusal(
      "malformed",
      `The body is compressed (${startOf(encoding, 20)}). Send it as it is.`,
    );
  if (Number(request.headers["content-length"] ?? 0) > bodyBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    state.heldBytes += chunk.length;
    onHeld(chunk.length);
    if (bytes > bodyBytes) throw tooLarge();
    if (state.heldBytes > heldBytes)
      throw new GatewayRefusal("limit", "Too many large requests at a time. Send them one after the other.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function answerError(
  { options, report }: GatewayState,
  response: ServerResponse,
  wire: Wire,
  what: Pick<RefusedRequest, "method" | "path">,
  error: unknown,
): void {
  const { redact } = options.redactor;
  if (error instanceof UpstreamFailure) options.onFailed?.(error.problem);
  const refusal = error instanceof GatewayRefusal ? error : null;
  const isAway = response.destroyed || response.closed;
  // Its turn was ended for the reason that its gate gave.
  const isHeld = refusal?.reason === "held";
  if ((refusal && !isHeld) || !(isHeld || isAway || error instanceof UpstreamFailure))
    report({ reason: refusal?.reason ?? "failed", ...what, message: redact(messageOf(error)) });
  if (response.headersSent || isAway) return void response.destroy();
  if (error instanceof UpstreamFailure) {
    const { status, headers, body } = error.answer ?? {
      status: 502,
      headers: new Headers({ "content-type": "application/json" }),
      body: errorBody(wire, 502, `Hox: ${error.problem.message} ${error.problem.remedy}`),
    };
    response.writeHead(status, answerHeaders(headers, redact));
    response.end(redact(body));
    return;
  }
  const status = refusal?.status ?? 500;
  response.writeHead(status, {
    "content-type": "application/json",
    // So that the host knows its own refusals, and the agent's client does not repeat the request.
    "x-hox-refusal": refusal?.reason ?? "failed",
    "x-should-retry": "false",
  });
  response.end(redact(errorBody(wire, status, `Hox: ${messageOf(error)}`)));
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
