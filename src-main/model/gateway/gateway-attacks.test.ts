import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { eventually } from "../../testing/kit.ts";
import { startWiresStandIn, type WireAnswer } from "../stand-in/testing/wires-stand-in.ts";
import {
  ask,
  askRaw,
  canary,
  type GatewayUnderTest,
  gatewayTo,
  requests,
} from "./testing/gateway-fixture.ts";

const chat = requests["openai-chat"];
const json = JSON.stringify(chat.body);

async function upstream(answer: WireAnswer = { say: "Hello.", usage: { input: 10, output: 2 } }) {
  const standIn = await startWiresStandIn(() => answer);
  onTestFinished(() => standIn.close());
  return standIn;
}

async function setUp(over: Parameters<typeof gatewayTo>[1] = {}) {
  const standIn = await upstream();
  return { standIn, under: await gatewayTo(standIn.url, over) };
}

/** A connection that the gateway has to end. */
function connection(
  { socketPath }: GatewayUnderTest,
  bytes = "",
): { socket: Socket; closed: Promise<void>; text(): string } {
  const socket = connect(socketPath);
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  if (bytes !== "") socket.write(bytes);
  return { socket, closed, text: () => text };
}

describe("gateway paths", () => {
  it.each([
    ["GET", "/"],
    ["GET", "/v1/messages"],
    ["DELETE", "/v1/responses"],
    ["POST", "/v1/models"],
    ["POST", "/v1/messages/batches"],
    ["POST", "/v1/files"],
    ["GET", "/v1/responses/resp_1"],
    ["POST", "/v1/responses/compact"],
    ["POST", "/v1/embeddings"],
    ["POST", "/v1/messages/../organizations"],
    ["POST", "/v1/../v1/messages"],
    ["POST", "/v1/%2e%2e/v1/messages"],
    ["POST", "/v1/messages/"],
    ["POST", "//v1/messages"],
    ["POST", "/v1/messages#a"],
    ["POST", "/v1\\messages"],
    ["GET", "/v1/models/../organizations"],
    ["GET", "/v1/models/%2e%2e%2forganizations"],
    ["POST", "/v1beta/models/../files:generateContent"],
    ["POST", "/v1beta/models/..:generateContent"],
    ["POST", "/v1beta/models/a/b:generateContent"],
    ["POST", "/v1beta/models/a:batchGenerateContent"],
    ["POST", "/v1beta/cachedContents"],
    ["HEAD", "/api/hello"],
    ["POST", "http://other.example/v1/messages"],
    ["POST", "https://user@other.example/v1/messages"],
    ["OPTIONS", "*"],
  ])("refuse %s %s", async (method, path) => {
    const { standIn, under } = await setUp();
    const answer = await askRaw(
      under,
      `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${json.length}\r\n\r\n${json}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 404 /u);
    expect(answer).toContain("x-hox-refusal: not-served");
    expect(under.refused).toMatchObject([{ reason: "not-served", method }]);
    expect(standIn.requests).toEqual([]);
  });

  it("refuse a wire that is not configured", async () => {
    const { standIn, under } = await setUp({ wires: ["openai-chat"] });
    for (const wire of ["anthropic", "openai-responses", "gemini"] as const)
      expect(await ask(under, requests[wire])).toMatchObject({ status: 404 });
    expect(standIn.requests).toEqual([]);
  });

  it("refuse CONNECT, and an upgrade to another protocol", async () => {
    const { standIn, under } = await setUp();
    expect(
      await askRaw(under, "CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n"),
    ).toMatch(/^HTTP\/1\.1 405 /u);
    const upgrade =
      "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n";
    for (const line of ["GET /v1/responses", "GET /v1/models", "POST /v1/responses"])
      expect(await askRaw(under, `${line} HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n`)).toMatch(
        /^HTTP\/1\.1 404 /u,
      );
    expect(standIn.requests).toEqual([]);
    expect(under.refused.map(({ method }) => method)).toEqual(["?", "GET", "GET", "POST"]);
  });

  it("follow no redirect of the provider", async () => {
    const other = await upstream();
    const standIn = await upstream({
      refuse: { status: 307, body: "", headers: { location: `${other.url}/v1/chat/completions` } },
    });
    const under = await gatewayTo(standIn.url, { limits: { waitMs: 200 } });
    const answer = await ask(under, chat);
    expect(answer).toMatchObject({ status: 502, text: expect.stringContaining("redirect") });
    expect(answer.text).not.toContain(other.url);
    expect(other.requests).toEqual([]);
  });
});

describe("gateway connections", () => {
  const head = "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n";

  it.each([
    ["two lengths", `${head}Content-Length: 2\r\nContent-Length: ${json.length}\r\n\r\n${json}`],
    ["a length and chunks", `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${json}`],
    ["chunks that are none", `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${json}`],
    ["a bare carriage return", `${head}X: a\rContent-Length: 2\r\n\r\n{}`],
    ["a space before a colon", `${head}Content-Length : 2\r\n\r\n{}`],
    ["a header of two lines", `${head}X: a\r\n b\r\nContent-Length : 2\r\n\r\n{}`],
    ["no HTTP", `\x16\x03\x01\x02\r\n\r\n`],
    ["too large a head", `${head}X: ${"x".repeat(20_000)}\r\n\r\n`],
    ["no host", `POST /v1/chat/completions HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}`],
  ])("end with %s", async (_, bytes) => {
    const { standIn, under } = await setUp();
    const answer = await askRaw(under, bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /u);
    // Nothing of it was taken for a request.
    expect(answer).not.toContain("x-hox-refusal");
    expect(standIn.requests).toEqual([]);
  });

  it("read one request each", async () => {
    const { standIn, under } = await setUp();
    const one = `${head}Connection: keep-alive\r\nContent-Length: ${json.length}\r\n\r\n${json}`;
    expect((await askRaw(under, one + one)).split("HTTP/1.1 200")).toHaveLength(2);
    expect(standIn.requests).toHaveLength(1);
  });

  it("send a rebuilt request, in which no field has two meanings", async () => {
    const { standIn, under } = await setUp();
    const body = `{"model":"gpt-5-5","stream":true, "model":"gpt-5-5-mini","n":12345678901234567890,"messages":[]}`;
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\nX-Trailer: dummy\r\n\r\n`;
    await askRaw(
      under,
      `${head}Connection: close, X-Hop\r\nX-Hop: dummy\r\nProxy-Authorization: dummy\r\nTE: trailers\r\nTrailer: X-Trailer\r\nX-Forwarded-Host: dummy\r\nTransfer-Encoding: chunked\r\n\r\n${chunked}`,
    );
    const [seen] = standIn.requests;
    expect(seen?.text).toBe(
      '{"model":"gpt-5-5-mini","stream":true,"n":12345678901234567890,"messages":[],"stream_options":{"include_usage":true}}',
    );
    expect(JSON.stringify(seen?.headers)).not.toMatch(/dummy|trailer/iu);
    expect(seen?.headers["content-length"]).toBe(String(seen?.text.length));
    expect(under.spent).toMatchObject([{ model: "gpt-5-5-mini" }]);
  });

  it("end when a head or a body is sent too slowly", async () => {
    const slowHead = connection((await setUp({ limits: { headMs: 100 } })).under, "POST /v1/chat/comp");
    const { under } = await setUp({ limits: { headMs: 100, requestMs: 200 } });
    const slowBody = connection(under, `${head}Content-Length: 1000\r\n\r\n{`);
    const drip = setInterval(() => slowBody.socket.writable && slowBody.socket.write(" "), 20);
    onTestFinished(() => clearInterval(drip));
    await Promise.all([slowHead.closed, slowBody.closed]);
    expect(slowHead.text()).toMatch(/^HTTP\/1\.1 408 /u);
  });

  it("end when there are too many", async () => {
    const { under } = await setUp({ limits: { connections: 3 } });
    const open = Array.from({ length: 3 }, () => connection(under, head));
    await eventually(() => expect(open.every(({ socket }) => !socket.connecting)).toBe(true));
    await connection(under).closed;
    expect(under.refused).toMatchObject([{ reason: "limit" }]);
    for (const { socket } of open) socket.destroy();
    await eventually(async () => expect(await ask(under, chat)).toMatchObject({ status: 200 }));
  });

  it("end with their agent's half, and stop the provider", async () => {
    const standIn = await upstream({ say: "Hello.", after: 1, ends: "stall" });
    const under = await gatewayTo(standIn.url);
    const { socket, closed } = connection(under, `${head}Content-Length: ${json.length}\r\n\r\n${json}`);
    await eventually(() => expect(standIn.requests).toHaveLength(1));
    socket.end();
    await closed;
    await eventually(() => expect(standIn.requests[0]?.isCut).toBe(true));
    await under.gateway.idle();
    expect(under.spent).toMatchObject([{ isEstimated: true }]);
  });

  it("read no faster from the provider than the agent does, and end when it reads nothing", async () => {
    let sent = 0;
    const provider = createServer((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = `data: ${JSON.stringify({ choices: [{ delta: { content: "x".repeat(60_000) } }] })}\n\n`;
      const more = (): void => {
        while (!response.destroyed && sent < 40_000_000) {
          sent += event.length;
          if (!response.write(event)) return void response.once("drain", more);
        }
      };
      more();
    });
    onTestFinished(() => void provider.close().closeAllConnections());
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    const under = await gatewayTo(`http://127.0.0.1:${(provider.address() as AddressInfo).port}`, {
      limits: { readMs: 300 },
    });
    const socket = connect(under.socketPath);
    onTestFinished(() => void socket.destroy());
    socket.pause();
    socket.on("error", () => {});
    socket.write(`${head}Content-Length: ${json.length}\r\n\r\n${json}`);
    await eventually(() => expect(under.spent).toHaveLength(1));
    // What the sockets between them take, and no more.
    expect(sent).toBeLessThan(20_000_000);
    await under.gateway.idle();
  });

  it("end with a provider that speaks no HTTP", async () => {
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.end("no HTTP\r\n\r\n");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const under = await gatewayTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      limits: { waitMs: 200 },
    });
    expect(await ask(under, chat)).toMatchObject({ status: 502 });
    expect(under.spent).toEqual([]);
  });

  it("end with a page in place of an answer", async () => {
    const standIn = await upstream({
      refuse: { status: 200, body: "<html>Log in</html>", headers: { "content-type": "text/html" } },
    });
    const under = await gatewayTo(standIn.url);
    expect(await ask(under, chat)).toMatchObject({
      status: 502,
      text: expect.stringContaining("invalid format"),
    });
    expect(under.failed).toMatchObject([{ kind: "malformed" }]);
  });
});

