import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { ReleaseArchive } from "../../build/setup/jj-release.mjs";
import { findTool } from "../config/tools.ts";
import { tempDir } from "../testing/kit.ts";
import { installJj } from "./install-jj.ts";

let folder: string;
let server: Server;
beforeEach(() => {
  folder = tempDir();
});
afterEach(() => {
  vi.unstubAllGlobals();
  server?.close();
});

/** One file of a tar archive: a header with its name and size, then its bytes. */
function tarOf(name: string, content: string): Buffer {
  const head = Buffer.alloc(512);
  head.write(name);
  head.write(content.length.toString(8).padStart(11, "0"), 124);
  head.write("0", 156);
  return gzipSync(Buffer.concat([head, Buffer.from(content.padEnd(512, "\0")), Buffer.alloc(1024)]));
}

async function release(script: string): Promise<ReleaseArchive> {
  const bytes = tarOf("./jj", `#!/bin/sh\n${script}\n`);
  server = createServer((_, response) => response.end(bytes));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const { port } = server.address() as AddressInfo;
  return { version: "0.45.1", name: "jj.tar.gz", url: `http://127.0.0.1:${port}/jj.tar.gz`, sha256 };
}

const target = (): string =>
  join(folder, "tools", "jj", "bin", process.platform === "win32" ? "jj.exe" : "jj");

it("a downloaded jj is used from then on", async () => {
  expect(findTool("jj", folder, [])).toMatchObject({ found: false });
  expect(await installJj({ target: target(), archive: await release("echo jj 0.45.1-abc") })).toBe("0.45.1");
  expect(findTool("jj", folder, [])).toMatchObject({ found: true, path: target(), from: "set-up" });
});

it("a jj that does not start replaces none", async () => {
  mkdirSync(join(target(), ".."), { recursive: true });
  writeFileSync(target(), "the one before");
  const archive = await release("echo cannot load the library >&2; exit 127");
  await expect(installJj({ target: target(), archive })).rejects.toMatchObject({
    message: expect.stringContaining("cannot load the library"),
    remedy: expect.stringContaining("Install Jujutsu"),
  });
  expect(readFileSync(target(), "utf8")).toBe("the one before");
  expect(readdirSync(join(target(), ".."))).toHaveLength(1);
});

it("the bundled jj needs no network", async () => {
  vi.stubGlobal("process", Object.assign(Object.create(process), { resourcesPath: folder }));
  mkdirSync(join(folder, "jj"));
  const bundled = join(folder, "jj", process.platform === "win32" ? "jj.exe" : "jj");
  writeFileSync(bundled, "#!/bin/sh\necho jj 0.45.1\n", { mode: 0o755 });
  expect(await installJj({ target: target() })).toBe("0.45.1");
  expect(existsSync(target())).toBe(true);
});
