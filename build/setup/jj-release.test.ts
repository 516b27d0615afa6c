import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32, deflateRawSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fetchJj, jjArchive, type ReleaseArchive } from "./jj-release.mjs";

const run = promisify(execFile);
/** Random, so that it does not shrink and comes in several pieces. */
const program = Buffer.concat([Buffer.from("#!/bin/sh\necho jj 0.45.1\nexit\n"), randomBytes(900_000)]);

let folder: string;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hox-release-"));
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** An archive as jj's are made, by the system's own tar. */
async function tarball(files: Record<string, Buffer> = { jj: program, LICENSE: Buffer.from("terms") }) {
  const from = join(folder, "packed");
  mkdirSync(from);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(from, name), content);
  await run("tar", ["-czf", join(folder, "jj.tar.gz"), "-C", from, "."]);
  return readFileSync(join(folder, "jj.tar.gz"));
}

/** A zip of one deflated file, written by the format's description. */
function zipOf(name: string, content: Buffer): Buffer {
  const data = deflateRawSync(content);
  const facts = Buffer.alloc(22);
  facts.writeUInt16LE(20, 0);
  facts.writeUInt16LE(8, 4);
  facts.writeUInt32LE(crc32(content), 10);
  facts.writeUInt32LE(data.length, 14);
  facts.writeUInt32LE(content.length, 18);
  const lengths = Buffer.from([name.length, 0, 0, 0]);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), facts, lengths, Buffer.from(name), data]);
  const central = Buffer.concat([
    Buffer.from("PK\x01\x02\x14\0"),
    ...[facts, lengths, Buffer.alloc(14), Buffer.from(name)],
  ]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, central, end]);
}

async function serve(answer: Buffer | RequestListener, name = "jj-v0.45.1.tar.gz"): Promise<ReleaseArchive> {
  const listener: RequestListener =
    typeof answer === "function"
      ? answer
      : (_, response) => response.writeHead(200, { "content-length": answer.length }).end(answer);
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const sha256 = Buffer.isBuffer(answer) ? createHash("sha256").update(answer).digest("hex") : "0".repeat(64);
  const { port } = server.address() as AddressInfo;
  return { version: "0.45.1", name, url: `http://127.0.0.1:${port}/${name}`, sha256 };
}

const target = (): string => join(folder, "bin", "jj");
const nothingWasKept = (): void => {
  const left = existsSync(join(folder, "bin")) ? readdirSync(join(folder, "bin")) : [];
  expect(left).toEqual([]);
};

describe("jj's release", () => {
  it("is downloaded, verified and installed with its license, reporting progress", async () => {
    const bytes = await tarball();
    const seen: (readonly [number, number | null])[] = [];
    const fetched = await fetchJj({
      target: target(),
      archive: await serve(bytes),
      onProgress: ({ received, total }) => seen.push([received, total]),
    });
    expect(fetched).toEqual({ version: "0.45.1", license: Buffer.from("terms") });
    expect(readFileSync(target())).toEqual(program);
    if (process.platform !== "win32") expect(statSync(target()).mode & 0o777).toBe(0o755);
    expect(seen.at(-1)).toEqual([bytes.length, bytes.length]);
    expect(readdirSync(join(folder, "bin"))).toEqual(["jj"]);
  });

  it("is a zip for Windows", async () => {
    const archive = await serve(zipOf("jj.exe", program), "jj-v0.45.1.zip");
    await fetchJj({ target: target(), archive });
    expect(readFileSync(target())).toEqual(program);
  });

  it("is not unpacked when it differs from the pinned hash, and the old one stays", async () => {
    const bytes = await tarball();
    const archive = await serve(bytes);
    const swapped = { ...archive, sha256: "f".repeat(64) };
    await expect(fetchJj({ target: target(), archive: swapped })).rejects.toMatchObject({
      kind: "checksum",
      message: expect.stringContaining(archive.sha256),
      remedy: expect.stringContaining("do not use"),
    });
    nothingWasKept();
    await fetchJj({ target: target(), archive });
    await expect(fetchJj({ target: target(), archive: swapped })).rejects.toThrow();
    expect(readFileSync(target())).toEqual(program);
  });

  it("can be cancelled half-way", async () => {
    const archive = await serve((_, response) => {
      response.writeHead(200, { "content-length": 1_000_000 }).write(Buffer.alloc(1000));
    });
    const cancel = new AbortController();
    const fetching = fetchJj({
      target: target(),
      archive,
      signal: cancel.signal,
      onProgress: () => cancel.abort(),
    });
    await expect(fetching).rejects.toMatchObject({ kind: "cancelled" });
    nothingWasKept();
  });

  it("reports why it cannot be downloaded: no server, a refusal, silence", async () => {
    const silent = await serve((_, response) => void response.writeHead(200).write("x"));
    await expect(fetchJj({ target: target(), archive: silent, silentMs: 100 })).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("sent nothing for 0.1 s"),
    });
    server?.closeAllConnections();
    server?.close();
    const gone = await serve((_, response) => void response.writeHead(404).end());
    await expect(fetchJj({ target: target(), archive: gone })).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("404"),
    });
    await new Promise((resolve) => server?.close(resolve));
    await expect(fetchJj({ target: target(), archive: gone })).rejects.toMatchObject({
      kind: "unreachable",
      message: expect.stringContaining("ECONNREFUSED"),
      remedy: expect.stringContaining("cargo install"),
    });
    nothingWasKept();
  });

  it("leaves nothing when it contains no jj or cannot be written", async () => {
    await expect(
      fetchJj({ target: target(), archive: await serve(await tarball({ other: program })) }),
    ).rejects.toMatchObject({ kind: "archive" });
    server?.close();
    const cut = await serve(Buffer.from("no archive at all"));
    await expect(fetchJj({ target: target(), archive: cut })).rejects.toMatchObject({ kind: "archive" });
    server?.close();
    const good = await serve(zipOf("jj.exe", program), "jj.zip");
    mkdirSync(join(folder, "taken"));
    writeFileSync(join(folder, "taken", "in the way"), "");
    await expect(fetchJj({ target: join(folder, "taken"), archive: good })).rejects.toMatchObject({
      kind: "disk",
      remedy: expect.stringContaining("Free disk space"),
    });
    expect(readdirSync(folder).filter((name) => name.startsWith("taken"))).toEqual(["taken"]);
  });

  it("is pinned for the systems that packages are built for", () => {
    for (const [platform, arch] of [
      ["linux", "x64"],
      ["linux", "arm64"],
      ["darwin", "x64"],
      ["darwin", "arm64"],
      ["win32", "x64"],
    ] as const) {
      const archive = jjArchive(platform, arch);
      expect(archive?.sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(archive?.url).toMatch(/^https:\/\/.+\/v0\.45\.1\/jj-v0\.45\.1-.+\.(tar\.gz|zip)$/);
    }
    expect(jjArchive("sunos", "x64")).toBeUndefined();
  });
});
