import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, beforeEach, expect, it } from "vitest";
import { tempDir } from "../../testing/kit.ts";
import { type CommandNetwork, openCommandNetwork } from "./command-network.ts";
import { HostUnreachable } from "./network-refusal.ts";
import type { RouteOptions } from "./route.ts";
import { certificateFor, exchange, listening, type RunningServer, serve } from "./testing/servers.ts";
import { upstreamProxyOf } from "./upstream-proxy.ts";

const credentials = `Basic ${Buffer.from("user:pass word").toString("base64")}`;

let folder: string;
let target: RunningServer;
let upstream: RunningServer;
let asked: { readonly url: string; readonly authorization: string | undefined }[];
let received: string[];
let answer: (request: IncomingMessage, socket: Socket) => void;
let network: CommandNetwork | null;
let path: string;

beforeEach(async () => {
  folder = tempDir();
  asked = [];
  received = [];
  target = await serve((request, response) => {
    received.push(request.rawHeaders.join("|"));
    response.end("reached");
  });
  answer = (_, socket) => {
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    const further = connect(target.port, "127.0.0.1");
    socket.pipe(further).pipe(socket);
  };
  const server = createServer((_, response) => response.writeHead(500).end());
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    asked.push({ url: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    answer(request, socket);
  });
  upstream = await listening(server);
});
afterEach(async () => {
  await network?.close();
  await Promise.all([target.close(), upstream.close()]);
});

async function open(over: Partial<RouteOptions> & { noProxy?: string; proxy?: string } = {}): Promise<void> {
  network = await openCommandNetwork({
    hosts: ["allowed.example", "10.1.2.3"],
    node: process.execPath,
    folder,
    environment: {
      HTTPS_PROXY: over.proxy ?? `http://user:pass%20word@127.0.0.1:${upstream.port}`,
      NO_PROXY: over.noProxy ?? "",
    },
    onRefused: () => {},
    resolveName: over.resolveName ?? (async () => [{ address: "93.184.216.34", family: 4 }]),
    dial: () => connect(target.port, "127.0.0.1"),
  });
  path = network?.mounts.find(({ destination }) => destination.endsWith("/proxy"))?.source ?? "";
}

const get = (host = "allowed.example"): Promise<string> =>
  exchange(path, `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: Basic eDp5\r\n\r\n`);

// There is no sandbox on Windows.
const itWhereSandboxed = it.skipIf(process.platform === "win32");

itWhereSandboxed(
  "goes through the machine's proxy with its credentials, which reach neither the server nor the command",
  async () => {
    await open();
    const text = await get();
    expect(text).toContain("reached");
    expect(asked).toEqual([{ url: "allowed.example:80", authorization: credentials }]);
    expect(received.join()).not.toMatch(/proxy-|Basic/iu);
    expect(text).not.toContain(credentials);
  },
);

itWhereSandboxed("shows a command nothing of what the machine's proxy says against it", async () => {
  answer = (request, socket) =>
    socket.end(
      `HTTP/1.1 407 Canary\r\nProxy-Authenticate: Basic realm="canary"\r\n\r\n${request.headers["proxy-authorization"]}`,
    );
  await open();
  const text = await get();
  expect(text).toMatch(/^HTTP\/1\.1 502 /u);
  expect(text).toContain("the proxy of this machine answered 407");
  expect(text).not.toMatch(/canary|dXNlcjp|Proxy-Authenticate/iu);
  await upstream.close();
  expect(await get()).toContain("the proxy of this machine did not answer");
  upstream = await serve(() => {});
});

itWhereSandboxed(
  "asks it for names that only it knows, and never for one that leads into this machine's network",
  async () => {
    await open({ resolveName: () => Promise.reject(new HostUnreachable("allowed.example was not found")) });
    expect(await get()).toContain("reached");
    await network?.close();
    await open({ resolveName: async () => [{ address: "127.0.0.1", family: 4 }] });
    expect(await get()).toMatch(/^HTTP\/1\.1 403 /u);
    expect(asked).toHaveLength(1);
  },
);

