import { randomUUID, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import { toolSchema } from "../agent/conversation.ts";
import { runCalls } from "../agent/tool-calls.ts";
import { listenPrivately } from "../config/listen-privately.ts";
import type { Tool, ToolContext, ToolOutcome, ToolSignal } from "../tools/tool-interface.ts";

/** The tools of one conversation, and who hears of their calls. */
interface OfferedTools {
  readonly tools: readonly Tool[];
  readonly context: ToolContext;
  readonly onEntry: (entry: ConversationEntry) => void;
  /** Hears a signal before the agent has its answer, and may say why it does not count. */
  readonly onSignal: (signal: ToolSignal, callId: string) => string | null;
}

/** Hox's tools for one worker's agent, as an MCP server over HTTP. */
export interface McpEndpoint {
  /** What the agent has to send: `Authorization: Bearer …`. */
  readonly token: string;
  /** Serves one request, to whatever path it came. */
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /**
   * Serves a socket, which is where the worker's runner leads its agent (`socketsIn`).
   * @returns ends it
   */
  listen(socket: string): Promise<() => void>;
  /** From now on these are served; a call counts only while they are. */
  offer(tools: OfferedTools): void;
  /** Calls are refused until the next offer; the list stays. */
  withdraw(): void;
}

const maxBody = 4_000_000;
/** An agent could take all descriptors of the host otherwise. */
const maxConnections = 32;

/** @param token of this worker, a secret shared with its agent alone */
export function createMcpEndpoint(token: string): McpEndpoint {
  let offered: OfferedTools | null = null;
  let isOpen = false;
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "hox", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler("tools/list", () => ({ tools: (offered?.tools ?? []).map(listed) }));
    server.setRequestHandler("tools/call", async ({ params: { name, arguments: input = {} } }) =>
      offered === null || !isOpen
        ? answer({ ok: false, error: "not-allowed", output: "No turn is open, so nothing was done." })
        : answer(await call(offered, { id: `mcp-${randomUUID()}`, name, input })),
    );
    return server;
  });
  const endpoint: McpEndpoint = {
    token,
    offer(tools) {
      [offered, isOpen] = [tools, true];
    },
    withdraw() {
      isOpen = false;
    },
    async handle(request, response) {
      if (!isBearer(request.headers.authorization, token)) {
        response.writeHead(401, { "content-type": "text/plain" }).end("The token of this worker is missing.");
        return;
      }
      const body = await bodyOf(request);
      if (body === null) response.writeHead(413).end();
      else await respond(await handler.fetch(webRequest(request, body)), response);
    },
    async listen(socket) {
      const server = createServer((request, response) => {
        endpoint.handle(request, response).catch((error: Error) => response.destroy(error));
      });
      server.maxConnections = maxConnections;
      await listenPrivately(server, socket);
      return () => {
        server.close();
        server.closeAllConnections();
      };
    },
  };
  return endpoint;
}

const listed = (tool: Tool) => {
  const { name, description, inputSchema } = toolSchema(tool);
  const _meta = { "anthropic/alwaysLoad": true };
  return { name, description, inputSchema: { ...inputSchema, type: "object" as const }, _meta };
};

async function call(
  { tools, context, onEntry, onSignal }: OfferedTools,
  made: { readonly id: string; readonly name: string; readonly input: unknown },
): Promise<ToolOutcome> {
  const [result] = await runCalls([made], tools, context, onEntry);
  const outcome = result?.outcome ?? { ok: false, error: "failed", output: "Nothing was done." };
  if (!outcome.ok || !outcome.signal) return outcome;
  const { signal } = outcome;
  const refusal = onSignal(signal, made.id);
  if (refusal !== null) return { ok: false, error: "not-allowed", output: refusal };
  return endsTurn(signal)
    ? { ok: true, output: `${outcome.output}\nRecorded. End your turn now, without further calls.` }
    : outcome;
}

/** Whether the agent's turn is over with this signal. A question that does not block is passed on meanwhile. */
export const endsTurn = (signal: ToolSignal): boolean => signal.kind !== "align-request" || signal.blocking;

const answer = (outcome: ToolOutcome) => ({
  isError: !outcome.ok,
  content: [
    { type: "text" as const, text: outcome.output === "" ? "(no output)" : outcome.output },
    ...(outcome.ok ? (outcome.images ?? []) : []).map(({ mediaType, data }) => ({
      type: "image" as const,
      mimeType: mediaType,
      data,
    })),
  ],
});

function isBearer(header: string | undefined, token: string): boolean {
  const [given, wanted] = [Buffer.from(header ?? ""), Buffer.from(`Bearer ${token}`)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBody) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function webRequest({ method = "GET", headers }: IncomingMessage, body: Buffer): Request {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return new Request("http://hox.local/mcp", {
    method,
    headers: given,
    ...(method === "GET" || method === "HEAD" ? {} : { body: new Uint8Array(body) }),
  });
}

async function respond(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers));
  if (from.body === null) to.end();
  // Whoever asked may be gone.
  else await pipeline(Readable.fromWeb(from.body as never), to).catch(() => undefined);
}
