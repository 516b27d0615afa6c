/** The host's end of one machine's connection. */
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/websocket";
import { ResponseValidationPlugin } from "@orpc/contract/plugins";
import type { WebSocket } from "ws";
import { createEnding } from "#shared/async/ending.ts";
import { createSerial, type Serial } from "#shared/async/serial.ts";
import { type Contact, contactOf, type LeaseTimes } from "#shared/domain/places/lease.ts";
import {
  type MachineAbout,
  type MachineClient,
  machineContract,
  machineProtocol,
} from "../machine-contract.ts";
import type { MachineRow, Machines, Places } from "../places-interface.ts";
import { PoolUnreachable } from "../pool-unreachable.ts";

/** The machine does not answer any more; what it was doing is lost. */
export class MachineGone extends Error {
  override readonly name = "MachineGone";
}

export interface MachineLink {
  readonly id: string;
  readonly name: string;
  readonly about: MachineAbout;
  contact(): Contact;
  /** Asks it something. @throws MachineGone where it goes before it answers */
  ask<T>(question: (client: MachineClient) => Promise<T>): Promise<T>;
  /** Objects of one repository go there one transfer after the other: two may have the same files. */
  readonly transfers: Serial;
  readonly closed: Promise<void>;
  close(reason: string): void;
}

interface LinkParts {
  readonly places: Places;
  readonly machines: Machines;
  /** Places that work in this process uses: others end with their lease. */
  readonly wanted: ReadonlySet<string>;
  readonly monotonic: () => number;
  readonly times: LeaseTimes;
}

/** @returns once the machine has said what it is, and has answered as often as it needs to work */
export async function linkMachine(
  socket: WebSocket,
  { id, name }: MachineRow,
  { places, machines, wanted, monotonic, times }: LinkParts,
): Promise<MachineLink> {
  const client: MachineClient = createORPCClient(
    new RPCLink({
      websocket: socket as unknown as globalThis.WebSocket,
      plugins: [new ResponseValidationPlugin(machineContract)],
    }),
  );
  const { promise: closed, resolve: setClosed } = Promise.withResolvers<void>();
  const ending = createEnding();
  const end = (): void => {
    setClosed();
    ending.end(new MachineGone(`The worker ${name} is gone.`));
  };
  socket.once("close", end);
  socket.on("error", () => socket.terminate());
  if (socket.readyState > 1) end();
  const ask: MachineLink["ask"] = async (question) => {
    try {
      return await ending.orEnd(question(client));
    } catch (error) {
      // A call may fail because of the same end, a little earlier.
      if (socket.readyState > 1) throw new MachineGone(`The worker ${name} is gone.`);
      throw error;
    }
  };

  // One that says nothing has no heartbeat yet.
  const silence = setTimeout(() => socket.terminate(), times.goneMs);
  void closed.then(() => clearTimeout(silence));
  const said = await ask((machine) => machine.about());
  const agents = said.protocol === machineProtocol ? await ask((machine) => machine.agents()) : [];
  const { name: _, ...rest } = said;
  const about: MachineAbout = { ...rest, agents };
  let heardAt = monotonic();
  let confirmed: number | null = null;
  let isAsking = false;
  const beat = async (): Promise<void> => {
    if (contactOf(heardAt, monotonic(), times) === "gone") return socket.terminate();
    if (isAsking) return;
    isAsking = true;
    try {
      if (!(await machines.all()).some((one) => one.id === id))
        return socket.close(1008, "This worker was removed.");
      const held = (await places.held()).filter(({ machine }) => machine === id);
      const asked = { confirmed, held: held.map((one) => ({ place: one.id, epoch: one.epoch })) };
      const { number } = await ask((machine) => machine.beat(asked));
      const answeredAt = monotonic();
      await places.renew(id, [...wanted]);
      // Only now the leases last longer, wherever they are kept, and so may the machine's own work.
      heardAt = answeredAt;
      confirmed = number;
      await machines.heard(id, about);
    } finally {
      isAsking = false;
    }
  };
  // A machine works only after its first answer was confirmed.
  await beat();
  await beat();
  clearTimeout(silence);
  const beats = setInterval(() => {
    beat().catch((error: unknown) => {
      if (!(error instanceof MachineGone || error instanceof PoolUnreachable)) socket.terminate();
    });
  }, times.heartbeatMs);
  void closed.then(() => clearInterval(beats));

  return {
    ...{ id, name, about, ask, closed },
    transfers: createSerial(),
    contact: () => (socket.readyState > 1 ? "gone" : contactOf(heardAt, monotonic(), times)),
    close(reason) {
      socket.close(1001, reason);
      setTimeout(() => socket.terminate(), 300).unref();
    },
  };
}
