/**
 * Where machines that offer places connect: one port of 127.0.0.1, and one path of the server for other people, which has TLS.
 * The name that they call this host by says nothing, because they may come through a proxy or a tunnel; their key does. A page
 * of a browser always names its origin, and is refused.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { WebSocketServer } from "ws";
import { z } from "zod";
import { workerProgramPath } from "#shared/domain/places/worker-program.ts";
import type { MachineRequests } from "../api/workers.ts";
import { log } from "../log/log.ts";
import type { ConnectedMachines } from "../places/host/connected-machines.ts";
import { machinesPath } from "../places/machine/host-request.ts";
import { formatOffer, maxMessageBytes, offeredProgramHeader } from "../places/machine-contract.ts";
import type { MachineRow, Machines } from "../places/places-interface.ts";
import { builtWorkerProgram, type WorkerProgram } from "../places/worker-program.ts";
import { createLocalServer, keepConnection, type PeerPatience } from "./local-endpoint.ts";
import { answerJson, bodyOf, RequestRefusal, refuse } from "./request-refusal.ts";
import { closeServer } from "./web-socket.ts";

export interface WorkerDoor {
  readonly port: number;
  /** For another server of this host. */
  readonly requests: MachineRequests;
  close(): Promise<void>;
}

const enrolment = z.strictObject({
  invitation: z.string().max(200),
  name: z.string().regex(/^[\w.-]{1,100}$/u),
});

interface DoorParts {
  readonly connected: ConnectedMachines;
  readonly machines: Machines;
  /** What machines get to run. Default: that of the build. */
  readonly program?: WorkerProgram | null;
}

/** @throws an error with `code` EADDRINUSE where another process listens there */
export async function openWorkerDoor(
  { connected, machines, program = builtWorkerProgram() }: DoorParts,
  port: number,
  patience?: PeerPatience,
): Promise<WorkerDoor> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
  });
  if (program !== null)
    sockets.on("headers", (headers) => headers.push(`${offeredProgramHeader}: ${formatOffer(program)}`));
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const answered =
      request.url === workerProgramPath
        ? answerProgram(machines, program, request, response)
        : answerEnrolment(machines, request, response);
    answered.catch((error: unknown) => refuse(response, error));
  };
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const broken = (): void => void socket.destroy();
    socket.on("error", broken);
    const refused = (status: string): void => {
      log.warn("worker refused", { path: request.url, status });
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n`, broken);
    };
    const admit = (machine: MachineRow): void => {
      keepConnection(socket);
      socket.off("error", broken);
      sockets.handleUpgrade(request, socket, head, (opened) => {
        opened.on("error", () => opened.terminate());
        log.info("worker connected", { name: machine.name });
        connected.attach(opened, machine).catch((error: unknown) => {
          log.warn("worker not taken", { name: machine.name, error });
          opened.terminate();
        });
      });
    };
    const asked = request.url === machinesPath ? machineOf(machines, request) : Promise.resolve(null);
    // It dials again, and is not told that its key does not count.
    asked.then(
      (machine) => (machine === null ? refused("401 Unauthorized") : admit(machine)),
      () => refused("503 Service Unavailable"),
    );
  };
  const server = createLocalServer(answer, patience);
  server.on("upgrade", upgrade);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: "127.0.0.1", port, exclusive: true }, resolve);
  });
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    requests: {
      answer(request, response) {
        const isTaken = isOfMachine(request);
        if (isTaken) answer(request, response);
        return isTaken;
      },
      upgrade(request, socket, head) {
        const isTaken = isOfMachine(request);
        if (isTaken) upgrade(request, socket, head);
        return isTaken;
      },
    },
    async close() {
      connected.close();
      await closeServer(server, {
        close: () => sockets.close(),
        terminate() {
          for (const socket of sockets.clients) socket.terminate();
        },
      });
    },
  };
}

const isOfMachine = ({ url }: IncomingMessage): boolean => url === machinesPath || url === workerProgramPath;

async function machineOf(machines: Machines, { headers }: IncomingMessage): Promise<MachineRow | null> {
  if (headers.origin !== undefined) return null;
  const [, id, key] = /^Worker ([0-9a-f]{16}):([\w-]{43})$/u.exec(headers.authorization ?? "") ?? [];
  return id === undefined || key === undefined ? null : machines.authenticate(id, key);
}

/** The program runs outside the sandbox of its machine, and is for no one else: with a key, or an invitation that still counts. */
async function answerProgram(
  machines: Machines,
  program: WorkerProgram | null,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin, authorization = "" } = request.headers;
  if (origin !== undefined || request.method !== "GET") throw new RequestRefusal(404, "Nothing is here.");
  const [, invitation] = /^Invitation ([\w-]{43})$/u.exec(authorization) ?? [];
  const isKnown =
    invitation === undefined
      ? (await machineOf(machines, request)) !== null
      : await machines.isInvited(invitation);
  if (!isKnown) throw new RequestRefusal(401, "Neither an invitation nor the key of a worker.");
  if (program === null)
    throw new RequestRefusal(404, "This Hox runs from its sources: build it first, with npm run build.");
  keepConnection(request.socket);
  response.writeHead(200, {
    "content-type": "text/javascript",
    "content-length": program.bytes.length,
    "cache-control": "no-store",
  });
  response.end(program.bytes);
}

async function answerEnrolment(
  machines: Machines,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin, "content-type": type = "" } = request.headers;
  if (origin !== undefined || request.method !== "POST" || request.url !== machinesPath)
    throw new RequestRefusal(404, "Nothing is here.");
  if (!type.startsWith("application/json")) throw new RequestRefusal(415, "The request is not JSON.");
  const asked = enrolment.safeParse(await bodyOf(request));
  const enrolled = asked.success ? await machines.enrol(asked.data.invitation, asked.data.name) : null;
  if (enrolled === null) throw new RequestRefusal(403, "The invitation is not valid.");
  log.info("worker enrolled", { id: enrolled.id });
  answerJson(response, 200, enrolled);
}
