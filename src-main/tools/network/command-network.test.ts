import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { findTool } from "../../config/tools.ts";
import { tempDir } from "../../testing/kit.ts";
import { type CommandNetwork, type CommandNetworkOptions, openCommandNetwork } from "./command-network.ts";
import type { RefusedConnection } from "./network-refusal.ts";
import { type Certificate, certificateFor, exchange, type RunningServer, serve } from "./testing/servers.ts";

let certificate: Certificate;
let folder: string;
let tls: RunningServer;
let plain: RunningServer;
let refused: RefusedConnection[];
let network: CommandNetwork | null;
let opened: CommandNetwork[];

beforeAll(() => {
  certificate = certificateFor("allowed.example");
});
beforeEach(async () => {
  folder = tempDir();
  writeFileSync(join(folder, "ca.pem"), certificate.cert);
  refused = [];
  opened = [];
  network = null;
  tls = await serve((asked, response) => response.end(`reached ${asked.headers.host}`), certificate);
  plain = await serve((asked, response) => response.end(`plain ${asked.headers.host}`));
});
afterEach(async () => {
  await Promise.all([tls.close(), plain.close(), ...opened.map((one) => one.close())]);
});

async function open(over: Partial<CommandNetworkOptions> = {}): Promise<CommandNetwork | null> {
  network = await openCommandNetwork({
    hosts: ["allowed.example"],
    node: process.execPath,
    folder,
    environment: {},
    onRefused: (one) => refused.push(one),
    resolveName: async () => [{ address: "93.184.216.34", family: 4 }],
    dial: (_, port) => connect(port === 80 ? plain.port : tls.port, "127.0.0.1"),
    ...over,
  });
  if (network) opened.push(network);
  return network;
}

// There is no sandbox on Windows.
const itWhereSandboxed = it.skipIf(process.platform === "win32");

itWhereSandboxed("is nothing at all without a host on the list", async () => {
  expect(await open({ hosts: [] })).toBeNull();
  expect(readdirSync(folder)).toEqual(["ca.pem"]);
});

itWhereSandboxed("opens nothing for an entry that cannot be read, and leaves nothing behind", async () => {
  await expect(open({ hosts: ["allowed.example", "*"] })).rejects.toThrow(
    '"*" in sandbox.hosts must have a single star',
  );
  const deep = join(folder, "deep".repeat(25));
  mkdirSync(deep);
  await expect(open({ folder: deep })).rejects.toThrow(
    "is too long for a Unix socket (103 bytes). Set HOX_STATE",
  );
  expect(readdirSync(deep)).toEqual([]);
});

itWhereSandboxed("lets nobody else in, and takes everything with it when it closes", async () => {
  await open();
  const socket = network?.mounts.find(({ destination }) => destination.endsWith("/proxy"))?.source ?? "";
  expect(statSync(socket).mode & 0o777).toBe(0o600);
  expect(statSync(join(socket, "..")).mode & 0o777).toBe(0o700);
  await network?.close();
  expect(readdirSync(folder)).toEqual(["ca.pem"]);
});

itWhereSandboxed("tells every tool where its proxy is, and takes out what leads past it", async () => {
  await open({ environment: { HTTPS_PROXY: "http://user:canary@proxy.corp.example:8080" } });
  const proxy = "http://127.0.0.1:3128";
  expect(network?.environment).toMatchObject({
    ...{ HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy },
    ...{ npm_config_proxy: proxy, npm_config_https_proxy: proxy, CARGO_HTTP_PROXY: proxy, PIP_PROXY: proxy },
    NO_PROXY: "localhost,127.0.0.1,::1",
  });
  expect(network?.unsetEnvironment).toEqual([
    "ALL_PROXY",
    "all_proxy",
    "CARGO_NET_OFFLINE",
    "npm_config_offline",
  ]);
  expect(JSON.stringify(network)).not.toContain("canary");
});

interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly ms: number;
}

