import { statSync } from "node:fs";
import { get } from "node:http";
import { connect as connectTcp, createServer as createTcpServer, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { proxyUnderTest } from "./testing/proxy-under-test.ts";
import { exchange, listening, serve } from "./testing/servers.ts";

const t = proxyUnderTest();

describe.skipIf(process.platform === "win32")("limits", () => {
  it("limits heads", async () => {
    await t.start();
    const text = `GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\nX: ${"a".repeat(20_000)}\r\n\r\n`;
    expect(await exchange(t.path, text)).toMatch(/^HTTP\/1\.1 400 /u);
    expect(t.dialed).toEqual([]);
  });

  it("limits the time for a head", async () => {
    await t.start(undefined, { headMs: 300 });
    expect(await exchange(t.path, "GET http://allowed.exam")).toMatch(/^HTTP\/1\.1 400 /u);
    expect(t.dialed).toEqual([]);
  });

  it("limits connections, and says so", async () => {
    await t.start(undefined, { connections: 2 });
    const held = [await t.openTunnel("allowed.example:443"), await t.openTunnel("allowed.example:443")];
    await expect(t.openTunnel("allowed.example:443")).rejects.toThrow(/hang up|ECONNRESET|EPIPE/);
    expect(t.refused).toMatchObject([{ reason: "limit", target: "connections" }]);
    for (const socket of held) socket.destroy();
  });

  it.each(["sent", "received"] as const)("limits bytes %s of all connections together", async (direction) => {
    await t.plain.close();
    t.plain = await serve((asked, response) => {
      asked.resume().on("end", () => response.end(Buffer.alloc(600_000)));
    });
    await t.start(undefined, { [`${direction}Bytes`]: 1_000_000 });
    const post = (): Promise<string> =>
      exchange(
        t.path,
        Buffer.concat([
          Buffer.from(
            "POST http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\nContent-Length: 600000\r\n\r\n",
          ),
          Buffer.alloc(600_000),
        ]),
      );
    expect((await post()).length).toBeGreaterThan(600_000);
    expect((await post()).length).toBeLessThan(600_000);
    expect(t.refused).toMatchObject([{ reason: "limit", target: `bytes ${direction}` }]);
  });

  it("passes on no byte of an open tunnel once it is closed", async () => {
    const received: string[] = [];
    await t.tls.close();
    t.tls = await serve((asked, response) => {
      response.write("begun");
      asked.on("data", (chunk) => {
        received.push(String(chunk));
        response.end("answered");
      });
    }, t.certificate);
    await t.start();
    const socket = connectTls({
      socket: await t.openTunnel("allowed.example:443"),
      ca: t.certificate.cert,
      servername: "allowed.example",
    });
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk;
    });
    const ended = new Promise((resolve) => socket.on("error", () => undefined).on("close", resolve));
    socket.write(
      "POST / HTTP/1.1\r\nHost: allowed.example\r\nContent-Length: 4\r\nConnection: close\r\n\r\n",
    );
    await expect.poll(() => text).toContain("begun");
    t.isOpen = false;
    socket.write("body");
    await ended;
    expect(text).not.toContain("answered");
    expect(received).toEqual([]);
    expect(t.refused).toEqual([]);
  });

  it("ends an idle connection", async () => {
    await t.start(undefined, { idleMs: 300 });
    await t.plain.close();
    t.plain = await serve(() => {});
    const text = "GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n";
    expect(await exchange(t.path, text)).toMatch(/^(HTTP\/1\.1 502 |$)/u);
  });

  it("reports refusals up to a limit and then that there are more", async () => {
    await t.start(undefined, { reports: 3 });
    for (let index = 0; index < 8; index += 1)
      await expect(t.openTunnel(`evil-${index}.example:443`)).rejects.toThrow("403");
    expect(t.refused.map(({ target }) => target)).toEqual([
      ...["evil-0.example:443", "evil-1.example:443", "evil-2.example:443"],
      "refusals",
    ]);
  });
});