itWhereSandboxed(
  "goes without it to what NO_PROXY names, and to a listed address of a network around the machine",
  async () => {
    await open({ noProxy: "localhost, .allowed.example" });
    expect(await get()).toContain("reached");
    expect(await get("10.1.2.3")).toContain("reached");
    expect(asked).toEqual([]);
  },
);

itWhereSandboxed("still wants TLS that names the host", async () => {
  await open();
  const hello =
    "CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\nGET / HTTP/1.1\r\n\r\n";
  expect(await exchange(path, hello)).toContain("began with plain HTTP");
  expect(received).toEqual([]);
});

itWhereSandboxed("speaks TLS to a proxy that wants it, and not to one that nobody vouches for", async () => {
  const certificate = certificateFor("localhost");
  const server = createTlsServer(certificate, (_, response) => response.writeHead(500).end());
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    asked.push({ url: request.url ?? "", authorization: request.headers["proxy-authorization"] });
    answer(request, socket);
  });
  const secure = await listening(server);
  const proxy = `https://user:pass%20word@localhost:${secure.port}`;
  await open({ proxy });
  expect(await get()).toContain("the proxy of this machine did not answer");
  expect(asked).toEqual([]);
  const trusted = getCACertificates("default");
  setDefaultCACertificates([...trusted, certificate.cert.toString()]);
  try {
    expect(await get()).toContain("reached");
  } finally {
    setDefaultCACertificates(trusted);
    await secure.close();
  }
  expect(asked).toEqual([{ url: "allowed.example:80", authorization: credentials }]);
});

it.each([
  [{}, null],
  [{ HTTP_PROXY: "" }, null],
  [
    { https_proxy: "proxy.corp.example:3128" },
    { host: "proxy.corp.example", port: 3128, isTls: false, authorization: null },
  ],
  [{ HTTP_PROXY: "http://proxy.corp.example" }, { host: "proxy.corp.example", port: 80 }],
  [
    { HTTPS_PROXY: "https://proxy.corp.example", HTTP_PROXY: "http://other" },
    { port: 443, isTls: true },
  ],
  [{ HTTPS_PROXY: "http://[fd00::1]:8080" }, { host: "fd00::1", port: 8080 }],
])("reads %j", (environment, read) => {
  const found = upstreamProxyOf(environment);
  if (read === null) expect(found).toBeNull();
  else expect(found).toMatchObject(read);
});

it("names an unreadable variable without its value", () => {
  for (const value of [
    "socks5://user:canary@proxy:1080",
    "http://user:canary%@proxy:1080",
    "http://canary:x:y",
  ])
    expect(() => upstreamProxyOf({ https_proxy: value })).toThrow(
      /^https_proxy is not an http or https proxy(?!.*canary)/u,
    );
});

it("bypasses hosts as NO_PROXY lists them", () => {
  const proxy = upstreamProxyOf({
    HTTPS_PROXY: "http://proxy:1",
    NO_PROXY: "corp.example, .dev.example,*.test.example:8443 ,10.0.0.1,not a host",
  });
  const bypassed = (host: string, port = 443): boolean | undefined => proxy?.isBypassed(host, port);
  expect(bypassed("corp.example")).toBe(true);
  expect(bypassed("a.corp.example")).toBe(true);
  expect(bypassed("evilcorp.example")).toBe(false);
  expect(bypassed("a.dev.example")).toBe(true);
  expect(bypassed("a.test.example")).toBe(false);
  expect(bypassed("a.test.example", 8443)).toBe(true);
  expect(bypassed("10.0.0.1")).toBe(true);
  expect(bypassed("other.example")).toBe(false);
  expect(
    upstreamProxyOf({ HTTPS_PROXY: "http://proxy:1", NO_PROXY: "*" })?.isBypassed("a.example", 443),
  ).toBe(true);
});
