import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { bundleJj } from "./bundled-jj.mjs";

let folder: string;
let server: Server;
let asked = 0;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hox-bundled-"));
  asked = 0;
});
afterEach(() => {
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

function tar(files: Readonly<Record<string, string>>): Buffer {
  const parts = Object.entries(files).map(([name, content]) => {
    const head = Buffer.alloc(512);
    head.write(`./${name}`);
    head.write(content.length.toString(8).padStart(11, "0"), 124);
    head.write("0", 156);
    return Buffer.concat([head, Buffer.from(content.padEnd(512, "\0"))]);
  });
  return gzipSync(Buffer.concat([...parts, Buffer.alloc(1024)]));
}

async function release(files: Readonly<Record<string, string>>) {
  const bytes = tar(files);
  server = createServer((_, response) => {
    asked++;
    response.end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jj.tar.gz`;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { version: "0.45.1", name: "jj.tar.gz", url, sha256 };
}

const bundle = async (more: object): Promise<{ bundled: boolean; output: string }> => {
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const bundled = await bundleJj({ folder, platform: "linux", arch: "x64", say, ...more });
  return { bundled, output: lines.join("\n") };
};

it("downloads jj with its licence once per release, for all packages", async () => {
  const archive = await release({ jj: "program", LICENSE: "terms" });
  expect(await bundle({ archive })).toMatchObject({ bundled: true });
  expect(await bundle({ archive })).toEqual({ bundled: true, output: "" });
  expect(asked).toBe(1);
  const own = join(folder, "linux-x64", "jj");
  expect(readdirSync(own).sort()).toEqual(["LICENSE", "jj"]);
  expect(readFileSync(join(own, "LICENSE"), "utf8")).toBe("terms");
  server.close();
  const next = await release({ jj: "another", LICENSE: "terms" });
  await bundle({ archive: next });
  expect(readFileSync(join(own, "jj"), "utf8")).toBe("another");
});

it("a package is made without jj where it cannot be had or may not be passed on, and that is said", async () => {
  const archive = await release({ jj: "program" });
  const withoutTerms = await bundle({ archive });
  expect(withoutTerms).toMatchObject({ bundled: false, output: expect.stringContaining("LICENSE") });
  expect(readdirSync(join(folder, "linux-x64", "jj"))).toEqual([]);
  await new Promise((resolve) => server.close(resolve));
  expect((await bundle({ archive })).output).toMatch(/ECONNREFUSED.*offers to download it/s);
  const unknown = await bundle({ platform: "freebsd", archive: undefined });
  expect(unknown).toMatchObject({ bundled: false, output: expect.stringContaining("freebsd") });
  expect(existsSync(join(folder, "freebsd-x64", "jj"))).toBe(true);
});
