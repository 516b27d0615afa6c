/**
 * An agent of another make on a machine, as the host works with it: where the host looks for the runner, and where it listens for
 * the agent, are the sockets that it has for one of its own. Each connection is led through that of the machine. What opens
 * the gateway and Hox's tools is the lease of the place: nothing of an earlier holder comes through.
 */
import { connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { agentFilesProblem, sentFilesProblem } from "#shared/domain/places/sent-files.ts";
import { listenPrivately } from "../../config/listen-privately.ts";
import type { RunnerHandle } from "../../external-agents/start-runner.ts";
import { maxSessionBytes, maxSessionFiles } from "../machine-contract.ts";
import type { MachineLink } from "./machine-link.ts";

export interface AgentToStart {
  /** As machines name it. */
  readonly agent: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Settings of the project for it that it does not see. */
  readonly hidden: readonly string[];
  readonly protectedFiles: readonly string[];
  /** What was kept of its sessions, by paths below HOME. */
  readonly files: Readonly<Record<string, string>>;
  /** Where it keeps them; null: nothing of them is kept. */
  readonly sessions: string | null;
  /** Of this host. */
  readonly sockets: Readonly<Record<"gateway" | "tools" | "runner", string>>;
}

interface RemoteAgentParts {
  readonly link: MachineLink;
  readonly place: { readonly place: string; readonly epoch: number };
  /** Why nothing that comes from there counts; null: it counts. */
  readonly refusal: () => Promise<string | null>;
}

/** More than gateway and tools take at once. */
const maxTunnels = 200;
/** A machine that does not end it in time ends it with its lease. */
const maxEndMs = 5_000;

export async function startRemoteAgent(
  parts: RemoteAgentParts,
  { sockets, sessions, hidden, protectedFiles, ...request }: AgentToStart,
): Promise<RunnerHandle> {
  const { link, place } = parts;
  const { view, token } = await link.ask((machine) =>
    machine.startAgent({
      ...{ ...place, ...request },
      hidden: [...hidden],
      protectedFiles: [...protectedFiles],
    }),
  );
  const tunnels = new Set<Socket>();
  const lead = (socket: Socket, connection: Promise<number>): void => {
    tunnels.add(socket);
    socket.once("close", () => tunnels.delete(socket));
    void leadThrough(parts, socket, connection);
  };
  const server = createServer({ allowHalfOpen: true }, (socket) =>
    lead(
      socket,
      link.ask((machine) => machine.openTunnel(place)).then(({ connection }) => connection),
    ),
  );
  await listenPrivately(server, sockets.runner);
  const end = (): void => {
    server.close();
    for (const socket of tunnels) socket.destroy();
  };
  const takeConnections = async (): Promise<void> => {
    while (server.listening) {
      const next = await link.ask((machine) => machine.acceptTunnel(place));
      if (next === null || tunnels.size >= maxTunnels) return;
      lead(connect({ path: sockets[next.socket], allowHalfOpen: true }), Promise.resolve(next.connection));
    }
  };
  // However it ends: a host that hears no more of the agent asks for it anew.
  void takeConnections().then(end, end);
  return {
    ...{ socket: sockets.runner, token, view, init: null, isAway: true },
    // Where that fails the place is lost, which whoever needs its files next is told.
    restoreProtected: () => link.ask((machine) => machine.restoreProtected(place)).catch(() => []),
    async readSessions() {
      if (sessions === null) return null;
      const files = await link.ask((machine) => machine.readSessions(place)).catch(() => ({}));
      const isSound = (await parts.refusal()) === null && areSessions(files, sessions);
      return isSound ? files : null;
    },
    async kill() {
      end();
      const stopped = link.ask((machine) => machine.stopAgent(place)).catch(() => undefined);
      await Promise.race([stopped, pause(maxEndMs, undefined, { ref: false })]);
    },
  };
}

/** They are written for an agent once, wherever that is. */
function areSessions(files: Readonly<Record<string, string>>, folder: string): boolean {
  const sent = Object.entries(files).map(([path, text]) => ({
    ...{ path, mode: "100644", oid: "0".repeat(40) },
    bytes: Buffer.byteLength(text),
  }));
  return (
    sent.length > 0 &&
    sent.every(({ path }) => path.startsWith(`${folder}/`)) &&
    sentFilesProblem(sent) === null &&
    agentFilesProblem(sent, sessionLimits) === null
  );
}

const sessionLimits = {
  ...{ files: maxSessionFiles, bytesPerFile: maxSessionBytes, bytes: maxSessionBytes },
  pathLength: 1_000,
};

/** Both ways, until both sides have ended or one of them broke. */
async function leadThrough(
  { link, place, refusal }: RemoteAgentParts,
  socket: Socket,
  opened: Promise<number>,
): Promise<void> {
  // Who reads it hears of it.
  socket.on("error", () => undefined);
  let at: { readonly place: string; readonly epoch: number; readonly connection: number } | null = null;
  try {
    const tunnel = { ...place, connection: await opened };
    at = tunnel;
    await refuseLate(refusal);
    const fromThere = async (): Promise<void> => {
      for (;;) {
        const { data } = await link.ask((machine) => machine.readTunnel(tunnel));
        await refuseLate(refusal);
        if (data === null) return void socket.end();
        await written(socket, Buffer.from(data, "base64"));
      }
    };
    const send = async (data: string | null): Promise<void> => {
      const { isOpen } = await link.ask((machine) => machine.writeTunnel({ ...tunnel, data }));
      if (!isOpen) throw new Error("The other side is closed.");
    };
    const fromHere = async (): Promise<void> => {
      for await (const chunk of socket.iterator({ destroyOnReturn: false }))
        await send((chunk as Buffer).toString("base64"));
      await send(null);
    };
    await Promise.all([fromThere(), fromHere()]);
  } catch {
    // Both sides see a connection that is cut, as they do on one machine.
  } finally {
    socket.destroy();
    const tunnel = at;
    if (tunnel !== null) void link.ask((machine) => machine.closeTunnel(tunnel)).catch(() => undefined);
  }
}

async function refuseLate(refusal: () => Promise<string | null>): Promise<void> {
  const reason = await refusal();
  if (reason !== null) throw new Error(reason);
}

const written = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
