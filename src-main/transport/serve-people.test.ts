import { execFile, spawn } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tokenOf } from "#shared/contract/loopback.ts";
import { invitationView } from "#shared/domain/places/machine-view.ts";
import { openWorkerMachines } from "../engine/testing/worker-machines.ts";
import { createHost } from "../host.ts";
import type { Host } from "../host-interface.ts";
import { createPeople, hostOwner, invitationAddress } from "../people/people.ts";
import { hostAddress } from "../places/machine/host-request.ts";
import { enrol } from "../places/machine/join-host.ts";
import { machineProtocol } from "../places/machine-contract.ts";
import { eventually } from "../testing/kit.ts";
import { type PeopleServer, type PeopleServerOptions, servePeople, trustedProxy } from "./serve-people.ts";
import { accept, ask, askForSession, openWindow, type Server, type Window } from "./testing/people-client.ts";
import { selfSignedCertificate } from "./testing/self-signed-certificate.ts";
import { serveLoopback } from "./web-socket.ts";
import { openWorkerDoor } from "./worker-door.ts";

const cli = fileURLToPath(new URL("../cli.ts", import.meta.url));
const certificate = selfSignedCertificate(["localhost", "127.0.0.1"]);
let folder: string;
let stateFolder: string;
let host: Host;
let options: PeopleServerOptions;
let served: PeopleServer;
let server: Server;
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hox-people-"));
  stateFolder = join(folder, "state");
  const files = join(folder, "renderer");
  await mkdir(files);
  await writeFile(join(files, "index.html"), "<!doctype html>the page");
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  await writeFile(cert, certificate.cert);
  await writeFile(key, certificate.key);
  host = await createHost({ shell: "browser", version: "0", stateFolder });
  options = {
    ...{ listen: "127.0.0.1", tls: { cert, key }, proxy: null, publicAddress: null },
    ...{ files, people: host.people },
  };
  served = await servePeople(host, options);
  host.listensForPeople(served);
  server = { ...served, ca: certificate.cert };
  ends.push(served.close, () => host.close());
});
afterAll(async () => {
  for (const end of ends) await end();
  await rm(folder, { recursive: true, force: true });
});

const invite = (name: string, role: "watch" | "steer" | "approve" | "own" = "watch", hours = 1): string =>
  invitationAddress(served.origin, host.people.invite({ name, role, repository: null, hours }).token);

async function windowOf(name: string, role?: Parameters<typeof invite>[1]): Promise<Window> {
  const opened = await openWindow(server, await accept(server, invite(name, role)));
  if (typeof opened === "number") throw new Error(`refused: ${opened}`);
  return opened;
}

