import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { networkAuthority } from "#shared/domain/network/network-hosts.ts";
import { HostUnreachable } from "./network-refusal.ts";

/** The machine's own proxy. Its credentials never leave this folder. */
export interface UpstreamProxy {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly authorization: string | null;
  /** Whether a host is reached without it, by `NO_PROXY`. */
  isBypassed(host: string, port: number): boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** From `HTTPS_PROXY`, else `HTTP_PROXY`, and `NO_PROXY`, in either case. Null: there is none. */
export function upstreamProxyOf(environment: Environment): UpstreamProxy | null {
  const named = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"].find((name) => environment[name]);
  if (named === undefined) return null;
  const text = environment[named] ?? "";
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  const authorization = url === null ? null : authorizationOf(url);
  if (url === null || authorization === undefined || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new Error(
      `${named} is not an http or https proxy, so no allowed host can be reached through it. Fix it or unset it.`,
    );
  const isTls = url.protocol === "https:";
  const bypassed = bypassRules(environment.NO_PROXY ?? environment.no_proxy ?? "");
  return {
    host: url.hostname.replace(/^\[|\]$/gu, ""),
    port: url.port === "" ? (isTls ? 443 : 80) : Number(url.port),
    isTls,
    authorization,
    isBypassed: (host, port) => bypassed.some((rule) => rule(host, port)),
  };
}

/** Undefined: they cannot be read. */
function authorizationOf(url: URL): string | null | undefined {
  if (url.username === "" && url.password === "") return null;
  try {
    const credentials = [url.username, url.password].map(decodeURIComponent).join(":");
    return `Basic ${Buffer.from(credentials).toString("base64")}`;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function bypassRules(list: string): readonly ((host: string, port: number) => boolean)[] {
  return list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .map((entry) => {
      if (entry === "*") return () => true;
      const rule = networkAuthority(entry.replace(/^\*?\./u, ""), 0);
      return (host: string, port: number) =>
        rule !== null &&
        (rule.port === 0 || rule.port === port) &&
        (host === rule.host.text || host.endsWith(`.${rule.host.text}`));
    });
}

/**
 * A connection to a host through the proxy, by CONNECT for plain HTTP too: so no request that a command wrote carries
 * the credentials, and no answer can show them. What the proxy says against it stays outside for the same reason.
 */
export function connectThrough(
  proxy: UpstreamProxy,
  target: string,
  timeoutMs: number,
  onSocket: (socket: Socket) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new HostUnreachable(`${target} was not reached: ${why}.`));
    const socket = proxy.isTls
      ? connectTls({ host: proxy.host, port: proxy.port })
      : connect({ host: proxy.host, port: proxy.port });
    onSocket(socket);
    const asking = request({
      createConnection: () => socket,
      method: "CONNECT",
      path: target,
      setHost: false,
      headers: {
        Host: target,
        ...(proxy.authorization === null ? {} : { "Proxy-Authorization": proxy.authorization }),
      },
      timeout: timeoutMs,
    });
    asking.on("timeout", () => asking.destroy(new Error("it took too long")));
    asking.on("error", () => fail("the proxy of this machine did not answer"));
    asking.on("response", (response) => {
      asking.destroy();
      fail(`the proxy of this machine answered ${response.statusCode}`);
    });
    asking.on("connect", (response, _, head) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        return fail(`the proxy of this machine answered ${response.statusCode}`);
      }
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asking.end();
  });
}
