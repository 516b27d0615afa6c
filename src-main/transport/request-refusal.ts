import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { log, printError } from "../log/log.ts";

const maxBodyLength = 4_096;

/** A request that gets nothing but a status and a line that says why. */
export class RequestRefusal extends Error {
  override readonly name = "RequestRefusal";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The error for the client; internal errors without details. */
const refusalOf = (error: unknown): RequestRefusal =>
  error instanceof RequestRefusal ? error : new RequestRefusal(500, "Internal error.");

export async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyLength) throw new RequestRefusal(413, "The request is too large.");
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new RequestRefusal(400, "The request is not JSON.");
  }
}

export function answerJson(response: ServerResponse, status: number, body: object): void {
  response.setHeader("content-type", "application/json");
  response.setHeader("cache-control", "no-store");
  response.writeHead(status);
  response.end(JSON.stringify(body));
}

export function refuse(response: ServerResponse, error: unknown): void {
  const { status, message } = refusalOf(error);
  if (error instanceof RequestRefusal) log.warn("request refused", { status, reason: message });
  else printError("a request failed", error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.setHeader("content-type", "text/plain; charset=utf-8");
  response.setHeader("connection", "close");
  response.writeHead(status);
  response.end(`${message}\n`);
}

/** The same on a bare socket. Nothing more is read of it, whatever the other side still has to say. */
export function refuseSocket(socket: Duplex, error: unknown, ended: () => void): void {
  const { status, message } = refusalOf(error);
  log.warn("socket refused", { status, reason: message });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${message}\n`,
    ended,
  );
}
