import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { proxyUnderTest } from "./testing/proxy-under-test.ts";
import { exchange } from "./testing/servers.ts";

const t = proxyUnderTest();

describe.skipIf(process.platform === "win32")("a listed host", () => {
  it("is reached over TLS by CONNECT, at the address that was looked up", async () => {
    await t.start();
    expect(await t.getThroughTunnel("allowed.example:443", "allowed.example")).toContain("tls reached");
    expect(await t.getThroughTunnel("A.Wild.Example:443", "a.wild.example")).toContain("tls reached");
    expect(t.lookedUp).toEqual(["allowed.example", "a.wild.example"]);
    expect(t.dialed).toEqual(["93.184.216.34 443", "93.184.216.34 443"]);
    expect(t.refused).toEqual([]);
  });

  it("is reached by plain requests, without the headers for a proxy", async () => {
    await t.start();
    const answer = await new Promise<{ text: string; headers: NodeJS.Dict<string | string[]> }>(
      (resolve, reject) => {
        const asking = request({
          socketPath: t.path,
          method: "POST",
          path: "http://allowed.example/a?b=c",
          headers: {
            Host: "allowed.example",
            "X-Kept": "yes",
            "X-Dropped": "no",
            Connection: "x-dropped, Host, Content-Length",
            "Keep-Alive": "timeout=9",
            "Proxy-Authorization": "Basic c2VjcmV0",
            "Proxy-Connection": "keep-alive",
            TE: "trailers",
            Upgrade: "h2c",
            "Transfer-Encoding": "chunked",
          },
        });
        asking.on("response", (response) => {
          let text = "";
          response.on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () => resolve({ text, headers: response.headers }));
        });
        asking.on("error", reject);
        asking.write("one ");
        asking.end("two");
      },
    );
    expect(answer.text).toBe("plain reached");
    expect(answer.headers).not.toHaveProperty("proxy-authenticate");
    expect(answer.headers).not.toHaveProperty("keep-alive");
    expect(t.seen).toEqual([
      "POST /a?b=c Host|allowed.example|X-Kept|yes|Transfer-Encoding|chunked|Connection|close one two",
    ]);
  });

  it("is open at its own ports only", async () => {
    await t.start(["allowed.example:8443"]);
    await expect(t.openTunnel("allowed.example:443")).rejects.toThrow(
      '403 Hox: Port 443 of allowed.example is not allowed. The user can add "allowed.example:443" to hosts in [sandbox] of .hox/config.toml.',
    );
    await expect(t.openTunnel("allowed.example:22")).rejects.toThrow("403");
    (await t.openTunnel("allowed.example:8443")).destroy();
    expect(t.refused.map(({ reason, target }) => [reason, target])).toEqual([
      ["port-not-listed", "allowed.example:443"],
      ["port-not-listed", "allowed.example:22"],
    ]);
  });

  it("may be an address, which has no name in TLS", async () => {
    await t.start(["10.1.2.3", "[fd00::7]"]);
    expect(await t.getThroughTunnel("10.1.2.3:443")).toContain("tls reached");
    expect(await t.getThroughTunnel("[fd00::0007]:443")).toContain("tls reached");
    expect(t.dialed).toEqual(["10.1.2.3 443", "fd00:0:0:0:0:0:0:7 443"]);
    await expect(t.getThroughTunnel("10.1.2.3:443", "allowed.example")).rejects.toThrow(
      /alert|hang up|ECONNRESET/,
    );
    expect(t.lookedUp).toEqual([]);
  });
});

