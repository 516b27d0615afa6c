import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { tryLock } from "../../config/file-lock.ts";
import { hostAddress } from "../../places/machine/host-request.ts";
import { enrol } from "../../places/machine/join-host.ts";
import { machineProtocol } from "../../places/machine-contract.ts";
import { joinAsWorker } from "./join.ts";
import { wantedBy } from "./replace-worker.ts";
import { workerRows } from "./rows.ts";

describe("worker join", () => {
  it("refuses a second worker in the same folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hox-join-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    vi.stubEnv("HOX_STATE", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const unlock = tryLock(join(folder, "worker", "127.0.0.1_9", "lock"));
    onTestFinished(() => unlock?.());
    await expect(joinAsWorker({ addresses: ["ws://127.0.0.1:9"], json: false } as never)).rejects.toThrow(
      "Another hox worker join for 127.0.0.1:9 runs",
    );
  });

  it("takes only names that a host takes", () => {
    const row = workerRows.find(({ words }) => words === "worker join");
    const option = row?.takes["--name <name>"] as readonly [string, (text: string) => unknown];
    expect(option[1]("my-box.2")).toBe("my-box.2");
    expect(() => option[1]("my box")).toThrow("letters, digits");
  });
});

describe("the program that runs in place of a worker", () => {
  const host = (name: string, protocol: number | null | undefined) => ({
    ...{ address: hostAddress(`wss://${name}.example.org`), folder: name },
    program: protocol == null ? protocol : { protocol, sha256: "0".repeat(64) },
  });
  const own = machineProtocol;

  it.each([
    ["the only host has another version", [host("a", own + 1)], "a"],
    ["the only host has an earlier version", [host("a", own - 1)], "a"],
    ["no host is connected", [host("a", undefined)], undefined],
    ["the host says nothing of it", [host("a", null)], undefined],
    ["one of two hosts has the same version", [host("a", own + 1), host("b", own)], undefined],
    ["the host of the same version is gone", [host("a", undefined), host("b", own + 1)], "b"],
  ])("where %s", (_, hosts, folder) => {
    expect(wantedBy(hosts)?.host.folder).toBe(folder);
  });
});

describe("enrol", () => {
  it.each([
    [400, "", "does not understand"],
    [403, "", "was used"],
    [200, "<html>", "with no key"],
    [200, '{"id":1}', "with no key"],
  ])("says what an answer with status %i and the text %j means", async (status, body, message) => {
    const server = createServer((_, response) => void response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const address = new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/workers`);
    await expect(enrol(address, "text", "box")).rejects.toThrow(message);
  });
});
