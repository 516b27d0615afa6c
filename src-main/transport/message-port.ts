import { RPCHandler } from "@orpc/server/message-port";
import type { HostRouter } from "../api/router.ts";
import type { Host } from "../host-interface.ts";
import { isClientFrame } from "./message-guard.ts";

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
  const handler = new RPCHandler(host.router as HostRouter);
  handler.upgrade({
    postMessage: (message: unknown) => port.postMessage(message),
    addEventListener: (type: string, listener: (event?: unknown) => void) => {
      if (type === "close") port.on("close", () => listener());
      if (type !== "message") return;
      port.on("message", (message) => {
        const data = sent(message);
        if (isClientFrame(data)) listener({ data });
        else port.close();
      });
    },
  });
  port.start();
}
