import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { tryLock } from "../../config/file-lock.ts";
import { enrol } from "../../places/machine/join-host.ts";
import { joinAsWorker } from "./join.ts";
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
