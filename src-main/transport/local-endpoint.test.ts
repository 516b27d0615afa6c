import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/fetch";
import type { ContractRouterClient } from "@orpc/contract";
import { implement } from "@orpc/server";
import { expect, test } from "vitest";
import { type Contract, contract } from "#shared/contract/contract.ts";
import { type EndpointFile, endpointFile, endpointPath } from "#shared/contract/loopback.ts";
import { eventually } from "../testing/kit.ts";
import { openLocalEndpoint } from "./local-endpoint.ts";
import { workLimits } from "./request-queue.ts";

test("terminals' requests beyond the limit wait, are refused with a remedy, and block none after they left", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hox-endpoint-"));
  let active = 0;
  let begun = 0;
  let refused = 0;
  const ends: (() => void)[] = [];
  const pause = implement(contract.run.pause).handler(async () => {
    begun++;
    active++;
    await new Promise<void>((resolve) => ends.push(resolve));
    active--;
  });
  const endpoint = await openLocalEndpoint(
    { run: { pause }, plan: {}, inbox: {} } as unknown as Parameters<typeof openLocalEndpoint>[0],
    folder,
    folder,
  );
  try {
    const { port, secret } = JSON.parse(await readFile(join(folder, endpointFile), "utf8")) as EndpointFile;
    const url = `http://127.0.0.1:${port}${endpointPath}`;
    const headers = { authorization: `Bearer ${secret}` };
    const { run } = createORPCClient<ContractRouterClient<Pick<Contract, "run">>>(
      new RPCLink({ url, headers: () => headers }),
    );
    const answers = (count: number) =>
      Array.from({ length: count }, () =>
        run.pause({ repository: folder, run: "run" }).then(
          () => "done",
          (error: { code?: string; data?: { remedy?: string } }) => {
            refused++;
            return `${error.code}: ${error.data?.remedy}`;
          },
        ),
      );
    const first = answers(workLimits.active);
    await eventually(() => expect(begun).toBe(workLimits.active));
    // Somebody who presses Ctrl-C while they wait.
    const gone = request(`${url}/run/pause`, {
      method: "POST",
      headers: { ...headers, "content-length": 2 },
    });
    gone.on("error", () => undefined).end("{}");
    await new Promise((resolve) => setTimeout(resolve, 200));
    const more = answers(workLimits.waiting + 4);
    await eventually(() => expect(refused).toBe(5));
    expect(begun).toBe(workLimits.active);
    gone.destroy();
    await new Promise((resolve) => setTimeout(resolve, 200));

    let most = 0;
    let isOver = false;
    const all = Promise.all([...first, ...more]).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      most = Math.max(most, active);
      ends.shift()?.();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const given = await all;
    const count = (words: string) => given.filter((one) => one.startsWith(words)).length;
    expect(most).toBe(workLimits.active);
    expect(count("done")).toBe(begun);
    expect(count("TOO_MANY_REQUESTS: Wait for")).toBe(5);
    expect(given).toHaveLength(begun + 5);
  } finally {
    for (const end of ends) end();
    await endpoint.close();
    await rm(folder, { recursive: true, force: true });
  }
});