/** Runs a command in a sandbox of its own, with the network of the test or with none. */
function run(command: readonly string[], timeoutMs = 60_000): Promise<Ended> {
  const bwrap = findTool("sandbox");
  if (!bwrap.found) throw new Error(bwrap.remedy);
  const links = ["/bin", "/sbin", "/lib", "/lib64"].flatMap((path) => {
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink()
      ? ["--symlink", readlinkSync(path), path]
      : ["--ro-bind", path, path];
  });
  const environment = { PATH: "/usr/bin:/bin", ...network?.environment, NODE_EXTRA_CA_CERTS: "/ca.pem" };
  const args = [
    ...[
      "--unshare-all",
      "--unshare-user",
      "--cap-drop",
      "ALL",
      "--die-with-parent",
      "--new-session",
      "--clearenv",
    ],
    ...[
      "--ro-bind",
      "/usr",
      "/usr",
      ...links,
      "--proc",
      "/proc",
      "--dev",
      "/dev",
      "--tmpfs",
      "/tmp",
      "--tmpfs",
      "/run",
    ],
    ...["--ro-bind", process.execPath, "/tmp/node", "--ro-bind", join(folder, "ca.pem"), "/ca.pem"],
    ...(network?.mounts ?? []).flatMap(({ source, destination }) => ["--ro-bind", source, destination]),
    ...Object.entries(environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...["--", ...(network?.prefix ?? []), ...command],
  ];
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(bwrap.path, args, { env: {}, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += chunk;
      });
    const timer = setTimeout(() => child.kill("SIGKILL"), timeoutMs);
    child.on("error", reject);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ code, output, ms: performance.now() - begun });
    });
  });
}

/** Asks as Node's fetch does over TLS, and as most clients do without. */
const fetching = (...urls: readonly string[]): readonly string[] => [
  "/tmp/node",
  "--input-type=module",
  "-e",
  `import { get } from "node:http";
  const plain = (url) => new Promise((resolve, reject) => get(url, (answer) => resolve(answer)).on("error", reject));
  for (const url of ${JSON.stringify(urls)}) {
    try {
      if (url.startsWith("https")) { const answer = await fetch(url); console.log(url, answer.status, await answer.text()); }
      else { const answer = await plain(url); console.log(url, answer.statusCode, Buffer.concat(await answer.toArray()).toString()); }
    } catch (error) { console.log(url, "failed", error.cause?.message ?? error.code); }
  }`,
];

