/** The provider of an agent that is logged in, behind the proxy of this machine, which knows all names. */
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { onTestFinished, vi } from "vitest";
import { certificateFor, serve } from "../../tools/network/testing/servers.ts";

/** A request as the provider got it. */
interface Asked {
  readonly host: string;
  readonly authorization: string;
}

export interface ProviderBehindProxy {
  readonly asked: readonly Asked[];
  /** Hosts that the proxy was asked for. */
  readonly targets: readonly string[];
  /** How many requests wait for an answer. */
  readonly waiting: () => number;
}

/** @param answers whether it answers; default: always */
export async function providerBehindProxy(answers: () => boolean = () => true): Promise<ProviderBehindProxy> {
  const asked: Asked[] = [];
  const targets: string[] = [];
  let waiting = 0;
  const provider = await serve((request, response) => {
    asked.push({ host: request.headers.host ?? "", authorization: request.headers.authorization ?? "" });
    if (answers()) return response.end("from the provider");
    waiting += 1;
    response.on("close", () => {
      waiting -= 1;
    });
  }, certificateFor("api.anthropic.com"));
  const proxy = createServer();
  proxy.on("connect", (request, client) => {
    targets.push(request.url ?? "");
    const server = connect(provider.port, "127.0.0.1");
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    client.pipe(server).pipe(client);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on("error", () => other.destroy()).on("close", () => other.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    proxy.close();
    proxy.closeAllConnections();
    await provider.close();
  });
  return { asked, targets, waiting: () => waiting };
}
