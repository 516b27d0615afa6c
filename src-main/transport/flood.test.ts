import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { createORPCClient } from "@orpc/client";
import { RPCLink } from "@orpc/client/websocket";
import type { ContractRouterClient } from "@orpc/contract";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Contract } from "#shared/contract/contract.ts";
import { socketPath, socketProtocols, tokenOf } from "#shared/contract/loopback.ts";
import { createHost } from "../host.ts";
import type { Host } from "../host-interface.ts";
import { createTestRepository, type TestRepository } from "../jj/testing/create-test-repository.ts";
import { type LoopbackServer, serveLoopback } from "./web-socket.ts";

const flood = fileURLToPath(new URL("testing/flood.ts", import.meta.url));
let folder: string;
let host: Host;
let server: LoopbackServer;
let repository: TestRepository;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hox-flood-"));
  repository = await createTestRepository();
  await mkdir(join(folder, "files"));
  host = await createHost({ shell: "browser", version: "0", stateFolder: join(folder, "state") });
  server = await serveLoopback(host, { files: join(folder, "files") });
  await host.openFolder(repository.repository.root);
});
afterAll(async () => {
  await server.close();
  await host.close();
  await repository.remove();
  await rm(folder, { recursive: true, force: true });
});

async function enter(): Promise<string> {
  const origin = `http://127.0.0.1:${server.port}`;
  const answer = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ token: tokenOf(new URL(server.address()).hash) }),
  });
  return ((await answer.json()) as { session: string }).session;
}

test("a client's three thousand concurrent requests are refused beyond a limit, and others do not wait", {
  tags: ["long"],
}, async () => {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}${socketPath}`, socketProtocols(await enter()), {
    origin: `http://127.0.0.1:${server.port}`,
  });
  const { root } = repository.repository;
  const other: ContractRouterClient<Contract> = createORPCClient(
    new RPCLink({ websocket: socket as unknown as globalThis.WebSocket }),
  );
  await other.graph.filter({ repository: root, revset: "root()" });

  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  // Each question costs a jj process, and each is another one.
  const flooding = execa(process.execPath, [
    flood,
    String(server.port),
    await enter(),
    "3000",
    "graph/filter",
    JSON.stringify({ json: { repository: root, revset: 'description("nothing")' } }),
  ]);
  let isOver = false;
  void flooding.finally(() => {
    isOver = true;
  });
  const waits: number[] = [];
  while (!isOver) {
    const asked = performance.now();
    await other.graph.filter({ repository: root, revset: "root()" });
    waits.push(performance.now() - asked);
  }
  delay.disable();
  const { answers, remedy, code, ms } = JSON.parse((await flooding).stdout) as {
    answers: Record<string, number>;
    remedy: string | null;
    code: number;
    ms: number;
  };
  expect(code).toBe(1005);
  const { answered = 0, TOO_MANY_REQUESTS: refused = 0 } = answers;
  expect(answered + refused).toBe(3_000);
  expect(answered).toBeGreaterThan(8);
  expect(refused).toBeGreaterThan(1_000);
  expect(remedy).toMatch(/wait/iu);
  // Shares of the whole, because the machine may be busy: without bounds both are nearly all of it.
  expect(Math.max(...waits)).toBeLessThan(ms / 3);
  expect(delay.percentile(99) / 1e6).toBeLessThan(ms / 3);
  socket.terminate();
});
