/** What both stand-ins do on every request: tokens, faults, quota, ETags, pages, and Git over HTTP. */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Permission } from "../forge-error.ts";
import type { ForgeWorld, WorldToken } from "./forge-world.ts";

export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly token: WorldToken | null;
  /** Parts of the path that the route names. */
  readonly parts: readonly string[];
}

export interface Reply {
  readonly status?: number;
  readonly body?: unknown;
  /** In place of a body: a log. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: string;
  readonly path: RegExp;
  readonly needs: Permission;
  readonly answer: (ask: Ask) => Reply;
}

/** What differs between the two. */
export interface Face {
  readonly routes: readonly Route[];
  readonly headers: Readonly<Record<string, string>>;
  readonly refusals: {
    readonly notFound: Reply;
    readonly badToken: Reply;
    readonly noToken: Reply;
    readonly permission: (needed: Permission) => Reply;
    readonly primaryLimit: (resetSeconds: number) => Reply;
    readonly secondaryLimit: Reply;
  };
  readonly pageHeaders: (page: {
    readonly url: string;
    readonly next: number | null;
  }) => Record<string, string>;
}

export interface RunningForge {
  readonly host: string;
  readonly cloneUrl: string;
  close(): Promise<void>;
}

export async function serveForge(world: ForgeWorld, face: Face): Promise<RunningForge> {
  let host = "";
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", `http://${host}`);
    const { faults } = world;
    if (faults.isDown) {
      world.refusedWhileDown += 1;
      return void response.writeHead(503, { "content-type": "text/html" }).end("<h1>Unavailable</h1>");
    }
    if (url.pathname.includes(".git/")) {
      const to = movedGit(world, url);
      if (to !== null) return void response.writeHead(301, { location: to }).end();
      if (url.pathname.endsWith("/git-receive-pack")) faults.beforePush?.();
      return serveGit(world, url, request, response);
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    await faults.hold;
    if (faults.page !== null)
      return void response.writeHead(200, { "content-type": "text/html" }).end(faults.page);
    if (faults.redirectTo !== null)
      return void response.writeHead(302, { location: faults.redirectTo }).end();
    const reply = replyTo(url, request, Buffer.concat(chunks).toString("utf8"));
    send(request, response, url, reply);
  };

  const replyTo = (url: URL, request: IncomingMessage, text: string): Reply => {
    const { refusals, routes } = face;
    const given = /^Bearer (.+)$/u.exec(request.headers.authorization ?? "")?.[1];
    const token = given === undefined ? null : (world.tokens.get(given) ?? null);
    if (given !== undefined && (token === null || token.isExpired)) return refusals.badToken;
    const { faults } = world;
    if (faults.isSecondaryLimit) return refusals.secondaryLimit;
    if (faults.quota && faults.quota.left <= 0 && world.now() < faults.quota.resetAt)
      return refusals.primaryLimit(Math.ceil(faults.quota.resetAt / 1000));
    for (const route of routes) {
      const found = route.method === request.method ? route.path.exec(url.pathname) : null;
      if (!found) continue;
      if (token === null && (route.method !== "GET" || world.tokens.has("private"))) return refusals.noToken;
      if (token !== null && !token.permissions.includes(route.needs)) return refusals.permission(route.needs);
      return route.answer({
        method: route.method,
        path: url.pathname,
        query: url.searchParams,
        body: text === "" ? {} : JSON.parse(text),
        token,
        parts: found.slice(1).map((part) => decodeURIComponent(part ?? "")),
      });
    }
    return refusals.notFound;
  };

  const send = (request: IncomingMessage, response: ServerResponse, url: URL, reply: Reply): void => {
    const { faults } = world;
    let { body } = reply;
    const headers: Record<string, string> = {
      ...face.headers,
      "content-type": "application/json",
      ...reply.headers,
    };
    if (Array.isArray(body)) {
      const size = Number(url.searchParams.get("per_page") ?? 20);
      const page = Number(url.searchParams.get("page") ?? 1);
      const next = body.length > page * size ? page + 1 : null;
      Object.assign(headers, face.pageHeaders({ url: url.href, next }));
      body = body.slice((page - 1) * size, page * size);
    }
    const text = reply.text ?? (body === undefined ? "" : JSON.stringify(body)) + " ".repeat(faults.padding);
    const status = reply.status ?? 200;
    const etag = `W/"${createHash("sha1").update(text).digest("hex")}"`;
    if (request.method === "GET" && status === 200) {
      headers.etag = etag;
      if (request.headers["if-none-match"] === etag) {
        world.unchanged += 1;
        return void response.writeHead(304, headers).end();
      }
    }
    if (faults.quota) faults.quota.left -= 1;
    world.asked.push(`${request.method} ${url.pathname}`);
    response.writeHead(status, headers).end(status === 204 ? undefined : text);
  };

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response
        .writeHead(500, { "content-type": "application/json" })
        .end(JSON.stringify({ message: String(error) }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    get cloneUrl() {
      return `http://${host}/${world.repository.path}.git`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Where a renamed repository is now; null: it is not renamed. */
function movedGit({ repository: { path, oldPaths } }: ForgeWorld, url: URL): string | null {
  const old = oldPaths.find((one) => url.pathname.startsWith(`/${one}.git/`));
  return old === undefined ? null : `/${path}${url.pathname.slice(old.length + 1)}${url.search}`;
}

const execPath = execFileSync("git", ["--exec-path"], { encoding: "utf8" }).trim();

/** Git's own server, so that clones, fetches and pushes are real ones. */
function serveGit(
  world: ForgeWorld,
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const inside = url.pathname.slice(url.pathname.indexOf(".git/") + 4);
  const child = spawn(join(execPath, "git-http-backend"), {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: world.gitFolder,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: inside,
      REQUEST_METHOD: request.method,
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"] ?? "",
      HTTP_GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      REMOTE_USER: "pusher",
      REMOTE_ADDR: "127.0.0.1",
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  request.pipe(child.stdin);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", reject);
    child.on("close", () => {
      const whole = Buffer.concat(chunks);
      const end = whole.indexOf("\r\n\r\n");
      const headers = whole
        .subarray(0, end)
        .toString("latin1")
        .split("\r\n")
        .map((line) => line.split(": "));
      const status = headers.find(([name]) => name === "Status")?.[1];
      response.statusCode = Number(status?.slice(0, 3) ?? 200);
      for (const [name = "", value = ""] of headers) if (name !== "Status") response.setHeader(name, value);
      response.end(whole.subarray(end + 4));
      resolve();
    });
  });
}
