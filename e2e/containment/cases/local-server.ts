import { mkdirSync, symlinkSync } from "node:fs";
import { connect } from "node:net";
import { createHost } from "../../../src-main/host.ts";
import { serveLoopback } from "../../../src-main/transport/web-socket.ts";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import type { TestBed } from "../test-bed.ts";

const page = "<!doctype html><title>Hox</title>";
/** Sent as it is, so that no client makes it honest. */
const send = (port: number, text: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    const end = (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(3_000, end);
    socket.on("data", (bytes) => {
      answer += bytes.toString("latin1");
    });
    socket.on("error", end).on("close", end);
    socket.write(text, "latin1");
  });

interface LocalServer {
  readonly port: number;
  readonly secret: string;
  /** One that lets a browser in, as only the user has it. */
  token(): string;
  /** The answer to a request without the secret. */
  ask(line: string, headers?: Readonly<Record<string, string>>, body?: string): Promise<string>;
}

/** A real host that serves a page, and a request by another user of the machine, or by a page of another site. */
const knocks = (
  name: string,
  attack: (localServer: LocalServer, testBed: TestBed) => Promise<void>,
  source = "own",
): Case => ({
  name,
  source,
  plant: (testBed) => {
    testBed.put("renderer/index.html", page);
    mkdirSync(testBed.outside("renderer/assets"));
    symlinkSync(testBed.outside("secret"), testBed.outside("renderer/assets/secret.js"));
  },
  attack: async (testBed) => {
    const host = await createHost({ shell: "browser", version: "0", stateFolder: testBed.outside("state") });
    testBed.after(() => host.close());
    const server = await serveLoopback(host, { files: testBed.outside("renderer") });
    testBed.after(() => server.close());
    const ask: LocalServer["ask"] = async (line, headers = {}, body = "") => {
      const all = { Host: `127.0.0.1:${server.port}`, Connection: "close", ...headers };
      const head = Object.entries(all).map(([key, value]) => `${key}: ${value}\r\n`);
      return send(server.port, `${line} HTTP/1.1\r\n${head.join("")}\r\n${body}`);
    };
    if (!(await ask("GET /")).includes(page)) testBed.note += "the page does not come ";
    const token = (): string => server.address().split("#token=")[1] ?? "";
    await attack({ port: server.port, secret: server.secret, token, ask }, testBed);
    if (!(await ask("GET /")).includes(page)) testBed.note += "the page comes no more ";
    testBed.settle();
  },
  judge: (testBed) => (testBed.note === "" ? refused : failed(testBed.note.trim())),
});

const isOk = (answer: string): boolean => /^HTTP\/1\.1 (?:101|2\d\d)/u.test(answer);
const upgrade = {
  Upgrade: "websocket",
  Connection: "Upgrade",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Key": "MDEyMzQ1Njc4OTAxMjM0NQ==",
};
const json = { "Content-Type": "application/json" };