describe.skipIf(process.platform === "win32")("an unlisted host", () => {
  it("is refused with the remedy, reported once, and never looked up", async () => {
    await t.start();
    for (let time = 0; time < 3; time += 1)
      await expect(t.openTunnel("secret-in-a-name.evil.example:443")).rejects.toThrow(
        '403 Hox: secret-in-a-name.evil.example is not an allowed host. The user can add "secret-in-a-name.evil.example" to hosts in [sandbox] of .hox/config.toml.',
      );
    const answer = await exchange(t.path, "GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 403 /u);
    expect(answer).toContain("evil.example is not an allowed host");
    expect(t.refused.map(({ reason, target }) => [reason, target])).toEqual([
      ["not-listed", "secret-in-a-name.evil.example:443"],
      ["not-listed", "evil.example:80"],
    ]);
    expect([...t.lookedUp, ...t.dialed]).toEqual([]);
  });

  it.each([
    ..."allowed.example.evil.example:443 evilallowed.example:443 wild.example:443 a.wild.example.:443".split(
      " ",
    ),
    ..."allowed.example.:443 user@allowed.example:443 allowed.example@evil.example:443 .allowed.example:443".split(
      " ",
    ),
    ..."allowed.example:443@evil.example:443 allowed.example:443:443 allowed.example allowed.example: [::1]:443".split(
      " ",
    ),
    ..."allowed.example:0443 allowed.example:0x1bb allowed.example:65979 allowed%2eexample:443".split(" "),
    ..."allowed.example%00.evil.example:443 evil.example%00.a.wild.example:443 evil.example#.wild.example:443".split(
      " ",
    ),
    ..."evil.example/.wild.example:443 evil.example?.wild.example:443 evil.example\\.wild.example:443".split(
      " ",
    ),
    ..."http://allowed.example:443 http://allowed.example/ //allowed.example:443 /allowed.example:443 *:443".split(
      " ",
    ),
    ..."127.0.0.1:443 127.1:443 2130706433:443 0x7f.1:443 0177.0.0.1:443 0:443 localhost:443 [::]:443".split(
      " ",
    ),
    ..."[::ffff:127.0.0.1]:443 [::ffff:7f00:1]:443 [64:ff9b::7f00:1]:443 169.254.169.254:443 [fe80::1%25lo]:443".split(
      " ",
    ),
    "allowed.example\0:443",
    "allowed.example\0.evil.example:443",
    "evil.example\0.wild.example:443",
    "allowed.example\t:443",
    "a\xadb.wild.example:443",
    "allowed.example\r\nX: y:443",
  ])("is no tunnel: %j", async (target) => {
    await t.start();
    const answer = await exchange(t.path, `CONNECT ${target} HTTP/1.0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /u);
    expect(answer).not.toContain("200 Connection");
    expect([...t.lookedUp, ...t.dialed]).toEqual([]);
    expect(t.refused).toHaveLength(1);
    expect(t.refused[0]?.target).toMatch(/^[\x20-\x7e\ufffd…]*$/u);
  });

  it.each([
    ..."http://evil.example/ http://allowed.example@evil.example/ http://evil.example#@allowed.example/".split(
      " ",
    ),
    ..."http://evil.example\\@allowed.example/ http://evil.example\\.wild.example/ http:///allowed.example/".split(
      " ",
    ),
    ..."http:/allowed.example/ http:allowed.example/ //allowed.example/ /path * https://allowed.example/".split(
      " ",
    ),
    ..."ftp://allowed.example/ file:///etc/passwd http://allowed.example:443:80/ http://allowed.example./".split(
      " ",
    ),
    ..."http://127.0.0.1/ http://0/ http://[::1]/ http://allowed.example:81/ http://allowed.example/a#b".split(
      " ",
    ),
    ..."http://allowed.example%2f@evil.example/ http://allowed.example\0/ http://allowed.example/\x80".split(
      " ",
    ),
  ])("is no request: %j", async (url) => {
    await t.start();
    const answer = await exchange(t.path, `GET ${url} HTTP/1.1\r\nHost: allowed.example\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 40[03] /u);
    expect([...t.seen, ...t.dialed, ...t.lookedUp]).toEqual([]);
    expect(t.refused).toHaveLength(1);
  });
});
