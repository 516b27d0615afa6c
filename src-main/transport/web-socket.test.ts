import { mkdir, mkdtemp, readdir, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { socketProtocols, tokenOf } from "#shared/contract/loopback.ts";
import { createHost } from "../host.ts";
import type { Host } from "../host-interface.ts";
import { type LoopbackServer, serveLoopback } from "./web-socket.ts";

let folder: string;
let host: Host;
let server: LoopbackServer;
let session: string;
/** Added to the clock by which addresses get old. */
let later = 0;

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Not `fetch`: that sets Host and tidies paths by itself. A header of undefined is left out. */
function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string | undefined>; body?: string } = {},
): Promise<Answer> {
  const headers = { host: `127.0.0.1:${server.port}`, ...options.headers };
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: server.port,
        path,
        method: options.method ?? "GET",
        setHost: false,
        headers: Object.fromEntries(
          Object.entries(headers).filter(([, value]) => value !== undefined),
        ) as Record<string, string>,
      },
      (response) => {
        let body = "";
        response.setEncoding("utf8");
        response.on("data", (text: string) => {
          body += text;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(options.body);
  });
}

const origin = (): string => `http://127.0.0.1:${server.port}`;
const token = (): string => tokenOf(new URL(server.address()).hash) ?? "";
const post = (body: unknown, headers: Record<string, string | undefined> = {}): Promise<Answer> =>
  ask("/session", {
    method: "POST",
    headers: { origin: origin(), "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** The status with which a socket was refused, or `open`. */
function connect(options: {
  path?: string;
  protocols?: string[];
  headers?: Record<string, string>;
  origin?: string | null;
}) {
  return new Promise<number | "open">((resolve, reject) => {
    const socket = new WebSocket(
      `ws://127.0.0.1:${server.port}${options.path ?? "/rpc"}`,
      options.protocols ?? socketProtocols(session),
      {
        headers: options.headers ?? {},
        ...(options.origin === null ? {} : { origin: options.origin ?? origin() }),
      },
    );
    socket.on("open", () => {
      socket.terminate();
      resolve("open");
    });
    socket.on("unexpected-response", (_, response) => {
      socket.on("error", () => {});
      socket.terminate();
      resolve(response.statusCode ?? 0);
    });
    socket.on("error", reject);
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hox-page-"));
  const files = join(folder, "renderer");
  await mkdir(join(files, "assets"), { recursive: true });
  await writeFile(join(files, "index.html"), "<!doctype html>the page");
  await writeFile(join(files, "assets", "main-1.js"), "export {};");
  await writeFile(join(folder, "secret"), "canary");
  await symlink(join(folder, "secret"), join(files, "assets", "link.js"));
  host = await createHost({ shell: "browser", version: "0", stateFolder: join(folder, "state") });
  server = await serveLoopback(host, { files, now: () => Date.now() + later });
  session = (JSON.parse((await post({ token: token() })).body) as { session: string }).session;
});

afterAll(async () => {
  await server.close();
  await host.close();
  await rm(folder, { recursive: true, force: true });
});

describe("the page", () => {
  test("is served with a policy that lets nothing foreign run", async () => {
    const { status, body, headers } = await ask("/");
    expect([status, body]).toEqual([200, "<!doctype html>the page"]);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain(`connect-src 'self' ws://127.0.0.1:${server.port};`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe-eval");
  });

  test.runIf(process.platform === "linux")("leaves no file open for a client that left", async () => {
    const big = join(folder, "renderer", "assets", "big.js");
    await writeFile(big, Buffer.alloc(20_000_000));
    const open = async (): Promise<number> => {
      const links = (await readdir("/proc/self/fd")).map((name) =>
        readlink(`/proc/self/fd/${name}`).catch(() => ""),
      );
      return (await Promise.all(links)).filter((target) => target === big).length;
    };
    const headers = { host: `127.0.0.1:${server.port}` };
    for (let count = 0; count < 5; count++)
      await new Promise<void>((resolve) => {
        const sent = request({ host: "127.0.0.1", port: server.port, path: "/assets/big.js", headers });
        sent.on("response", (response) => {
          response.once("readable", () => response.destroy());
          response.on("close", resolve);
        });
        sent.end();
      });
    await expect.poll(open).toBe(0);
  });

  test.each([
    "/../secret",
    "/assets/../../secret",
    "/..%2fsecret",
    "/%2e%2e/secret",
    "/assets/..%5c..%5csecret",
    "//secret",
    "/assets//main-1.js",
    "/.hidden",
    "/%00",
    "/%",
    "/assets/link.js",
    "/assets",
  ])("names no file outside its folder: %s", async (path) => {
    const { status, body } = await ask(path);
    expect(status).toBe(404);
    expect(body).not.toContain("canary");
  });
});

describe("each of these is refused separately", () => {
  test("a foreign Host", async () => {
    expect((await ask("/", { headers: { host: "evil.example" } })).status).toBe(403);
    expect((await ask("/", { headers: { host: "127.0.0.1:1" } })).status).toBe(403);
    expect(
      (await post({ token: token() }, { host: "evil.example", origin: "http://evil.example" })).status,
    ).toBe(403);
    expect(await connect({ headers: { host: "evil.example" }, origin: "http://evil.example" })).toBe(403);
  });

  test.each([
    ["foreign", "http://evil.example"],
    ["null", "null"],
    ["missing", undefined],
  ])("an Origin that is %s, when a token is exchanged", async (_, value) => {
    expect((await post({ token: token() }, { origin: value })).status).toBe(403);
  });

  test.each([
    ["foreign", "http://evil.example"],
    ["of another port", "http://127.0.0.1:1"],
    ["null", "null"],
    ["missing", null],
  ])("an Origin that is %s, when a socket is opened with a good session", async (_, value) => {
    expect(await connect({ origin: value })).toBe(403);
  });

  test("a foreign Origin that only reads", async () => {
    expect((await ask("/", { headers: { origin: "http://evil.example" } })).status).toBe(403);
  });

  test("a socket without a session, with a wrong one, and with an unused token instead", async () => {
    expect(await connect({ protocols: ["hox"] })).toBe(401);
    expect(await connect({ protocols: socketProtocols("x".repeat(43)) })).toBe(401);
    expect(await connect({ protocols: socketProtocols(token()) })).toBe(401);
    expect(await connect({ protocols: ["other", `session.${session}`] })).toBe(401);
    expect(await connect({})).toBe("open");
  });

  test("a socket at another path", async () => {
    expect(await connect({ path: "/other" })).toBe(404);
    expect(await connect({ path: "/rpc?session=1" })).toBe(404);
  });

  test("a wrong token, and a right one for the second time", async () => {
    expect((await post({ token: "wrong" })).status).toBe(403);
    const once = token();
    expect((await post({ token: once })).status).toBe(200);
    const again = await post({ token: once });
    expect(again.status).toBe(403);
    expect(JSON.parse(again.body)).toHaveProperty("remedy");
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    undefined,
  ])("a post as %s", async (type) => {
    expect((await post({ token: token() }, { "content-type": type })).status).toBe(415);
  });

  test("a post that is no JSON, no exchange, too long, or elsewhere", async () => {
    expect((await post("{")).status).toBe(400);
    expect((await post({ token: token(), more: 1 })).status).toBe(400);
    expect((await post({ token: "x".repeat(10_000) })).status).toBe(413);
    const elsewhere = await ask("/rpc", {
      method: "POST",
      headers: { origin: origin(), "content-type": "application/json" },
      body: "{}",
    });
    expect(elsewhere.status).toBe(404);
  });

  test("other methods", async () => {
    for (const method of ["PUT", "DELETE", "OPTIONS", "TRACE"])
      expect((await ask("/", { method })).status).toBe(405);
  });
});

test("one session opens a limited number of sockets, and others get theirs", async () => {
  const theirs = (JSON.parse((await post({ token: token() })).body) as { session: string }).session;
  const open = (): Promise<WebSocket | number> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, socketProtocols(theirs), {
        origin: origin(),
      });
      socket.on("open", () => resolve(socket));
      socket.on("unexpected-response", (_, response) => {
        socket.on("error", () => {});
        socket.terminate();
        resolve(response.statusCode ?? 0);
      });
      socket.on("error", reject);
    });
  const all = await Promise.all(Array.from({ length: 40 }, open));
  const sockets = all.filter((one) => typeof one !== "number");
  expect(sockets).toHaveLength(24);
  expect(new Set(all.filter((one) => typeof one === "number"))).toEqual(new Set([429]));
  expect(await connect({})).toBe("open");
  for (const socket of sockets) socket.terminate();
  await expect
    .poll(async () => {
      const again = await open();
      if (typeof again === "number") return again;
      again.terminate();
      return "open";
    })
    .toBe("open");
});

test("an address is valid for ten minutes, so that a saved log admits no one", async () => {
  const [early, late] = [token(), token()];
  try {
    later = 9.9 * 60_000;
    expect((await post({ token: early })).status).toBe(200);
    later = 10.1 * 60_000;
    const { status, body } = await post({ token: late });
    expect(status).toBe(403);
    expect(JSON.parse(body)).toMatchObject({
      message: expect.stringContaining("10 minutes"),
      remedy: expect.stringContaining("hox address"),
    });
    // Nor once the clock goes back.
    later = 0;
    expect((await post({ token: late })).status).toBe(403);
    expect((await post({ token: token() })).status).toBe(200);
  } finally {
    later = 0;
  }
});

test("another address is given for the host's secret, and to no page", async () => {
  const another = (headers: Record<string, string>): Promise<Answer> =>
    ask("/address", { method: "POST", headers });
  const authorization = `Bearer ${server.secret}`;
  const { status, body } = await another({ authorization });
  expect(status).toBe(200);
  const sentToken = tokenOf(new URL((JSON.parse(body) as { address: string }).address).hash);
  expect((await post({ token: sentToken })).status).toBe(200);
  expect((await another({})).status).toBe(401);
  expect((await another({ authorization: `Bearer ${session}` })).status).toBe(401);
  expect((await another({ authorization, origin: origin() })).status).toBe(403);
  expect((await another({ authorization, host: "evil.example" })).status).toBe(403);
  expect((await ask("/address", { headers: { authorization } })).status).toBe(404);
});

test("a session survives its first socket, and can be checked", async () => {
  expect(await connect({})).toBe("open");
  expect(await connect({})).toBe("open");
  expect((await post({ session })).status).toBe(200);
  expect((await post({ session: "gone" })).status).toBe(403);
});

test.each([
  "{",
  "[]",
  "null",
  '{"i":1}',
  '{"i":"1","p":{"u":"javascript:alert(1)"}}',
  '{"i":"1","t":3,"p":{}}',
])("an invalid frame ends only its socket: %s", async (frame) => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/rpc`, socketProtocols(session), {
    origin: origin(),
  });
  await new Promise((resolve) => socket.on("open", resolve));
  const code = new Promise<number>((resolve) => socket.on("close", resolve));
  socket.send(frame);
  expect(await code).toBe(1008);
  expect(await connect({})).toBe("open");
});

test("a port in use is reported with the remedy", async () => {
  await expect(serveLoopback(host, { port: server.port, files: folder })).rejects.toMatchObject({
    message: `Port ${server.port} is in use by another program.`,
    remedy: expect.stringContaining("--port"),
  });
});
