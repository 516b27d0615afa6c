import { type IncomingMessage, request as openRequest, type ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { networkAuthority } from "#shared/domain/network/network-hosts.ts";
import { HostUnreachable, NetworkRefusal, shown } from "./network-refusal.ts";
import type { ProxyContext } from "./proxy-context.ts";
import { checkListed, connectTo, type Target, targetText } from "./route.ts";

/** What a request for a proxy is about: the target and the path that its server is asked for. */
interface Forwarded {
  readonly target: Target;
  readonly path: string;
}

/** TRACE would expose a request's headers; the others are for proxies only. */
const methods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

const methodsWithBody = new Set(["POST", "PUT", "PATCH"]);

/** Headers that concern one connection, and those that we write ourselves. */
const connectionHeaders = new Set([
  ...["connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect", "max-forwards"],
  ...["host", "content-length", "http2-settings"],
]);

/** A plain request with a whole URL, as `GET http://example.com/path`, sent on to the host that it names. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  context: ProxyContext,
): Promise<void> {
  // Without a client there is no one to answer; clean-up is below.
  request.on("error", () => request.destroy());
  response.on("error", () => response.destroy());
  response.shouldKeepAlive = false;
  try {
    const { target, path } = forwardedOf(request);
    checkListed(context.route, target);
    const framing = framingOf(request, target);
    const head = request.rawHeaders.reduce((sum, text) => sum + text.length, path.length);
    if (!context.traffic.count("sent", head)) return;
    const socket = await connectTo(target, context.route, context.own);
    if (response.destroyed) return void socket.destroy();
    response.once("close", () => socket.destroy());
    socket.setTimeout(context.limits.idleMs, () => socket.destroy());
    const outgoing = openRequest({
      // No agent: it would open another connection, bypassing every check.
      createConnection: () => socket,
      method: request.method,
      path,
      headers: [...hostHeader(target), ...endToEnd(request.rawHeaders), ...framing, "Connection", "close"],
      setHost: false,
      insecureHTTPParser: false,
      maxHeaderSize: context.limits.headerBytes,
    });
    const answered = answer(outgoing, response, target, context);
    pipeline(request, context.traffic.meter("sent"), outgoing).catch((error: Error) => {
      // A server may answer and go before it has read everything; its answer counts.
      if (!response.headersSent) outgoing.destroy(error);
    });
    await answered;
  } catch (error) {
    if (response.headersSent || response.destroyed) return void response.destroy();
    const { status, message } = context.refuse(error);
    response.writeHead(status, {
      "Content-Type": "text/plain; charset=utf-8",
      Connection: "close",
    });
    response.end(`Hox: ${message}\n`);
  }
}

function forwardedOf(request: IncomingMessage): Forwarded {
  const url = request.url ?? "";
  const refuse = (message: string): NetworkRefusal => new NetworkRefusal("malformed", url, message);
  if (!methods.has(request.method ?? ""))
    throw refuse(`${shown(request.method ?? "")} does not pass. Use one of ${[...methods].join(", ")}.`);
  // Parsed by hand: the URL standard normalizes, and could so reach another host than the one compared.
  const parts = /^http:\/\/([^/?#\\]*)([/?][!-~]*)?$/iu.exec(url);
  if (parts === null || parts[2]?.includes("#"))
    throw refuse(
      `"${shown(url)}" is no URL that passes here. A proxy is asked with a whole URL, as in "GET http://example.com/", and for https with CONNECT.`,
    );
  const target = networkAuthority(parts[1] ?? "", 80);
  if (target === null)
    throw new NetworkRefusal(
      "not-a-host",
      url,
      `"${shown(parts[1] ?? "")}" is no host. Name it as in "http://example.com:8080/".`,
    );
  checkSoleHost(request, target, 80);
  const path = parts[2] ?? "/";
  return { target, path: path.startsWith("/") ? path : `/${path}` };
}

/** Every value of a header as it was sent: Node itself keeps only the first `Host`. */
const headerValues = (request: IncomingMessage, name: string): readonly string[] =>
  request.rawHeaders.filter((_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === name);

/**
 * Refuses a request whose `Host` differs from its target, because programs that use the one or the other
 * would not agree. Only HTTP/1.0 may leave it out.
 *
 * @param otherwise the port that `Host` means if it has none; null: that of the target
 */
export function checkSoleHost(request: IncomingMessage, target: Target, otherwise: number | null): void {
  const hosts = headerValues(request, "host");
  if (hosts.length === 0 && request.httpVersion === "1.0") return;
  const named = networkAuthority(hosts[0] ?? "", otherwise ?? target.port);
  const isSame = named !== null && named.host.text === target.host.text && named.port === target.port;
  if (hosts.length === 1 && isSame) return;
  throw new NetworkRefusal(
    "names-differ",
    targetText(target),
    `The request is for ${targetText(target)} and its Host header is "${shown(hosts.join('", "'))}". Both have to name the same.`,
  );
}

/** A tunnel begins where its request ends; a body would be read by one side and not by the other. */
export function noBody(request: IncomingMessage): void {
  if (["content-length", "transfer-encoding"].every((name) => headerValues(request, name).length === 0))
    return;
  throw new NetworkRefusal(
    "malformed",
    request.url ?? "",
    "CONNECT has no body. Leave out Content-Length and Transfer-Encoding.",
  );
}

/** The body's length in exactly one form: an ambiguous one is refused. */
function framingOf(request: IncomingMessage, target: Target): readonly string[] {
  const lengths = headerValues(request, "content-length");
  const codings = headerValues(request, "transfer-encoding");
  const isOneWay =
    lengths.length + codings.length <= 1 &&
    (codings.length === 0 || (codings[0]?.toLowerCase() === "chunked" && request.httpVersion === "1.1"));
  if (!isOneWay)
    throw new NetworkRefusal(
      "malformed",
      targetText(target),
      "The length of this request can be read in two ways. Send either one Content-Length or Transfer-Encoding: chunked.",
    );
  if (codings.length === 1) return ["Transfer-Encoding", "chunked"];
  if (lengths[0] !== undefined) return ["Content-Length", lengths[0]];
  return methodsWithBody.has(request.method ?? "") ? ["Content-Length", "0"] : [];
}

function hostHeader(target: Target): readonly string[] {
  const text = targetText(target);
  return ["Host", target.port === 80 ? text.slice(0, -":80".length) : text];
}

/** Without what concerns one connection: the known ones, all that `Connection` names, and every `Proxy-` header. */
function endToEnd(rawHeaders: readonly string[]): string[] {
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ""] as const] : [],
  );
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(",").map((one) => one.trim().toLowerCase()));
  return pairs
    .filter(([name]) => {
      const lower = name.toLowerCase();
      return !connectionHeaders.has(lower) && !named.includes(lower) && !lower.startsWith("proxy-");
    })
    .flat();
}

function answer(
  outgoing: ReturnType<typeof openRequest>,
  response: ServerResponse,
  target: Target,
  context: ProxyContext,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void =>
      reject(new HostUnreachable(`${targetText(target)} broke off: ${shown(error.message)}.`));
    outgoing.on("error", fail);
    const onClose = (): void => fail(new Error("no answer"));
    outgoing.on("close", onClose);
    outgoing.on("response", (incoming) => {
      const length = incoming.headers["content-length"];
      const framing = length === undefined ? [] : ["Content-Length", length];
      try {
        const headers = [...endToEnd(incoming.rawHeaders), ...framing, "Connection", "close"];
        response.writeHead(incoming.statusCode ?? 502, headers);
      } catch (error) {
        incoming.destroy();
        return fail(error as Error);
      }
      outgoing.off("close", onClose);
      pipeline(incoming, context.traffic.meter("received"), response).then(resolve, fail);
    });
  });
}
