/** Every user of the machine can reach a port on 127.0.0.1: what somebody without a secret can make a host do is little. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEndpointRouter } from "../api/router.ts";
import { createHost, createHostState } from "../host.ts";
import type { Host } from "../host-interface.ts";
import {
  createLocalServer,
  defaultPatience,
  openLocalEndpoint,
  type PeerPatience,
} from "./local-endpoint.ts";
import { type LoopbackServer, serveLoopback } from "./web-socket.ts";

let folder: string;
let host: Host;
let server: LoopbackServer;
let ports: Record<"the page's server" | "the local endpoint", number>;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hox-strangers-"));
  const files = join(folder, "renderer");
  await mkdir(files);
  await writeFile(join(files, "index.html"), "<!doctype html>");
  await writeFile(join(files, "big.js"), Buffer.alloc(50_000_000, " "));
  host = await createHost({ shell: "browser", version: "0", stateFolder: join(folder, "state") });
  server = await serveLoopback(host, { files });
  const state = await createHostState({ shell: "browser", version: "0", stateFolder: join(folder, "other") });
  const endpoint = await openLocalEndpoint(createEndpointRouter(state, folder), folder, folder);
  const { port } = JSON.parse(await readFile(join(folder, "steering.json"), "utf8")) as { port: number };
  ports = { "the page's server": server.port, "the local endpoint": port };
  ends.push(
    () => server.close(),
    () => host.close(),
    () => endpoint.close(),
    () => state.close(),
  );
});
afterAll(async () => {
  for (const end of ends) await end();
  await rm(folder, { recursive: true, force: true });
});

/** @returns `ended`: the other side has hung up. One that never does keeps its test waiting to the test's own limit. */
async function comeTo(port: number): Promise<{ readonly socket: Socket; readonly ended: Promise<void> }> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  socket.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => {
    socket.once("end", resolve);
    socket.once("close", () => resolve());
  });
  await new Promise((resolve) => socket.once("connect", resolve));
  return { socket, ended };
}

describe.each(["the page's server", "the local endpoint"] as const)("%s", (which) => {
  test("accepts a few kilobytes of headers", async () => {
    const { socket, ended } = await comeTo(ports[which]);
    socket.resume();
    socket.write("GET / HTTP/1.1\r\nx: ");
    let sent = 0;
    while (!socket.destroyed && sent < 100_000_000) {
      sent += 65_536;
      if (!socket.write(Buffer.alloc(65_536, "x")))
        await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), ended, pause(1_000)]);
      if (socket.readableEnded) break;
    }
    await ended;
    expect(sent).toBeLessThan(50_000_000);
    socket.destroy();
  });

  test("keeps no more connections than it could serve", async () => {
    const many = await Promise.all(Array.from({ length: 600 }, () => comeTo(ports[which])));
    for (const { socket } of many) socket.resume();
    await expect
      .poll(() => many.filter(({ socket }) => !socket.destroyed && !socket.readableEnded).length)
      .toBeLessThan(300);
    for (const { socket } of many) socket.destroy();
    await pause(200);
  });
});

test("half requests of another user never lock out the page or an open window", async () => {
  const many = await Promise.all(Array.from({ length: 160 }, () => comeTo(server.port)));
  for (const { socket } of many) {
    socket.resume();
    socket.write("GET / HTTP/1.1\r\nx: ");
  }
  for (let count = 0; count < 20; count++)
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
  for (const { socket } of many) socket.destroy();
});

describe("a refused socket", () => {
  const knock =
    "GET /rpc HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nOrigin: http://127.0.0.1:PORT\r\nConnection: Upgrade\r\n" +
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n\r\n";
  const words = (): string => knock.replaceAll("PORT", String(server.port));

  test("is closed even if the other side stays and sends", async () => {
    const { socket } = await comeTo(server.port);
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.write(words());
    const drip = setInterval(() => socket.write("still here"), 50);
    try {
      await closed;
      expect(answer).toContain("401");
    } finally {
      clearInterval(drip);
      socket.destroy();
    }
  });

  test("affects no other when it breaks", async () => {
    for (let count = 0; count < 20; count++) {
      const { socket } = await comeTo(server.port);
      socket.write(words());
      socket.write("more");
      socket.resetAndDestroy();
    }
    await pause(200);
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    expect(answer.status).toBe(200);
  });
});

/** A tenth of what a host has, and less where nobody may be cut off whom the machine keeps waiting. */
const little: PeerPatience = { idleMs: 400, headersMs: 500, requestMs: 1_000, lookMs: 100 };

/** Each of these waits for the host to lose its patience, so they wait together. */
test("a silent client, an endless header, and a client that does not read are disconnected", async () => {
  const impatient = await serveLoopback(host, { files: join(folder, "renderer"), patience: little });
  const stateFolder = join(folder, "third");
  await mkdir(stateFolder);
  const state = await createHostState({ shell: "browser", version: "0", stateFolder });
  const endpoint = await openLocalEndpoint(createEndpointRouter(state, folder), folder, stateFolder, little);
  const { port } = JSON.parse(await readFile(join(stateFolder, "steering.json"), "utf8")) as {
    port: number;
  };
  ends.unshift(
    () => impatient.close(),
    () => endpoint.close(),
    () => state.close(),
  );
  const both: readonly number[] = [impatient.port, port];
  const silent = both.map(async (one) => {
    const { socket, ended } = await comeTo(one);
    socket.resume();
    await ended;
    socket.destroy();
  });
  const slow = both.map(async (one) => {
    const { socket, ended } = await comeTo(one);
    socket.resume();
    socket.write("GET / HTTP/1.1\r\n");
    const drip = setInterval(() => socket.write("x: y\r\n"), 50);
    try {
      // Whoever says something is not idle: it is the header that does not come to its end.
      await ended;
    } finally {
      clearInterval(drip);
      socket.destroy();
    }
  });
  const deaf = async (): Promise<void> => {
    const { socket, ended } = await comeTo(impatient.port);
    const hungUp = Promise.withResolvers<void>();
    const onRequest = (message: unknown): void => {
      const { socket: served } = message as { readonly socket: Socket };
      if (served.remotePort === socket.localPort) served.once("close", () => hungUp.resolve());
    };
    subscribe("http.server.request.start", onRequest);
    socket.write(`GET /big.js HTTP/1.1\r\nHost: 127.0.0.1:${impatient.port}\r\n\r\n`);
    await hungUp.promise;
    unsubscribe("http.server.request.start", onRequest);
    // It has to read to see that it is hung up on; until then only what the system buffers has come.
    let length = 0;
    socket.on("data", (data) => {
      length += data.length;
    });
    await ended;
    expect(length).toBeLessThan(50_000_000);
    socket.destroy();
  };
  await Promise.all([...silent, ...slow, deaf()]);
});

test("the default is to wait for seconds, and to look for late clients every second", () => {
  const defaultServer = createLocalServer(() => undefined);
  for (const ms of [defaultServer.timeout, defaultServer.headersTimeout, defaultServer.requestTimeout]) {
    expect(ms).toBeGreaterThanOrEqual(2_000);
    expect(ms).toBeLessThanOrEqual(10_000);
  }
  expect(defaultPatience.lookMs).toBeLessThanOrEqual(1_000);
});
