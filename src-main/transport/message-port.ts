import type { HostRouter } from "../api/router.ts";
import type { Host } from "../host-interface.ts";
import { RequestQueue } from "./request-queue.ts";
import { createLineHandler, serveLine, type Wire } from "./serve-line.ts";

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
  serveLine(createLineHandler(host.router as HostRouter), new RequestQueue(), wire, true);
  port.start();
}
