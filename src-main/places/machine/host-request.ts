/** How a machine reaches its host: by the address of an invitation, which may name the host's certificate. */
import { once } from "node:events";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { RemediedError } from "#shared/domain/text/remedied-error.ts";

/** Where the host takes connections of machines. */
export const machinesPath = "/workers";

export class JoinRefused extends RemediedError {
  override readonly name = "JoinRefused";
}

const loopbackNames: readonly string[] = ["127.0.0.1", "localhost", "[::1]"];

/**
 * The address of a host. Without TLS only on this machine: the key and the files are readable on the way. What follows a `#`
 * is the SHA-256 of its certificate, where no authority vouches for that.
 * @throws JoinRefused
 */
export function hostAddress(text: string): URL {
  const spelled = /^[a-z]+:\/\//iu.test(text) ? text : `ws://${text}`;
  if (!URL.canParse(spelled))
    throw new JoinRefused(`"${text}" is no address.`, "Give one such as wss://hox.example.org.");
  const url = new URL(spelled);
  if (url.protocol === "http:") url.protocol = "ws:";
  if (url.protocol === "https:") url.protocol = "wss:";
  if (url.protocol !== "wss:" && !(url.protocol === "ws:" && loopbackNames.includes(url.hostname)))
    throw new JoinRefused(
      `${url.hostname} is another machine, and the address has no TLS.`,
      "Use an address with wss://, or an SSH tunnel: ssh -N -L 4646:127.0.0.1:4646 <host>, then ws://127.0.0.1:4646.",
    );
  if (!/^(?:#[\da-f]{64})?$/iu.test(url.hash))
    throw new JoinRefused(
      `What follows # in "${text}" is no fingerprint of a certificate.`,
      "Copy the whole address from the invitation: 64 digits and letters follow the #.",
    );
  url.pathname = machinesPath;
  return url;
}

const maxAnswerMs = 30_000;

/**
 * A connection to the host whose certificate the address names; undefined: it names none, and authorities vouch for it.
 * Nothing is sent on it before the certificate was compared.
 * @throws JoinRefused where the host has another certificate
 */
export async function pinnedConnection({ hostname, host, port, hash }: URL): Promise<TLSSocket | undefined> {
  if (hash === "") return undefined;
  const name = hostname.replaceAll(/[[\]]/gu, "");
  const socket = connect({
    ...{ host: name, port: Number(port || 443), rejectUnauthorized: false },
    ...(isIP(name) === 0 ? { servername: name } : {}),
  });
  try {
    await once(socket, "secureConnect", { signal: AbortSignal.timeout(maxAnswerMs) });
    const shown = socket.getPeerCertificate().fingerprint256?.replaceAll(":", "").toLowerCase();
    if (shown === hash.slice(1).toLowerCase()) return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.destroy();
  throw new JoinRefused(
    `${host} shows another certificate than the one that its address names.`,
    "If it was renewed, join with the address of another invitation (hox workers invite). Otherwise something between the two answers in its place.",
  );
}

export interface HostAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Sends a request to the host. @throws JoinRefused where no host answers */
export async function askHost(
  address: URL,
  {
    path = machinesPath,
    body,
    maxBytes = 10_000,
    headers,
  }: {
    readonly path?: string;
    /** JSON to be posted. */
    readonly body?: object;
    readonly maxBytes?: number;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<HostAnswer> {
  try {
    const connection = await pinnedConnection(address);
    const url = new URL(path, address);
    url.protocol = address.protocol === "wss:" ? "https:" : "http:";
    url.hash = "";
    const request = (address.protocol === "wss:" ? httpsRequest : httpRequest)(url, {
      ...(body === undefined ? {} : { method: "POST" }),
      headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
      signal: AbortSignal.timeout(maxAnswerMs),
      ...(connection === undefined ? {} : { createConnection: () => connection }),
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
    const [response] = await once(request, "response");
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    }
    return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) };
  } catch (error) {
    if (error instanceof JoinRefused) throw error;
    throw new JoinRefused(
      `No Hox answers at ${address.host}: ${error instanceof Error ? error.message : String(error)}.`,
      "Start Hox there, then retry.",
    );
  }
}
