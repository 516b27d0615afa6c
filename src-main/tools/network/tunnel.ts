import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import { networkAuthority, networkHost } from "#shared/domain/network/network-hosts.ts";
import { type ClientHello, readClientHello } from "./client-hello.ts";
import { NetworkRefusal, settingOfHosts, shown } from "./network-refusal.ts";
import { plainAnswer } from "./plain-answer.ts";
import type { ProxyContext } from "./proxy-context.ts";
import { checkSoleHost, noBody } from "./request-checks.ts";
import { checkListed, connectTo, type Target, targetText } from "./route.ts";

/** A fatal alert, `unrecognized_name`: after the tunnel is open, a client listens to nothing but TLS. */
const alert = Buffer.from([21, 3, 3, 0, 2, 2, 112]);

/** `CONNECT host:port`: TLS to the very host that was named, from the first byte on. */
export async function tunnel(
  request: IncomingMessage,
  client: Socket,
  head: Buffer,
  context: ProxyContext,
): Promise<void> {
  let isOpen = false;
  try {
    const target = targetOf(request);
    checkListed(context.route, target);
    const server = await connectTo(target, context.route, context.own);
    if (client.destroyed) return void server.destroy();
    // Whoever leaves before the end takes the other side along.
    client.once("close", () => server.destroy());
    isOpen = true;
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    try {
      const first = await readFirstBytes(client, head, target, context);
      if (first === null) {
        client.destroy();
        return;
      }
      if (!context.traffic.count("sent", first.length)) return;
      server.write(first);
    } catch (error) {
      server.destroy();
      throw error;
    }
    await join(client, server, context);
  } catch (error) {
    const { status, message, reason } = context.refuse(error);
    client.end(isOpen && reason !== "plain-http" ? alert : plainAnswer(status, message));
    // What the client still says is read and dropped: closed over it, a socket would take our answer back.
    client.resume();
    client.setTimeout(context.limits.headMs, () => client.destroy());
  }
}

function targetOf(request: IncomingMessage): Target {
  const text = request.url ?? "";
  const target = networkAuthority(text, null);
  if (target === null)
    throw new NetworkRefusal(
      "not-a-host",
      text,
      `"${shown(text)}" is no host and port as CONNECT needs them. Name it as in "example.com:443".`,
    );
  checkSoleHost(request, target, null);
  noBody(request);
  return target;
}

/** The bytes up to the end of the ClientHello, once it names the host of the tunnel. Null: the client went before. */
function readFirstBytes(
  client: Socket,
  head: Buffer,
  target: Target,
  context: ProxyContext,
): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    let bytes = head;
    const timer = setTimeout(() => end(() => reject(notTls(target))), context.limits.headMs);
    const end = (then: () => void): void => {
      clearTimeout(timer);
      client.off("data", onData);
      client.off("close", onClose);
      client.off("end", onClose);
      client.pause();
      then();
    };
    const judge = (): void => {
      const hello = readClientHello(bytes);
      if (hello.kind === "incomplete") return;
      const refusal = hello.kind === "not-tls" ? notTls(target, bytes) : refusalOf(hello, target);
      end(() => (refusal === null ? resolve(bytes) : reject(refusal)));
    };
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      judge();
    };
    const onClose = (): void => end(() => resolve(null));
    client.on("data", onData);
    client.once("close", onClose);
    client.once("end", onClose);
    if (head.length > 0) judge();
  });
}

function refusalOf(
  hello: Extract<ClientHello, { kind: "hello" | "hidden-name" }>,
  target: Target,
): NetworkRefusal | null {
  const text = targetText(target);
  if (hello.kind === "hidden-name")
    return new NetworkRefusal(
      "hidden-name",
      text,
      `The TLS connection to ${text} hides its name (Encrypted Client Hello), so its target is unknown. Turn that off in the client.`,
    );
  const { host } = target;
  // No address stands in TLS as a name.
  if (hello.serverName === null && host.kind === "address") return null;
  const named = hello.serverName === null ? null : networkHost(hello.serverName);
  if (named !== null && named.kind === "name" && host.kind === "name" && named.text === host.text)
    return null;
  return new NetworkRefusal(
    "names-differ",
    text,
    `TLS names ${hello.serverName === null ? "no host" : `"${shown(hello.serverName)}"`} in a tunnel to ${text}. ` +
      `Open a tunnel to the host itself; the user can add it to ${settingOfHosts}.`,
  );
}

function notTls(target: Target, first?: Buffer): NetworkRefusal {
  const text = targetText(target);
  // Some clients ask for plain HTTP inside of a tunnel; they understand an answer in it.
  if (/^[A-Z]+ /u.test(first?.toString("latin1", 0, 16) ?? ""))
    return new NetworkRefusal(
      "plain-http",
      text,
      `The tunnel to ${text} began with plain HTTP. Only TLS passes through CONNECT: use https, or a client that asks a proxy for plain HTTP without it.`,
    );
  return new NetworkRefusal(
    "not-tls",
    text,
    `The tunnel to ${text} did not begin with TLS, and nothing else passes.`,
  );
}

async function join(client: Socket, server: Socket, context: ProxyContext): Promise<void> {
  for (const socket of [client, server]) socket.setTimeout(context.limits.idleMs, () => socket.destroy());
  const ways = await Promise.allSettled([
    pipeline(client, context.traffic.meter("sent"), server),
    pipeline(server, context.traffic.meter("received"), client),
  ]);
  // A broken connection has no one left to tell: both ends see it break.
  if (ways.some(({ status }) => status === "rejected"))
    for (const socket of [client, server]) socket.destroy();
}
