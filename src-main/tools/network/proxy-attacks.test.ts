import { describe, expect, it } from "vitest";
import { helloWith, serverNames } from "./testing/hello.ts";
import { proxyUnderTest, publicAddress } from "./testing/proxy-under-test.ts";
import { exchange, serve } from "./testing/servers.ts";

const t = proxyUnderTest();

describe.skipIf(process.platform === "win32")("a name that resolves elsewhere", () => {
  it.each([
    ..."127.0.0.1 10.0.0.1 169.254.169.254 100.64.0.1 192.168.1.1 0.0.0.0 224.0.0.1 255.255.255.255".split(
      " ",
    ),
    ..."::1 :: ::ffff:127.0.0.1 ::ffff:7f00:1 64:ff9b::7f00:1 fe80::1 fc00::1 2002:7f00:1::1".split(" "),
  ])("is refused: %s", async (address) => {
    await t.start();
    t.answers = { "allowed.example": [{ address, family: address.includes(":") ? 6 : 4 }] };
    await expect(t.openTunnel("allowed.example:443")).rejects.toThrow(
      "403 Hox: allowed.example leads to an address",
    );
    const answer = await exchange(
      t.path,
      "GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 403 /u);
    expect([...t.seen, ...t.dialed]).toEqual([]);
    expect(t.refused.map(({ reason }) => reason)).toEqual(["not-public", "not-public"]);
  });

  it("is looked up once for each connection, and the checked address is dialed", async () => {
    await t.start();
    const rebinding = [[publicAddress], [{ address: "127.0.0.1", family: 4 as const }]];
    t.answers = new Proxy({}, { get: () => rebinding.shift() });
    expect(await t.getThroughTunnel("allowed.example:443", "allowed.example")).toContain("tls reached");
    expect(t.lookedUp).toHaveLength(1);
    await expect(t.openTunnel("allowed.example:443")).rejects.toThrow("403");
    expect(t.dialed).toEqual(["93.184.216.34 443"]);
  });

  it("is dialed only at public addresses, when it has several", async () => {
    await t.start();
    t.answers = {
      "allowed.example": [{ address: "127.0.0.1", family: 4 }, { address: "::1", family: 6 }, publicAddress],
    };
    expect(await t.getThroughTunnel("allowed.example:443", "allowed.example")).toContain("tls reached");
    expect(t.dialed).toEqual(["93.184.216.34 443"]);
  });

  it("is dialed at a local address only if that is listed as well", async () => {
    await t.start(["mirror.example", "10.1.2.3:443"]);
    t.answers = { "mirror.example": [{ address: "10.1.2.3", family: 4 }] };
    (await t.openTunnel("mirror.example:443")).destroy();
    await expect(t.openTunnel("mirror.example:80")).rejects.toThrow(
      "403 Hox: mirror.example leads to an address",
    );
    t.answers = { "mirror.example": [{ address: "10.1.2.4", family: 4 }] };
    await expect(t.openTunnel("mirror.example:443")).rejects.toThrow(
      "can add the address as well as the name to hosts in [sandbox]",
    );
    expect(t.dialed).toEqual(["10.1.2.3 443"]);
  });

  it("is not followed when an allowed host redirects to it", async () => {
    await t.start();
    await t.plain.close();
    t.plain = await serve((_, response) => response.writeHead(302, { Location: "http://127.0.0.1/" }).end());
    const answer = await exchange(
      t.path,
      "GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 302 /u);
    expect(t.dialed).toEqual(["93.184.216.34 80"]);
  });
});

describe.skipIf(process.platform === "win32")("two names for one connection", () => {
  it.each([
    "evil.example",
    "other.example",
    "allowed.example.evil.example",
    "sub.allowed.example",
    "evilallowed.example",
  ])("are refused: TLS that names %s", async (servername) => {
    await t.start();
    await expect(t.getThroughTunnel("allowed.example:443", servername)).rejects.toThrow(
      /alert|hang up|ECONNRESET/,
    );
    expect(t.seen).toEqual([]);
    expect(t.refused).toMatchObject([
      {
        reason: "names-differ",
        target: "allowed.example:443",
        message: expect.stringContaining(`"${servername}"`),
      },
    ]);
  });

  it.each([
    [
      "hides a second one",
      "hidden-name",
      helloWith([0, serverNames([0, "allowed.example"])], [0xfe0d, Buffer.alloc(9)]),
    ],
    [
      "has a null byte in it",
      "names-differ",
      helloWith([0, serverNames([0, "allowed.example\0.evil.example"])]),
    ],
    ["ends with a dot", "names-differ", helloWith([0, serverNames([0, "allowed.example."])])],
    ["is an address", "names-differ", helloWith([0, serverNames([0, "127.0.0.1"])])],
    ["stands twice", "not-tls", helloWith([0, serverNames([0, "allowed.example"], [0, "evil.example"])])],
  ])("are refused: TLS whose name %s", async (_, reason, hello) => {
    await t.start();
    const head = Buffer.from("CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\n");
    expect(await exchange(t.path, Buffer.concat([head, hello]))).toContain("\x15\x03\x03\0\x02\x02\x70");
    expect(t.refused.map((one) => one.reason)).toEqual([reason]);
    expect(t.seen).toEqual([]);
  });

  it("are refused: TLS without a name", async () => {
    await t.start();
    await expect(t.getThroughTunnel("allowed.example:443")).rejects.toThrow(/alert|hang up|ECONNRESET/);
    expect(t.refused).toMatchObject([
      { reason: "names-differ", message: expect.stringContaining("no host") },
    ]);
  });

  it.each([
    "GET / HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
    "SSH-2.0-x\r\n",
    "\x80\x2e\x01\x03\x01",
    "\x16\x03\x01\0\0",
  ])("are not compared without TLS: %j", async (first) => {
    await t.start();
    const answer = await exchange(
      t.path,
      `CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\n${first}`,
    );
    const isHttp = first.startsWith("GET");
    expect(answer).toMatch(/^HTTP\/1\.1 200 Connection Established\r\n\r\n/u);
    expect(answer).toContain(isHttp ? "HTTP/1.1 403 Forbidden\r\n" : "\x15\x03\x03\0\x02\x02\x70");
    expect(t.seen).toEqual([]);
    expect(t.refused).toMatchObject([{ reason: isHttp ? "plain-http" : "not-tls" }]);
  });

  it("are not awaited: a silent tunnel ends", async () => {
    await t.start(undefined, { headMs: 200 });
    const answer = await exchange(
      t.path,
      "CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\n\x16\x03",
    );
    expect(answer).toContain("\x15\x03\x03");
    expect(t.refused).toMatchObject([{ reason: "not-tls" }]);
  });

  it.each([
    "Host: evil.example\r\n",
    "Host: allowed.example\r\nHost: evil.example\r\n",
    "Host: allowed.example\r\nhost: allowed.example\r\n",
    "Host: allowed.example:8080\r\n",
    "Host: allowed.example.\r\n",
    "Host: user@allowed.example\r\n",
    "Host: allowed.example, evil.example\r\n",
    "Host:\r\n",
    "",
  ])("are refused: a target and %j", async (header) => {
    await t.start();
    const requests = [
      `GET http://allowed.example/ HTTP/1.1\r\n${header}\r\n`,
      `CONNECT allowed.example:443 HTTP/1.1\r\n${header}\r\n`,
    ];
    for (const text of requests) expect(await exchange(t.path, text)).toMatch(/^HTTP\/1\.1 40[03] /u);
    expect([...t.seen, ...t.dialed]).toEqual([]);
    expect(t.refused.length).toBeGreaterThan(0);
  });

  it("are one when Host has the port, or not, or an old client of CONNECT leaves it out", async () => {
    await t.start();
    for (const header of ["Host: allowed.example:443\r\n", "Host: ALLOWED.example\r\n"]) {
      const text = `CONNECT allowed.example:443 HTTP/1.1\r\n${header}\r\n`;
      expect(await exchange(t.path, text, /\r\n\r\n/u)).toContain("200 Connection Established");
    }
    expect(await exchange(t.path, "CONNECT allowed.example:443 HTTP/1.0\r\n\r\n", /\r\n\r\n/u)).toContain(
      "200",
    );
    expect(t.refused).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32")("an ambiguous request", () => {
  const post = "POST http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n";
  it.each([
    `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`,
    `${post}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`,
    `${post}Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde`,
    `${post}Content-Length: 5, 5\r\n\r\nabcde`,
    `${post}Content-Length: +5\r\n\r\nabcde`,
    `${post}Content-Length: 0x5\r\n\r\nabcde`,
    `${post}Transfer-Encoding: identity, chunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    `${post}Transfer-Encoding:\x0bchunked\r\n\r\n0\r\n\r\n`,
    "POST http://allowed.example/ HTTP/1.0\r\nHost: allowed.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    `${post}X: 1\r\n folded\r\n\r\n`,
    `${post} Content-Length: 5\r\n\r\nabcde`,
    `${post}X: a\0b\r\n\r\n`,
    `${post}X: a\rContent-Length: 5\r\n\r\n`,
    `${post}X\r\n\r\n`,
    "POST http://allowed.example/ HTTP/1.1\nHost: allowed.example\n\n",
    "POST http://allowed.example/ HTTP/1.1 HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
    "TRACE http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\x05\x01\x00",
    "CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example\r\nContent-Length: 5\r\n\r\nabcde",
    "CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ])("is refused: %j", async (text) => {
    await t.start();
    const answer = await exchange(t.path, text);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /u);
    expect([...t.seen, ...t.dialed]).toEqual([]);
    expect(t.refused.map(({ reason }) => reason)).toEqual(["malformed"]);
  });

  it("is not the second one on a connection: nothing is read after the first", async () => {
    await t.start();
    const one = "GET http://allowed.example/1 HTTP/1.1\r\nHost: allowed.example\r\n\r\n";
    const answer = await exchange(t.path, one + one.replace("/1", "/2"));
    expect(answer.match(/plain reached/gu)).toHaveLength(1);
    expect(t.seen).toHaveLength(1);
  });

  it("announces no body if there is none, unless its method has one", async () => {
    await t.start();
    const request = (method: string): string =>
      `${method} http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n`;
    for (const method of ["GET", "DELETE", "POST"]) await exchange(t.path, request(method));
    expect(t.seen.map((one) => one.trim())).toEqual([
      "GET / Host|allowed.example|Connection|close",
      "DELETE / Host|allowed.example|Connection|close",
      "POST / Host|allowed.example|Content-Length|0|Connection|close",
    ]);
  });

  it("has a body of its announced length, and no server sees the rest", async () => {
    await t.start();
    const hidden = "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n";
    await exchange(t.path, `${post}Content-Length: 3\r\n\r\nabc${hidden}`);
    expect(t.seen).toEqual(["POST / Host|allowed.example|Content-Length|3|Connection|close abc"]);
  });
});