describe.skipIf(process.platform === "win32")("the proxy itself", () => {
  it("serves its user only", async () => {
    await t.start();
    expect(statSync(t.path).mode & 0o777).toBe(0o600);
    expect(statSync(t.folder).mode & 0o777).toBe(0o700);
  });

  it("ends every connection when it ends", async () => {
    await t.start(undefined, { headMs: 600_000 });
    const socket = await t.openTunnel("allowed.example:443");
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.on("error", () => socket.destroy());
    socket.resume();
    await t.proxy?.close();
    await closed;
    expect(t.sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    await expect(t.openTunnel("allowed.example:443")).rejects.toThrow(/ENOENT|ECONNREFUSED/);
  });

  it("leaves no connection to a server behind when its client has gone", async () => {
    await t.start(undefined, { headMs: 600_000, idleMs: 600_000 });
    (await t.openTunnel("allowed.example:443")).destroy();
    await t.plain.close();
    t.plain = await serve(() => {});
    const asking = connectTcp({ path: t.path });
    asking.write("GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n");
    await expect.poll(() => t.sockets.length).toBe(2);
    asking.destroy();
    await expect.poll(() => t.sockets.every(({ destroyed }) => destroyed), { timeout: 10_000 }).toBe(true);
    expect(t.refused).toEqual([]);
  });

  it.each([
    ["ends without a word", (socket: Socket) => socket.end()],
    ["breaks off", (socket: Socket) => socket.resetAndDestroy()],
    ["answers what is no HTTP", (socket: Socket) => socket.end("hello\r\n\r\n")],
    [
      "changes the protocol",
      (socket: Socket) =>
        socket.end("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
    ],
    [
      "answers with a head without end",
      (socket: Socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${"a".repeat(100_000)}`),
    ],
    [
      "says its length in two ways",
      (socket: Socket) =>
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ],
  ])("answers 502 if a server %s", async (_, behave) => {
    await t.start();
    await t.plain.close();
    t.plain = await listening(createTcpServer((socket) => socket.once("data", () => behave(socket))));
    const text = "GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n";
    expect(await exchange(t.path, text)).toMatch(/^HTTP\/1\.1 502 /u);
    expect(t.refused).toEqual([]);
  });

  it("answers 502 without a listener, and for an unknown name", async () => {
    await t.start();
    t.answers = { "allowed.example": [] };
    await expect(t.openTunnel("allowed.example:443")).rejects.toThrow(
      "502 Hox: allowed.example has no address",
    );
    t.answers = {};
    await t.tls.close();
    await expect(t.openTunnel("allowed.example:443")).rejects.toThrow(
      "502 Hox: allowed.example:443 was not reached",
    );
    t.tls = await serve(() => {});
  });

  it("aborts a download that its server aborts, instead of ending it normally", async () => {
    await t.start();
    await t.plain.close();
    t.plain = await serve((_, response) => {
      response.writeHead(200, { "Content-Length": 1_000 });
      response.write("half", () => response.socket?.resetAndDestroy());
    });
    const outcome = await new Promise<string>((resolve) => {
      get(
        { socketPath: t.path, path: "http://allowed.example/", headers: { Host: "allowed.example" } },
        (response) => {
          response.on("error", (error) => resolve(error.message));
          response.on("end", () => resolve("ended"));
          response.resume();
        },
      ).on("error", (error) => resolve(error.message));
    });
    expect(outcome).not.toBe("ended");
  });

  it("survives whatever is sent to it", async () => {
    await t.start();
    const head = fc.constantFrom(
      "",
      "GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
      "CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\n",
      "CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\n\x16\x03\x01\x00\x50\x01\x00\x00\x4c",
    );
    await fc.assert(
      fc.asyncProperty(head, fc.uint8Array({ maxLength: 120 }), async (text, bytes) => {
        await new Promise<void>((resolve) => {
          const socket = connectTcp({ path: t.path }, () =>
            socket.write(Buffer.concat([Buffer.from(text, "latin1"), bytes])),
          );
          socket.on("data", () => socket.destroy());
          socket.on("error", () => socket.destroy());
          socket.on("close", () => resolve());
          setTimeout(() => socket.destroy(), 40).unref();
        });
      }),
      { numRuns: 60 },
    );
    expect(await t.getThroughTunnel("allowed.example:443", "allowed.example")).toContain("tls reached");
    expect(t.refused.filter(({ reason }) => reason === "failed")).toEqual([]);
  });
});
