import { mkdirSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { Ports } from "#shared/domain/worker/worker-record.ts";
import { tempDir } from "../../testing/kit.ts";
import { leasePorts } from "./port-leases.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = tempDir();
  file = join(folder, "state", "ports.sqlite");
});

const workspace = (name: string): string => {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
};

const overlap = (one: Ports, other: Ports): boolean =>
  one.base < other.base + other.count && other.base < one.base + one.count;

test("every workspace has a separate range, keeps it, and releases it with its folder", async () => {
  const wish = { first: 30_000, count: 10 };
  const names = Array.from({ length: 12 }, (_, index) => `agent-${index}`);
  // Several at once, as the agents of a phase begin.
  const leased = await Promise.all(names.map((name) => leasePorts(file, workspace(name), wish)));
  const ranges = leased.flatMap((ports) => (ports ? [ports] : []));
  expect(ranges).toHaveLength(12);
  for (const [index, one] of ranges.entries())
    for (const other of ranges.slice(index + 1)) expect(overlap(one, other)).toBe(false);

  expect(await leasePorts(file, workspace("agent-3"), wish)).toEqual(leased[3]);
  // A range of another size steps around all of them.
  const wide = await leasePorts(file, workspace("wide"), { first: 30_005, count: 40 });
  expect(ranges.some((one) => wide && overlap(one, wide))).toBe(false);

  rmSync(join(folder, "agent-3"), { recursive: true });
  expect(await leasePorts(file, workspace("another"), wish)).toEqual(leased[3]);
});

test("ports in use are skipped, and there is no range when none is left", async () => {
  const server = await new Promise<Server>((resolve) => {
    const made = createServer();
    made.listen({ port: 0, host: "127.0.0.1" }, () => resolve(made));
  });
  const { port } = server.address() as AddressInfo;
  const ports = await leasePorts(file, workspace("a"), { first: port, count: 1 });
  expect(ports?.base).toBeGreaterThan(port);
  server.close();
  expect(await leasePorts(file, workspace("b"), { first: 65_530, count: 10 })).toBeNull();
  expect(await leasePorts(file, workspace("c"), { first: 30_000, count: 0 })).toBeNull();
});
