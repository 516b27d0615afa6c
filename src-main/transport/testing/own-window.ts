import { MessageChannel } from "node:worker_threads";
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/message-port";
import type { HoxClient } from "#shared/contract/contract.ts";
import type { HostEvent } from "#shared/contract/events.ts";
import type { Host } from "../../host-interface.ts";
import { attachPort } from "../serve-line.ts";

/** The window of the user who started the host; its calls name their repository. */
export function openOwnWindow(host: Host) {
  const { port1, port2 } = new MessageChannel();
  attachPort(host, port1);
  port2.start();
  const client: HoxClient = createORPCClient(new RPCLink({ port: port2 }));
  return {
    client,
    close: () => port2.close(),
    async snapshot(): Promise<Extract<HostEvent, { kind: "snapshot" }>> {
      for await (const { event } of await client.watch({ since: null }))
        if (event.kind === "snapshot") return event;
      throw new Error("The stream ended before a snapshot.");
    },
  };
}
