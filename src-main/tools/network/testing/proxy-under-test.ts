import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { connect as connectTcp, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { parseAllowedHost } from "#shared/domain/network/network-hosts.ts";
import { defaultProxyLimits, type FilteringProxy, startFilteringProxy } from "../filtering-proxy.ts";
import type { RefusedConnection } from "../network-refusal.ts";
import type { ProxyLimits } from "../proxy-context.ts";
import type { ResolvedAddress } from "../route.ts";
import { type Certificate, certificateFor, type RunningServer, serve } from "./servers.ts";

export const publicAddress: ResolvedAddress = { address: "93.184.216.34", family: 4 };

/** A proxy in front of two real servers, one plain and one with TLS, and everything that happens around it. */
export class ProxyUnderTest {
  readonly certificate: Certificate;
  readonly folder: string = mkdtempSync(join(tmpdir(), "hox-proxy-"));
  readonly path: string = join(this.folder, "proxy");
  /** What the servers were asked. */
  readonly seen: string[] = [];
  readonly refused: RefusedConnection[] = [];
  readonly lookedUp: string[] = [];
  readonly dialed: string[] = [];
  /** The connections to servers. */
  readonly sockets: Socket[] = [];
  /** What names lead to; any other leads to a public address. */
  answers: Readonly<Record<string, readonly ResolvedAddress[]>> = {};
  plain!: RunningServer;
  tls!: RunningServer;
  proxy: FilteringProxy | undefined;
  isOpen = true;

  constructor(certificate: Certificate) {
    this.certificate = certificate;
  }

  async serve(): Promise<void> {
    this.plain = await serve((asked, response) => {
      let body = "";
      asked.on("data", (chunk) => {
        body += chunk;
      });
      asked.on("end", () => {
        this.seen.push(`${asked.method} ${asked.url} ${asked.rawHeaders.join("|")} ${body}`);
        response.setHeader("Proxy-Authenticate", "Basic");
        response.setHeader("Keep-Alive", "timeout=5");
        response.end("plain reached");
      });
    });
    this.tls = await serve((asked, response) => {
      this.seen.push(`${asked.method} ${asked.headers.host}${asked.url}`);
      response.end("tls reached");
    }, this.certificate);
  }

  async end(): Promise<void> {
    await this.proxy?.close();
    await Promise.all([this.plain.close(), this.tls.close()]);
    rmSync(this.folder, { recursive: true });
  }

  async start(
    hosts: readonly string[] = ["allowed.example", "*.wild.example"],
    limits: Partial<ProxyLimits> = {},
  ): Promise<void> {
    this.proxy = await startFilteringProxy(this.path, {
      allowed: hosts.map((host) => {
        const read = parseAllowedHost(host);
        if ("mistake" in read) throw new Error(read.mistake);
        return read.allowed;
      }),
      upstream: null,
      limits: { ...defaultProxyLimits, headMs: 600_000, ...limits },
      isOpen: () => this.isOpen,
      onRefused: (one) => this.refused.push(one),
      resolveName: async (name) => {
        this.lookedUp.push(name);
        return this.answers[name] ?? [publicAddress];
      },
      dial: (address, port) => {
        this.dialed.push(`${address} ${port}`);
        const socket = connectTcp(port === 80 ? this.plain.port : this.tls.port, "127.0.0.1");
        this.sockets.push(socket);
        return socket;
      },
    });
  }

  /** A tunnel through the proxy, or its refusal. */
  openTunnel(target: string, headers: Record<string, string> = {}): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const asking = request({
        socketPath: this.path,
        method: "CONNECT",
        path: target,
        setHost: false,
        headers: { Host: target, ...headers },
      });
      asking.on("connect", (response, socket, head) => {
        if (response.statusCode === 200) return resolve(socket as Socket);
        let text = head.toString();
        socket.on("data", (chunk) => {
          text += chunk;
        });
        socket.on("close", () => reject(new Error(`${response.statusCode} ${text}`)));
      });
      asking.on("error", reject);
      asking.end();
    });
  }

  async getThroughTunnel(target: string, servername?: string): Promise<string> {
    const socket = connectTls({
      socket: await this.openTunnel(target),
      ca: this.certificate.cert,
      ...(servername === undefined ? {} : { servername }),
      checkServerIdentity: () => undefined,
    });
    return new Promise((resolve, reject) => {
      let text = "";
      socket.on("error", reject);
      socket.on("data", (chunk) => {
        text += chunk;
      });
      socket.on("close", () => resolve(text));
      socket.write(`GET /path HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`);
    });
  }
}

/** A new one for each test, with its servers. */
export function proxyUnderTest(): ProxyUnderTest {
  let certificate: Certificate;
  let current: ProxyUnderTest;
  beforeAll(() => {
    certificate = certificateFor("allowed.example", "other.example");
  });
  beforeEach(async () => {
    current = new ProxyUnderTest(certificate);
    await current.serve();
  });
  afterEach(() => current.end());
  return new Proxy({} as ProxyUnderTest, {
    get: (_, name) => Reflect.get(current, name, current),
    set: (_, name, value) => Reflect.set(current, name, value, current),
  });
}
