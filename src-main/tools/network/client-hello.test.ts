import { connect as connectTcp, createServer } from "node:net";
import { type ConnectionOptions, connect } from "node:tls";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { maxClientHelloBytes, readClientHello } from "./client-hello.ts";
import { helloWith, serverNames } from "./testing/hello.ts";
import { listening } from "./testing/servers.ts";

/** What a real client says first. */
async function recorded(options: ConnectionOptions): Promise<Buffer> {
  let take: (bytes: Buffer) => void;
  const first = new Promise<Buffer>((resolve) => {
    take = resolve;
  });
  const server = await listening(createServer((socket) => socket.once("data", (chunk) => take(chunk))));
  const client = connect({ ...options, socket: connectTcp(server.port, "127.0.0.1") });
  client.on("error", () => client.destroy());
  const bytes = await first;
  client.destroy();
  await server.close();
  return bytes;
}

/** The same handshake message in records of other sizes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
  }
  return Buffer.concat(records);
}

let hello: Buffer;
beforeAll(async () => {
  hello = await recorded({ servername: "allowed.example" });
});

describe("a ClientHello", () => {
  it.each([
    [{ servername: "allowed.example" }, "allowed.example"],
    [{ servername: "a.b.c.example", maxVersion: "TLSv1.2" }, "a.b.c.example"],
    [{ servername: "allowed.example", ALPNProtocols: ["h2", "http/1.1"] }, "allowed.example"],
    [{}, null],
  ] as const)("of a real client with %j names its server", async (options, serverName) => {
    expect(readClientHello(await recorded(options as ConnectionOptions))).toEqual({
      kind: "hello",
      serverName,
    });
  });

  it("is awaited until its last byte, and is the same with whatever follows it", () => {
    for (let length = 0; length < hello.length; length += 1)
      expect(readClientHello(hello.subarray(0, length)), String(length)).toEqual({ kind: "incomplete" });
    expect(readClientHello(Buffer.concat([hello, Buffer.from("20 more")]))).toMatchObject({ kind: "hello" });
  });

  it("is assembled from several records, up to a limit", () => {
    for (const size of [Math.ceil(hello.length / 2), 100])
      expect(readClientHello(inRecords(hello, size))).toEqual({
        kind: "hello",
        serverName: "allowed.example",
      });
    expect(readClientHello(inRecords(hello, 1))).toEqual({ kind: "not-tls" });
  });

  it("is not awaited beyond its maximum length", () => {
    const long = Buffer.concat([Buffer.from([22, 3, 1, 0x40, 0]), Buffer.alloc(maxClientHelloBytes, 1)]);
    long.set([1, 0, 0x3f, 0xfc], 5);
    expect(readClientHello(long.subarray(0, 2_000))).toEqual({ kind: "incomplete" });
    expect(readClientHello(long).kind).not.toBe("incomplete");
    const announced = Buffer.from([22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff]);
    expect(readClientHello(announced)).toEqual({ kind: "not-tls" });
  });

  it("may not hide a second name, even an invented one", () => {
    const name = [0, serverNames([0, "allowed.example"])] as const;
    expect(readClientHello(helloWith(name))).toEqual({ kind: "hello", serverName: "allowed.example" });
    for (const type of [0xfe0d, 0xffce])
      expect(readClientHello(helloWith(name, [type, Buffer.alloc(8)]))).toEqual({ kind: "hidden-name" });
  });

  it.each([
    ["two names in one list", helloWith([0, serverNames([0, "allowed.example"], [0, "evil.example"])])],
    [
      "two lists of names",
      helloWith([0, serverNames([0, "a.example"])], [0, serverNames([0, "evil.example"])]),
    ],
    ["a name of another kind", helloWith([0, serverNames([1, "allowed.example"])])],
    ["an empty name", helloWith([0, serverNames([0, ""])])],
    [
      "bytes after the list",
      helloWith([0, Buffer.concat([serverNames([0, "a.example"]), Buffer.from("x")])]),
    ],
    ["an empty extension", helloWith([0, Buffer.alloc(0)])],
    ["plain HTTP", Buffer.from("GET / HTTP/1.1\r\nHost: allowed.example\r\n\r\n")],
    ["SSH", Buffer.from("SSH-2.0-OpenSSH\r\n")],
    ["SSL 2", Buffer.from([0x80, 0x2e, 1, 3, 1])],
    ["another message", Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
    ["an empty record", Buffer.from([22, 3, 1, 0, 0])],
    ["another record", Buffer.from([23, 3, 3, 0, 1, 0])],
  ])("is rejected with %s", (_, bytes) => expect(readClientHello(bytes)).toEqual({ kind: "not-tls" }));

  it("keeps a null byte in a name, for the comparison to refuse", () => {
    expect(readClientHello(helloWith([0, serverNames([0, "allowed.example\0.evil.example"])]))).toEqual({
      kind: "hello",
      serverName: "allowed.example\0.evil.example",
    });
  });

  it("is read without an error, whatever is sent", () => {
    const change = fc.record({ at: fc.nat(hello.length - 1), byte: fc.nat(255) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 6 }), fc.nat(hello.length), (changes, length) => {
        const bytes = Buffer.from(hello);
        for (const { at, byte } of changes) bytes[at] = byte;
        expect(["hello", "incomplete", "not-tls", "hidden-name"]).toContain(
          readClientHello(bytes.subarray(0, length)).kind,
        );
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(readClientHello(bytes).kind).toMatch(/^(incomplete|not-tls)$/u);
      }),
    );
  });
});
