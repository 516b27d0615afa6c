import type { IncomingMessage } from "node:http";
import { networkAuthority } from "#shared/domain/network/network-hosts.ts";
import { NetworkRefusal, shown } from "./network-refusal.ts";
import { type Target, targetText } from "./route.ts";

/** Every value of a header as it was sent: Node itself keeps only the first `Host`. */
export const headerValues = (request: IncomingMessage, name: string): readonly string[] =>
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