describe.runIf(process.platform === "linux")("in a sandbox without network access", () => {
  it("reaches listed hosts, with and without TLS, and gets the reason for others", async () => {
    await open();
    const urls = [
      "https://allowed.example/",
      "http://allowed.example/",
      "http://evil.example/",
      "https://evil.example/",
    ];
    const { output, code } = await run(fetching(...urls));
    expect(output).toContain("https://allowed.example/ 200 reached allowed.example");
    expect(output).toContain("http://allowed.example/ 200 plain allowed.example");
    expect(output).toContain("http://evil.example/ 403 Hox: evil.example is not an allowed host.");
    expect(output).toMatch(/https:\/\/evil\.example\/ failed/u);
    expect(code).toBe(0);
    expect(refused.map(({ target }) => target)).toEqual(["evil.example:80", "evil.example:443"]);
  });

  it("reaches nothing past the proxy: no port of the machine, no name, no other interface", async () => {
    await open();
    const script = `
      const net = require("node:net"), dns = require("node:dns"), os = require("node:os"), dgram = require("node:dgram");
      const tried = (name, socket) => { socket.on("connect", () => console.log(name, "reached")); socket.on("error", (error) => console.log(name, error.code)); };
      tried("loopback", net.connect(${plain.port}, "127.0.0.1"));
      tried("metadata", net.connect(80, "169.254.169.254"));
      tried("internet", net.connect(443, "1.1.1.1"));
      tried("abstract", net.connect({ path: "\\0hox-canary" }));
      dns.resolve("allowed.example", (error) => console.log("dns", error?.code ?? "reached"));
      dgram.createSocket("udp4").send("x", 53, "1.1.1.1", (error) => { console.log("udp", error?.code ?? "reached"); process.exitCode = 0; setTimeout(() => process.exit(), 500); });
      console.log("interfaces", Object.keys(os.networkInterfaces()).join());`;
    const { output } = await run(["/tmp/node", "-e", script]);
    expect(output).not.toContain("reached");
    expect(output).toContain("interfaces lo");
    expect(output.match(/^(loopback|metadata|internet|abstract|udp) E/gmu)).toHaveLength(5);
  });

  it("has no proxy when no host is listed", async () => {
    await open({ hosts: [] });
    expect((await run(fetching("http://allowed.example/"))).output).toMatch(/failed (ENOTFOUND|EAI_AGAIN)/u);
  });

  it("uses the list that it was started with", async () => {
    const first = await open();
    await open({ hosts: ["other.example"] });
    expect((await run(fetching("http://allowed.example/"))).output).toContain("403");
    network = first;
    expect((await run(fetching("http://allowed.example/"))).output).toContain("200");
  });

  it("can neither write to the parts of its network nor replace them", async () => {
    await open();
    const parts = network?.mounts.map(({ destination }) => destination) ?? [];
    expect(parts).toHaveLength(3);
    const attacks = parts.map(
      (path) => `echo x > ${path}; rm -f ${path}; mv ${path} /tmp/moved; chmod 777 ${path}`,
    );
    const { output } = await run(["/bin/sh", "-c", `${attacks.join("; ")}; ls /run/hox-network`]);
    expect(
      output.match(/Read-only file system|busy|Permission denied|No such device/gu)?.length,
    ).toBeGreaterThanOrEqual(11);
    expect(output).toContain("forwarder.mjs\nnode\nproxy");
    const socket = network?.mounts.find(({ destination }) => destination.endsWith("/proxy"))?.source ?? "";
    expect(statSync(socket).mode & 0o777).toBe(0o600);
  });

  it("is held to the same rules at the socket as behind the forwarder", async () => {
    await open();
    const script = `const socket = require("node:net").connect("/run/hox-network/proxy");
      socket.write("CONNECT 127.0.0.1:${plain.port} HTTP/1.1\\r\\nHost: 127.0.0.1:${plain.port}\\r\\n\\r\\n");
      socket.pipe(process.stdout);`;
    expect((await run(["/tmp/node", "-e", script])).output).toContain("403 Forbidden");
  });

  it.each([
    [["/bin/sh", "-c", "exit 0"], 0],
    [["/bin/sh", "-c", "exit 3"], 3],
    [["/bin/sh", "-c", "kill -9 $$"], 137],
    [["/bin/sh", "-c", "kill -15 $$"], 143],
    [["no-such-program"], 127],
    [["/run"], 126],
  ])("ends as its command did: %j with %i", async (command, code) => {
    await open();
    expect((await run(command)).code).toBe(code);
  });

  it("ends with its command, whatever that leaves running and open", async () => {
    await open();
    const left = `setsid sleep 100 & /tmp/node -e 'require("node:net").connect(3128, "127.0.0.1"); setInterval(() => {}, 1000)' & sleep 0.3; exit 5`;
    const ended = await run(["/bin/sh", "-c", left]);
    expect(ended.code).toBe(5);
    // Before what it left would end.
    expect(ended.ms).toBeLessThan(50_000);
  });

  it("passes on an answer that is longer than any buffer, byte for byte", async () => {
    await plain.close();
    plain = await serve((_, response) => response.end(Buffer.alloc(5_000_000, "0123456789")));
    await open();
    const script = `require("node:http").get("http://allowed.example/", async (a) => { const b = Buffer.concat(await a.toArray()); console.log(b.length, require("node:crypto").createHash("sha1").update(b).digest("hex")) })`;
    const hash = createHash("sha1").update(Buffer.alloc(5_000_000, "0123456789")).digest("hex");
    expect((await run(["/tmp/node", "-e", script])).output.trim()).toBe(`5000000 ${hash}`);
  });

  it("shows nothing of the machine's own proxy", async () => {
    await open({ environment: { HTTPS_PROXY: "http://user:canary@127.0.0.1:1" } });
    const { output } = await run(["/bin/sh", "-c", "env; cat /proc/*/environ /proc/*/cmdline"]);
    expect(output).toContain("HTTPS_PROXY=http://127.0.0.1:3128");
    expect(output).not.toContain("canary");
    const socket = network?.mounts.find(({ destination }) => destination.endsWith("/proxy"))?.source ?? "";
    const answer = await exchange(
      socket,
      "GET http://allowed.example/ HTTP/1.1\r\nHost: allowed.example\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 502 /u);
    expect(answer).not.toMatch(/canary|dXNlcjp/u);
  });
});