describe("gateway bodies", () => {
  it.each([
    ["none", ""],
    ["half", '{"model":"gpt-5-5"'],
    ["a list", "[]"],
    ["no model", "{}"],
    ["a model that is no name", '{"model":{"a":1}}'],
    ["too deep", `{"model":"gpt-5-5","a":${"[".repeat(150_000)}${"]".repeat(150_000)}}`],
  ])("are refused with %s", async (_, body) => {
    const { standIn, under } = await setUp();
    expect(await ask(under, { ...chat, method: "POST", body })).toMatchObject({
      status: 400,
      headers: { "x-hox-refusal": "malformed" },
    });
    expect(standIn.requests).toEqual([]);
  });

  it("are refused compressed", async () => {
    const { under } = await setUp();
    expect(await ask(under, { ...chat, headers: { "content-encoding": "gzip" } })).toMatchObject({
      status: 400,
    });
  });

  it("are refused when they are too large, by their length or their bytes", async () => {
    const { standIn, under } = await setUp({ limits: { bodyBytes: 1_000 } });
    const head = "POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n";
    expect(await askRaw(under, `${head}Content-Length: 1001\r\n\r\n`)).toMatch(/^HTTP\/1\.1 413 /u);
    const body = { ...chat.body, messages: "x".repeat(2_000) };
    expect(await ask(under, { ...chat, body, headers: { "transfer-encoding": "chunked" } })).toMatchObject({
      status: 413,
      text: expect.stringContaining("0.001 MB"),
    });
    expect(await ask(under, chat)).toMatchObject({ status: 200 });
    expect(standIn.requests).toHaveLength(1);
  });

  it("are refused when all together are too large, until some were answered", async () => {
    let isPaused = true;
    const { under } = await setUp({
      limits: { heldBytes: 3_000 },
      gate: () => (isPaused ? "pause" : null),
    });
    const large = { ...chat, body: { ...chat.body, messages: "x".repeat(2_000) } };
    const first = ask(under, large);
    await eventually(() => expect(under.held).toHaveLength(1));
    expect(await ask(under, large)).toMatchObject({ status: 429, headers: { "x-hox-refusal": "limit" } });
    isPaused = false;
    under.gateway.closeTurn();
    under.gateway.openTurn();
    expect(await first).toMatchObject({ status: 403 });
    expect(await ask(under, large)).toMatchObject({ status: 200 });
  });
});

describe("gateway requests of agents that leave", () => {
  it("hold nothing", async () => {
    const { under } = await setUp({ limits: { heldBytes: 3_000 }, gate: () => "pause" });
    const large = { ...chat, body: { ...chat.body, messages: "x".repeat(2_000) } };
    const stop = new AbortController();
    const left = ask(under, { ...large, signal: stop.signal });
    await eventually(() => expect(under.held).toHaveLength(1));
    stop.abort();
    await expect(left).rejects.toThrow();
    await eventually(async () => {
      const again = ask(under, large).then(({ status }) => status);
      again.catch(() => undefined);
      const before = under.held.length;
      await Promise.race([again, eventually(() => expect(under.held.length).toBeGreaterThan(before))]);
      expect(under.held.length).toBeGreaterThan(before);
    });
  });
});

describe("gateway reports", () => {
  it("are as many as are allowed in a turn", async () => {
    const { under } = await setUp({ limits: { reports: 3 } });
    for (let at = 0; at < 6; at++) await ask(under, { path: `/v1/other-${at}?key=${canary}` });
    expect(under.refused.map(({ path }) => path)).toEqual(["/v1/other-0", "/v1/other-1", "/v1/other-2"]);
  });
});
