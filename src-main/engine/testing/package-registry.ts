/** A registry of packages for npm: a real server on this machine's loopback, with packages that the test made. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "../../tools/network/testing/servers.ts";
import type { SandboxOptions } from "../../tools/sandbox/sandbox.ts";

export interface PackageRegistry {
  /** What `.npmrc` names. */
  readonly url: string;
  /** Leads sandboxes to it. */
  readonly network: NonNullable<SandboxOptions["network"]>;
  /** Paths that were asked for. */
  readonly asked: string[];
  /** Archives are given out once this resolves. */
  hold: Promise<void>;
  close(): Promise<void>;
}

const host = "registry.hox.example";

/** @param packages files of each, by `name@version` */
export async function startPackageRegistry(
  packages: Readonly<Record<string, Readonly<Record<string, string>>>>,
): Promise<PackageRegistry> {
  const url = `http://${host}/`;
  const archives = new Map<string, Buffer>();
  const documents = new Map<string, unknown>();
  for (const [id, files] of Object.entries(packages)) {
    const [name = "", version = ""] = id.split("@");
    const manifest = { name, version, main: "index.js", ...JSON.parse(files["package.json"] ?? "{}") };
    const archive = archiveOf({ ...files, "package.json": JSON.stringify(manifest) });
    const path = `/${name}/-/${name}-${version}.tgz`;
    archives.set(path, archive);
    documents.set(`/${name}`, {
      name,
      "dist-tags": { latest: version },
      versions: {
        [version]: {
          ...manifest,
          dist: {
            tarball: `${url}${path.slice(1)}`,
            integrity: `sha512-${createHash("sha512").update(archive).digest("base64")}`,
            shasum: createHash("sha1").update(archive).digest("hex"),
          },
        },
      },
    });
  }
  const server = await serve(async (request, response) => {
    const path = request.url ?? "";
    registry.asked.push(path);
    const archive = archives.get(path);
    const document = documents.get(path);
    if (archive) {
      await registry.hold;
      response.end(archive);
    } else if (document) response.setHeader("content-type", "application/json").end(JSON.stringify(document));
    else response.writeHead(404, { "content-type": "application/json" }).end('{"error":"Not found"}');
  });
  const registry: PackageRegistry = {
    url,
    network: {
      resolveName: async () => [{ address: "93.184.216.34", family: 4 }],
      dial: () => connect(server.port, "127.0.0.1"),
    },
    asked: [],
    hold: Promise.resolve(),
    close: server.close,
  };
  return registry;
}

function archiveOf(files: Readonly<Record<string, string>>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "hox-package-"));
  try {
    mkdirSync(join(folder, "package"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, "package", name), text);
    execFileSync("tar", ["-czf", join(folder, "package.tgz"), "-C", folder, "package"]);
    return readFileSync(join(folder, "package.tgz"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
