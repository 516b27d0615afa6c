import { RPCHandler } from "@orpc/server/ws";
import type { Caller } from "../api/host-commands.ts";
import type { HostRouter } from "../api/router.ts";
import type { ClientLine, RequestQueue } from "./request-queue.ts";

/** What a socket and a message port have in common. */
export interface Wire {
  /** Resolves when the bytes are out: oRPC then asks the event log no faster than the client reads. */
  send(data: string): Promise<void> | void;
  onMessage(listener: (data: unknown) => void): void;
  onClose(listener: () => void): void;
  hangUp(): void;
  pause?(): void;
  resume?(): void;
}

/** oRPC's handler of one router, for any number of lines. */
export const createLineHandler = (router: HostRouter): RPCHandler<Caller> => new RPCHandler(router);

/** Serves the contract on a wire, within what its client may ask for. @param isOwnMachine of the window at its other end */
export function serveLine(
  handler: RPCHandler<Caller>,
  queue: RequestQueue,
  wire: Wire,
  isOwnMachine: boolean,
): void {
  // oRPC's listener resolves when it has answered, at the end of a stream too, and logs its own failures.
  let deliver: (event: { readonly data: string }) => Promise<void> = async () => undefined;
  let closed = (): void => undefined;
  const socket = {
    send: (data: string) => wire.send(data),
    addEventListener: (type: "message" | "close", listener: never) => {
      if (type === "message") deliver = listener;
      else closed = listener;
    },
  };
  void handler.upgrade(socket as unknown as Parameters<typeof handler.upgrade>[0], {
    // An object of its own, by which the host knows the window again.
    context: { isOwnMachine, line: {} },
  });
  const line: ClientLine = {
    start: (frame) => deliver({ data: frame }),
    send: (frame) => void wire.send(frame),
    hangUp: () => wire.hangUp(),
    ...(wire.pause ? { pause: () => wire.pause?.() } : {}),
    ...(wire.resume ? { resume: () => wire.resume?.() } : {}),
  };
  wire.onMessage((data) => queue.take(line, data));
  wire.onClose(() => {
    queue.close(line);
    closed();
  });
}
