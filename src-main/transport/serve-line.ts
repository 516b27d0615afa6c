import { RPCHandler } from "@orpc/server/ws";
import type { Caller } from "../api/host-commands.ts";
import type { HostRouter } from "../api/router.ts";
import type { Host } from "../host-interface.ts";
import type { Entered } from "./entrance.ts";
import { type ClientLine, RequestQueue } from "./request-queue.ts";

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

/** Serves the contract on a wire, within what its client may ask for. @param entered who is at its other end */
export function serveLine(
  handler: RPCHandler<Caller>,
  queue: RequestQueue,
  wire: Wire,
  { isOwnMachine, person }: Omit<Entered, "client">,
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
    // A unique object, by which the host recognises the window.
    context: { isOwnMachine, line: {}, ...(person === undefined ? {} : { person }) },
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

/** What Electron's `MessagePortMain` and Node's `MessagePort` have in common. */
export interface HostPort {
  postMessage(message: unknown): void;
  on(event: "message", listener: (message: unknown) => void): unknown;
  on(event: "close", listener: () => void): unknown;
  start(): void;
  close(): void;
}

/** Electron wraps what was sent in an event; Node hands it over as it is. */
const sent = (message: unknown): unknown =>
  typeof message === "object" && message !== null && "data" in message ? message.data : message;

/** Serves the host's contract on a port, until that closes. The caller has checked who holds the other end. */
export function attachPort(host: Host, port: HostPort): void {
  const wire: Wire = {
    send: (data) => port.postMessage(data),
    onMessage: (listener) => void port.on("message", (message) => listener(sent(message))),
    onClose: (listener) => void port.on("close", listener),
    hangUp: () => port.close(),
  };
  // A port leads to a window of the same program.
  serveLine(createLineHandler(host.router as HostRouter), new RequestQueue(), wire, { isOwnMachine: true });
  port.start();
}