/** The local server of the window: others of the machine, and pages of other sites. */
export const localServer: Family = {
  name: "local-server",
  cases: [
    knocks("pages-of-other-sites-that-lead-to-this-machine", async ({ ask }, testBed) => {
      for (const Host of [
        "evil.example",
        "evil.example:80",
        "127.0.0.1",
        "127.0.0.1:1",
        "[::1]",
        "localhost.evil.example",
        "",
      ])
        if (isOk(await ask("GET /", { Host }))) testBed.note += `answers to ${Host} `;
    }),
    knocks("requests-of-other-pages", async ({ ask, port, token }, testBed) => {
      // Even with what only the user has: the page of another site may have been given a link.
      const enter = (Origin: string): Promise<string> => {
        const body = JSON.stringify({ token: token() });
        return ask("POST /session", { Origin, ...json, "Content-Length": `${body.length}` }, body);
      };
      const own = `http://127.0.0.1:${port}`;
      if (!isOk(await enter(own))) testBed.note += "the user's own page does not get in ";
      for (const origin of [
        "https://evil.example",
        "null",
        `${own}.evil.example`,
        `${own}1`,
        own.replace("http", "https"),
        "",
        `${own}, ${own}`,
        own.toUpperCase(),
      ])
        if (isOk(await enter(origin))) testBed.note += `lets in a page of ${origin} `;
    }),
    knocks("a-session-that-is-guessed", async ({ ask, port }, testBed) => {
      const Origin = `http://127.0.0.1:${port}`;
      for (const body of [
        '{"token":""}',
        '{"session":""}',
        '{"session":"x"}',
        '{"token":null}',
        '{"session":"__proto__"}',
        '{"session":"constructor"}',
        "[]",
        "null",
        '{"token":{"length":43}}',
      ])
        if (isOk(await ask("POST /session", { Origin, ...json, "Content-Length": `${body.length}` }, body)))
          testBed.note += `a session for ${body} `;
    }),
    knocks("a-socket-without-a-session", async ({ ask, port }, testBed) => {
      const Origin = `http://127.0.0.1:${port}`;
      for (const headers of [
        {},
        { Origin: "https://evil.example" },
        { Origin },
        { Origin, "Sec-WebSocket-Protocol": "hox, x" },
        { Origin, Cookie: "session=x" },
        { Origin, Authorization: "Bearer x" },
      ])
        for (const path of ["/rpc", "/rpc?session=x", "/", "//rpc"])
          if (isOk(await ask(`GET ${path}`, { ...upgrade, ...headers })))
            testBed.note += `a socket at ${path} `;
    }),
    knocks("another-address-without-the-secret", async ({ ask, secret }, testBed) => {
      for (const Authorization of [
        "",
        "Bearer ",
        "Bearer x",
        `Bearer ${secret.slice(0, -1)}`,
        `bearer ${secret}x`,
        `Basic ${secret}`,
      ])
        if (isOk(await ask("POST /address", { Authorization, "Content-Length": "0" })))
          testBed.note += "an address without the secret ";
      if (!isOk(await ask("POST /address", { Authorization: `Bearer ${secret}`, "Content-Length": "0" })))
        testBed.note += "none for who has it ";
      if (
        isOk(
          await ask("POST /address", {
            Authorization: `Bearer ${secret}`,
            Origin: "https://evil.example",
            "Content-Length": "0",
          }),
        )
      )
        testBed.note += "an address for a page ";
    }),
    knocks("files-beside-the-page", async ({ ask }, testBed) => {
      for (const path of [
        "/../secret",
        "/%2e%2e/secret",
        "/..%2fsecret",
        "/assets/../../secret",
        "/assets/secret.js",
        "//secret",
        "/..\\secret",
        "/%00/../secret",
        "/./../secret",
        "/assets/%2e%2e%2f%2e%2e%2fsecret",
        "file:///etc/passwd",
        "http://127.0.0.1/../secret",
        "/assets/..;/../secret",
      ]) {
        const answer = await ask(`GET ${path}`);
        testBed.see(answer);
        if (/root:x:0/u.test(answer)) testBed.note += `a file of the system for ${path} `;
      }
    }),
    knocks("a-page-that-may-not-run-what-others-wrote", async ({ ask }, testBed) => {
      const answer = await ask("GET /");
      const [, policy = ""] = /^content-security-policy: (.*)$/imu.exec(answer) ?? [];
      for (const part of [
        "default-src 'none'",
        "script-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ])
        if (!policy.includes(part)) testBed.note += `the policy has no ${part}: ${policy} `;
      if (/script-src[^;]*(?:unsafe|\*|data:|blob:)/u.test(policy))
        testBed.note += `scripts of others: ${policy} `;
    }),
    knocks("two-requests-where-one-is-judged", async ({ port, ask }, testBed) => {
      const own = `Host: 127.0.0.1:${port}\r\n`;
      const second = `GET /rpc HTTP/1.1\r\n${own}Origin: http://127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OTAxMjM0NQ==\r\n\r\n`;
      for (const first of [
        `POST / HTTP/1.1\r\n${own}Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        `GET / HTTP/1.1\r\n${own}Host: evil.example\r\n\r\n`,
        `GET / HTTP/1.1\r\n${own}Connection: keep-alive\r\n\r\n`,
      ])
        if ((await send(port, first + second)).includes("101 Switching"))
          testBed.note += "a socket by a second request ";
      if (
        isOk(
          await ask(
            "POST /session",
            { "Content-Type": "text/plain", "Content-Length": "13" },
            '{"token":"x"}',
          ),
        )
      )
        testBed.note += "a form is taken ";
    }),
    knocks(
      "half-requests-of-another-user",
      async ({ port }, testBed) => {
        const many = Array.from({ length: 160 }, () => connect(port, "127.0.0.1"));
        for (const socket of many) {
          socket.on("error", () => {}).write("GET / HTTP/1.1\r\nx: ");
          testBed.after(() => socket.destroy());
        }
        await Promise.all(many.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
      },
      "G10",
    ),
  ],
};
