import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type HandoverEndpoint, openHandoverEndpoint, requestHandover } from "./hand-over.ts";

let endpoint: HandoverEndpoint;
let asked: string[];
let sockets: Socket[];

beforeEach(async () => {
  asked = [];
  sockets = [];
  endpoint = await openHandoverEndpoint(async (by) => void asked.push(by), untilTestEnds);
});
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  endpoint.close();
});

/** Longer than a test: what ends before has ended for another reason. */
const untilTestEnds = 600_000;

/** A socket to the endpoint. */
async function comeTo(port: number): Promise<{ readonly socket: Socket; readonly ended: Promise<void> }> {
  const socket = connect({ port, host: "127.0.0.1" });
  sockets.push(socket);
  socket.on("error", () => undefined);
  socket.resume();
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise((resolve) => socket.once("connect", resolve));
  return { socket, ended };
}

test("a client with the secret is accepted, however its line is split", async () => {
  expect(await requestHandover(endpoint, "process 1")).toBe(true);
  const { socket } = await comeTo(endpoint.port);
  const answer = new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (data) => {
      text += data;
    });
    socket.once("close", () => resolve(text));
  });
  for (const part of JSON.stringify({ secret: endpoint.secret, by: "ä in pieces" }).match(/.{1,20}/gu) ??
    []) {
    socket.write(part);
    await pause(2);
  }
  socket.write("\n");
  expect(await answer).toBe("saving\nfree\n");
  expect(asked).toEqual(["process 1", "ä in pieces"]);
  expect(await requestHandover({ ...endpoint, secret: "guessed" }, "somebody")).toBe(false);
});

test("an endless line is cut off after a few kilobytes and dropped", async () => {
  const { socket, ended } = await comeTo(endpoint.port);
  const before = process.memoryUsage().rss;
  let sent = 0;
  const piece = Buffer.alloc(65_536, "x");
  while (!socket.destroyed && sent < 300_000_000) {
    sent += piece.length;
    if (!socket.write(piece))
      await Promise.race([new Promise((resolve) => socket.once("drain", resolve)), ended]);
  }
  await ended;
  // What the system's own buffers between two sockets hold, and no more.
  expect(sent).toBeLessThan(50_000_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  expect(await requestHandover(endpoint, "still there")).toBe(true);
});

test("a slow client is disconnected as early as a silent one", async () => {
  const impatient = await openHandoverEndpoint(async () => undefined, 500);
  const { socket, ended } = await comeTo(impatient.port);
  const drip = setInterval(() => socket.write("x"), 20);
  const silent = await comeTo(impatient.port);
  try {
    // While it sends, and not after as long a pause.
    await Promise.all([ended, silent.ended]);
  } finally {
    clearInterval(drip);
    impatient.close();
  }
});

test("many silent clients do not exhaust the host's descriptors", async () => {
  const many = await Promise.all(Array.from({ length: 200 }, () => comeTo(endpoint.port)));
  await expect.poll(() => many.filter(({ socket }) => !socket.destroyed).length).toBeLessThan(100);
});

test("a program at another host's old port cannot block the client", async () => {
  let sent = 0;
  const chatty = createServer((socket) => {
    socket.on("error", () => undefined);
    const talk = (): void => {
      do sent += 65_536;
      while (socket.writable && socket.write(Buffer.alloc(65_536, "y")));
    };
    socket.on("drain", talk);
    talk();
  });
  await new Promise<void>((resolve) => chatty.listen(0, "127.0.0.1", resolve));
  try {
    const before = process.memoryUsage().rss;
    expect(await requestHandover({ port: (chatty.address() as AddressInfo).port, secret: "x" }, "me")).toBe(
      false,
    );
    // What the system's own buffers between two sockets hold: until it stops waiting it could be sent thousands of megabytes.
    expect(sent).toBeLessThan(50_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  } finally {
    chatty.close();
  }
});
