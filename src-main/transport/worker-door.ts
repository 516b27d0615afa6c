/**
 * Where machines that offer places connect: one port of 127.0.0.1. From elsewhere they come through a proxy with TLS or a
 * tunnel, so the name that they call this host by says nothing; their key does. A page of a browser always names its origin,
 * and is refused.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { z } from "zod";
import { log } from "../log/log.ts";
import type { MachinePool } from "../places/host/machine-pool.ts";
import { machinesPath } from "../places/machine/join-host.ts";
import { maxMessageBytes } from "../places/machine-contract.ts";
import type { MachineRow, Machines } from "../places/places-interface.ts";
import { createLocalServer, keepConnection, type PeerPatience } from "./local-endpoint.ts";

export interface WorkerDoor {
  readonly port: number;
  close(): Promise<void>;
}

const maxBodyLength = 4_096;
const enrolment = z.strictObject({
  invitation: z.string().max(200),
  name: z.string().regex(/^[\w.-]{1,100}$/u),
});

/** @throws an error with `code` EADDRINUSE where another process listens there */
export async function openWorkerDoor(
  { pool, machines }: { readonly pool: MachinePool; readonly machines: Machines },
  port: number,
  patience?: PeerPatience,
): Promise<WorkerDoor> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
  });
  const server = createLocalServer((request, response) => {
    answerEnrolment(machines, request, response).catch((error: unknown) => {
      log.warn("enrolment failed", { error });
      response.destroy();
    });
  }, patience);
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const broken = (): void => void socket.destroy();
    socket.on("error", broken);
    const machine = request.url === machinesPath ? machineOf(machines, request) : null;
    if (machine === null) {
      log.warn("worker refused", { path: request.url });
      socket.end("HTTP/1.1 401 Unauthorized\r\nconnection: close\r\n\r\n", broken);
      return;
    }
    keepConnection(socket);
    socket.off("error", broken);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      opened.on("error", () => opened.terminate());
      log.info("worker connected", { name: machine.name });
      pool.attach(opened, machine).catch((error: unknown) => {
        log.warn("worker not taken", { name: machine.name, error });
        opened.terminate();
      });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port, exclusive: true }, resolve);
  });
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      pool.close();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        setTimeout(() => {
          for (const socket of sockets.clients) socket.terminate();
          server.closeAllConnections();
        }, 300);
      });
    },
  };
}

function machineOf(machines: Machines, { headers }: IncomingMessage): MachineRow | null {
  if (headers.origin !== undefined) return null;
  const [, id, key] = /^Worker ([0-9a-f]{16}):([\w-]{43})$/u.exec(headers.authorization ?? "") ?? [];
  return id === undefined || key === undefined ? null : machines.authenticate(id, key);
}

async function answerEnrolment(
  machines: Machines,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const end = (status: number, body = ""): void => {
    response.writeHead(status, { "content-type": "application/json", connection: "close" });
    response.end(body);
  };
  const { origin, "content-type": type = "" } = request.headers;
  if (origin !== undefined || request.method !== "POST" || request.url !== machinesPath) return end(404);
  if (!type.startsWith("application/json")) return end(415);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyLength) return end(413);
    chunks.push(chunk);
  }
  const asked = enrolment.safeParse(jsonOf(Buffer.concat(chunks)));
  const enrolled = asked.success ? machines.enrol(asked.data.invitation, asked.data.name) : null;
  if (enrolled === null) return end(403);
  log.info("worker enrolled", { id: enrolled.id });
  end(200, JSON.stringify(enrolled));
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}