const post = (body: unknown, headers: Record<string, string | undefined>) =>
  ask(server, "/session", {
    method: "POST",
    headers: { origin: served.origin, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

describe("servePeople", () => {
  it("listens for others only with TLS, or behind a proxy whose address is known", async () => {
    const open = { ...options, tls: null };
    await expect(servePeople(host, open)).rejects.toMatchObject({
      message: expect.stringContaining("without TLS"),
      remedy: expect.stringContaining("--tls-cert"),
    });
    const proxy = { header: "x-user", address: "127.0.0.1", secret: null };
    await expect(servePeople(host, { ...open, proxy })).rejects.toMatchObject({
      remedy: expect.stringContaining("proxy.publicAddress"),
    });
  });

  it("takes workers at the same address, with TLS", async () => {
    const workers = await openWorkerMachines();
    ends.push(workers.close);
    const both = await servePeople({ ...host, machines: workers.requests }, options);
    ends.push(both.close);
    // No authority vouches for its certificate, so the address does.
    const fingerprint = new X509Certificate(certificate.cert).fingerprint256
      .replaceAll(":", "")
      .toLowerCase();
    expect(both.workers).toBe(`wss://localhost:${both.port}#${fingerprint}`);
    const worker = spawn(
      process.execPath,
      [
        cli,
        "worker",
        "join",
        both.workers ?? "",
        "--name",
        "box",
        "--invitation",
        await workers.machines.invite(),
      ],
      {
        env: { ...process.env, HOX_STATE: join(folder, "box") },
        stdio: "ignore",
      },
    );
    ends.unshift(async () => void worker.kill("SIGKILL"));
    await workers.until("the worker is connected", async () =>
      (await workers.machines.all()).some(({ name, heardAt }) => name === "box" && heardAt !== null),
    );
    // A page gets no further with it, and people are served as before.
    const page = { ...both, ca: certificate.cert };
    const asked = { method: "POST", headers: { origin: both.origin, "content-type": "application/json" } };
    expect((await ask(page, "/workers", { ...asked, body: "{}" })).status).toBe(404);
    expect((await ask(page, "/")).status).toBe(200);
  });

  it("gives machines a program, and neither invitation nor key to a host with another certificate", async () => {
    const workers = await openWorkerMachines();
    ends.push(workers.close);
    const bytes = Buffer.from("console.log(process.argv.slice(2).join(' '));");
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const program = { bytes, sha256, protocol: machineProtocol };
    const door = await openWorkerDoor({ ...workers, program }, 0);
    ends.push(door.close);
    const both = await servePeople({ ...host, machines: door.requests }, options);
    ends.push(both.close);
    const invitation = await workers.machines.invite();
    const commandFor = (direct: string) =>
      invitationView(invitation, { port: 0, direct, expiresAt: 0, program: sha256 }).withoutHox ?? "";
    const runIn = async (name: string, command: string) => {
      const cwd = join(folder, name);
      await mkdir(cwd);
      const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
      return promisify(execFile)("sh", ["-c", command], { cwd, env: { PATH } });
    };
    const address = both.workers ?? "";
    const { stdout } = await runIn("bare", commandFor(address));
    expect(stdout).toBe(`worker join ${address} --invitation ${invitation}\n`);
    // The same without a fingerprint: no authority vouches for it.
    const refused = { stderr: expect.stringContaining("self-signed certificate"), stdout: "" };
    await expect(runIn("unpinned", commandFor(address.replace(/#.*/u, "")))).rejects.toMatchObject(refused);
    const other = address.replace(/#.*/u, `#${"0".repeat(64)}`);
    const another = {
      stderr: "localhost shows another certificate than that of the invitation.\n",
      stdout: "",
    };
    await expect(runIn("other", commandFor(other))).rejects.toMatchObject(another);
    expect(await readdir(join(folder, "other"))).toEqual([]);
    await expect(enrol(hostAddress(other), invitation, "box")).rejects.toThrow("shows another certificate");
    expect(await enrol(hostAddress(address), invitation, "box")).toMatchObject({ id: expect.any(String) });
  });

  it.each([
    ["a key that is not there", { tls: { cert: "", key: "/nowhere/key.pem" } }, "Can't read the"],
    ["an address of no machine", { listen: "not an address:x" }, "is not an address to listen on"],
    ["an address of another machine", { listen: "203.0.113.7:0" }, "is not an address of this machine"],
  ])("refuses %s with what to do", async (_, wrong, message) => {
    await expect(servePeople(host, { ...options, ...wrong })).rejects.toMatchObject({
      message: expect.stringContaining(message),
      remedy: expect.any(String),
    });
  });

  it.each([
    ["only names with a star", ["*.example.com"], "is for *.example.com"],
    ["no names", [], "names no address"],
  ])(
    "refuses a certificate with %s where nothing else says where people open it",
    async (_, names, message) => {
      const made = selfSignedCertificate(names);
      const tls = { cert: join(folder, "star.pem"), key: join(folder, "star.key") };
      await writeFile(tls.cert, made.cert);
      await writeFile(tls.key, made.key);
      await expect(servePeople(host, { ...options, listen: "0.0.0.0", tls })).rejects.toMatchObject({
        message: expect.stringContaining(message),
        remedy: expect.stringContaining("proxy.publicAddress"),
      });
      const publicAddress = "https://hox.example.com";
      const { origin, close } = await servePeople(host, { ...options, tls, publicAddress });
      expect(origin).toBe(publicAddress);
      await close();
    },
  );

  it("outlives a list of people that cannot be read for a while, and says so once", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined);
    let looks = 0;
    const look = (): void => {
      if (looks++ > 0) throw new Error("disk I/O error");
    };
    const { close } = await servePeople(host, { ...options, people: { ...host.people, look } });
    await eventually(() => expect(looks).toBeGreaterThan(3));
    await close();
    expect(printed.mock.calls.map(([text]) => text)).toEqual([
      expect.stringContaining("the list of people cannot be read"),
    ]);
    printed.mockRestore();
  });

  it("refuses a file that is no certificate", async () => {
    const cert = join(folder, "none.pem");
    await writeFile(cert, "not a certificate");
    await expect(servePeople(host, { ...options, tls: { cert, key: cert } })).rejects.toMatchObject({
      message: expect.stringContaining("is not a certificate"),
    });
  });

  it("calls itself by its certificate, and lets pages connect encrypted only", async () => {
    expect(served.origin).toBe(`https://localhost:${served.port}`);
    const { status, body, headers } = await ask(server, "/");
    expect([status, body]).toEqual([200, "<!doctype html>the page"]);
    expect(headers["content-security-policy"]).toContain(
      `connect-src 'self' wss://localhost:${served.port};`,
    );
  });

  it("hangs up on clients that do not encrypt", async () => {
    await expect(ask({ ...server, ca: null }, "/")).rejects.toThrow();
  });

  it.each([
    ["the name of another site that leads here", { host: "evil.example:443" }, 403],
    ["its own name at another port", { host: "localhost:1" }, 403],
    ["no name", { host: undefined }, 400],
    ["a page of another site", { origin: "https://evil.example" }, 403],
    ["a page that is not encrypted", { origin: "http://localhost" }, 403],
    ["a page that does not say where it is from", { origin: undefined }, 403],
    ["a page without a place", { origin: "null" }, 403],
    ["a form", { "content-type": "text/plain" }, 415],
  ])("refuses %s", async (_, headers, status) => {
    const address = invite("Refused");
    const token = tokenOf(new URL(address).hash);
    expect((await post({ token }, headers)).status).toBe(status);
    // The invitation is still good: nothing was done with it.
    expect((await post({ token }, {})).status).toBe(200);
  });

  it("refuses sockets without an identity, of another site, or under another name", async () => {
    const identity = await accept(server, invite("Sock"));
    expect(await openWindow(server, "no-identity")).toBe(401);
    expect(await openWindow(server, identity, { origin: "https://evil.example" })).toBe(403);
    expect(await openWindow(server, identity, { origin: null })).toBe(403);
    expect(await openWindow(server, identity, { headers: { host: "evil.example" } })).toBe(403);
    const opened = await openWindow(server, identity);
    if (typeof opened === "number") throw new Error(`refused: ${opened}`);
    opened.close();
  });

  it("takes no addresses of the host's own user, and gives none", async () => {
    const own = await serveLoopback(host, { files: options.files });
    try {
      const token = tokenOf(new URL(own.address()).hash);
      expect((await askForSession(server, { token })).status).toBe(403);
      const authorization = `Bearer ${own.secret}`;
      const asked = await ask(server, "/address", { method: "POST", headers: { authorization } });
      expect(asked.status).toBe(401);
      // Nor does the loopback server take an invitation.
      const invited = tokenOf(new URL(invite("Looped")).hash);
      const local: Server = { port: own.port, origin: `http://127.0.0.1:${own.port}`, ca: null };
      expect((await askForSession(local, { token: invited })).status).toBe(403);
    } finally {
      await own.close();
    }
  });
});

describe("an invitation", () => {
  it("lets one browser in, once, and its identity is kept as a hash", async () => {
    const address = invite("Once");
    const identity = await accept(server, address);
    const again = await askForSession(server, { token: tokenOf(new URL(address).hash) });
    expect(again.status).toBe(403);
    expect(JSON.parse(again.body)).toMatchObject({
      message: expect.stringContaining("already used"),
      remedy: expect.stringContaining(hostOwner()),
    });
    expect((await askForSession(server, { session: identity })).status).toBe(200);
    const { readFile } = await import("node:fs/promises");
    for (const file of ["people.sqlite", "people.sqlite-wal"]) {
      const kept = await readFile(join(stateFolder, file), "latin1");
      expect(kept).not.toContain(identity);
      expect(kept).not.toContain(tokenOf(new URL(address).hash));
    }
  });

  it("gets old, and is replaced by the next one", async () => {
    let at = Date.now();
    const people = createPeople(join(folder, "old"), () => at);
    const first = people.invite({ name: "Old", role: "watch", repository: null, hours: 2 });
    const second = people.invite({ name: "Old", role: "watch", repository: null, hours: 2 });
    expect(people.accept(first.token)).toBeNull();
    at += 2 * 3_600_000;
    expect(people.accept(second.token)).toBeNull();
    people.close();
  });

  it("is not for the user who runs the host", () => {
    expect(() => invite(hostOwner())).toThrow("owns it");
  });
});

describe("a removed person", () => {
  it("loses open windows at once, and is not let in again", async () => {
    const identity = await accept(server, invite("Gone", "approve"));
    const opened = await openWindow(server, identity);
    if (typeof opened === "number") throw new Error(`refused: ${opened}`);
    await opened.client.doctor();
    host.people.remove("Gone");
    expect(await opened.closed).toBe(1008);
    expect(await openWindow(server, identity)).toBe(401);
    expect((await askForSession(server, { session: identity })).status).toBe(403);
  });

  it("loses them too where another process removes them", async () => {
    const opened = await windowOf("Far", "own");
    await opened.client.people.list();
    // As `hox people remove` does it.
    const other = createPeople(stateFolder);
    other.remove("Far");
    other.close();
    expect(await opened.closed).toBe(1008);
  });

  it("loses a window where only the role has changed, and comes back with the new one", async () => {
    const identity = await accept(server, invite("Less", "own"));
    const opened = await openWindow(server, identity);
    if (typeof opened === "number") throw new Error(`refused: ${opened}`);
    await opened.client.people.list();
    invite("Less", "watch");
    expect(await opened.closed).toBe(1008);
    const back = await openWindow(server, identity);
    if (typeof back === "number") throw new Error(`refused: ${back}`);
    await expect(back.client.people.list()).rejects.toMatchObject({
      message: "This needs the role own; yours is watch.",
      data: { remedy: `Ask ${hostOwner()}: hox people invite Less --role own` },
    });
    back.close();
  });
});

describe("a proxy that signs people in", () => {
  it.each(["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"])(
    "is known on this machine (%s) by a secret only, as every user of it has that address",
    (address) => {
      const proxy = { header: "X-User", address, secretEnv: "SECRET", publicAddress: "" };
      expect(trustedProxy(proxy, { SECRET: "s" })).toEqual({ header: "x-user", address, secret: "s" });
      for (const [secretEnv, remedy] of [
        ["", "proxy.secretEnv"],
        ["UNSET", "UNSET"],
      ] as const)
        expect(() => trustedProxy({ ...proxy, secretEnv }, {})).toThrow(
          expect.objectContaining({ remedy: expect.stringContaining(remedy) }),
        );
      expect(trustedProxy({ ...proxy, address: "10.0.0.2", secretEnv: "" }, {})).toMatchObject({
        secret: null,
      });
    },
  );

  const publicAddress = "https://hox.example.com";
  const behind = async (proxy: PeopleServerOptions["proxy"], tls = false): Promise<Server> => {
    const { close, port } = await servePeople(host, {
      ...{ ...options, proxy, publicAddress },
      ...(tls ? {} : { tls: null }),
    });
    ends.unshift(close);
    return { port, origin: publicAddress, ca: tls ? certificate.cert : null };
  };
  const ann = { "x-user": "Ann Bell" };
  const secret = { "x-hox-proxy-secret": "s3cret" };

  it("is believed at its own address, and no other peer gets an answer", async () => {
    invite("Ann Bell", "steer");
    const trusted = await behind({ header: "x-user", address: "127.0.0.1", secret: null });
    expect((await askForSession(trusted, { proxy: true }, ann)).status).toBe(200);
    const opened = await openWindow(trusted, "proxy", { headers: ann });
    if (typeof opened === "number") throw new Error(`refused: ${opened}`);
    opened.close();
    const foreign = await behind({ header: "x-user", address: "192.0.2.1", secret: null });
    expect((await askForSession(foreign, { proxy: true }, ann)).status).toBe(403);
    expect((await ask(foreign, "/")).status).toBe(403);
    expect(await openWindow(foreign, "proxy", { headers: ann })).toBe(403);
  });

  it("is believed by its secret", async () => {
    invite("Ann Bell", "steer");
    const trusted = await behind({ header: "x-user", address: null, secret: "s3cret" });
    expect((await askForSession(trusted, { proxy: true }, { ...ann, ...secret })).status).toBe(200);
    for (const wrong of [{}, { "x-hox-proxy-secret": "guess" }])
      expect((await askForSession(trusted, { proxy: true }, { ...ann, ...wrong })).status).toBe(403);
    expect(await openWindow(trusted, "proxy", { headers: ann })).toBe(403);
  });

  it("is ignored from others where the host encrypts itself", async () => {
    invite("Ann Bell", "steer");
    const direct = await behind({ header: "x-user", address: null, secret: "s3cret" }, true);
    expect((await askForSession(direct, { proxy: true }, ann)).status).toBe(403);
    expect(await openWindow(direct, "proxy", { headers: ann })).toBe(401);
    // By an invitation they are let in all the same, as themselves.
    const identity = await accept(direct, invite("Direct"));
    const opened = await openWindow(direct, identity, { headers: ann });
    if (typeof opened === "number") throw new Error(`refused: ${opened}`);
    for await (const { event } of await opened.client.watch({ since: null })) {
      if (event.kind !== "snapshot") continue;
      expect(event.app.me).toMatchObject({ name: "Direct", role: "watch", repositories: {} });
      break;
    }
    opened.close();
  });

  it("lets in only those who were invited", async () => {
    const trusted = await behind({ header: "x-user", address: "127.0.0.1", secret: null });
    const { status, body } = await askForSession(trusted, { proxy: true }, { "x-user": "Mallory" });
    expect(status).toBe(403);
    expect(JSON.parse(body)).toEqual({
      message: "Mallory has no access to this host.",
      remedy: `Ask ${hostOwner()}: hox people invite Mallory --role watch`,
    });
  });

  it("advises no command in which a shell reads anything but a name", async () => {
    const trusted = await behind({ header: "x-user", address: "127.0.0.1", secret: null });
    const remedyFor = async (user: string) => {
      const { body } = await askForSession(trusted, { proxy: true }, { "x-user": user });
      return (JSON.parse(body) as { remedy: string }).remedy;
    };
    expect(await remedyFor("$(touch /tmp/x)")).toContain("invite '$(touch /tmp/x)' --role");
    expect(await remedyFor("`id`;id")).toContain("invite '`id`;id' --role");
    expect(await remedyFor("O'Neil")).toContain("invite 'O'\\''Neil' --role");
  });
});
