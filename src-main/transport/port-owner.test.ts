import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { execa } from "execa";
import { expect, test } from "vitest";
import { askForAddress, isOwnedByUs, ownerIn } from "./serving-note.ts";

const table = [
  "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
  "   0: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1002        0 11 1",
  "   1: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1003        0 12 1",
  "   2: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001        0 13 1",
].join("\n");

test("a port's owner is the listener at 127.0.0.1, and not a connected one or one at every address", () => {
  expect(ownerIn(table, 8080)).toBe(1001);
  expect(ownerIn(table, 8081)).toBeNull();
  expect(ownerIn(table.split("\n").slice(0, 3).join("\n"), 8080)).toBeNull();
});

test("a secret is sent only to a live process of this user that listens at 127.0.0.1", async () => {
  const heard: unknown[] = [];
  const server = createServer((request, response) => {
    heard.push(request.headers.authorization);
    response.end(JSON.stringify({ address: "http://127.0.0.1/#token=x" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  expect(await isOwnedByUs({ pid: process.pid, port })).toBe(true);
  const ended = execa(process.execPath, ["-e", ""]);
  await ended;
  const gone = { pid: ended.pid ?? 0, port, secret: "s" };
  expect(await askForAddress(gone)).toBeNull();
  expect(heard).toEqual([]);
  expect(await askForAddress({ ...gone, pid: process.pid })).toBe("http://127.0.0.1/#token=x");
  server.close();
  server.closeAllConnections();
});
