import { execFileSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { existsSync, readFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import { python, withoutPython } from "../programs.ts";
import type { TestBed } from "../test-bed.ts";

const listening = (server: Server, ...where: [number, string] | [string]): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(...(where as [string]), resolve);
  });

/** A server of the user's machine that notes each request and answers with the canary. */
async function plantServer(testBed: TestBed, host: string): Promise<number> {
  const server = createServer((socket) => {
    testBed.note = "reached";
    socket.on("error", () => {});
    socket.end(testBed.canary);
  });
  await listening(server, 0, host);
  testBed.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

const judge: Case["judge"] = (testBed) => {
  if (testBed.note === "reached") return failed("a server of this machine was reached");
  return testBed.seen.includes("tried") ? refused : failed("the attack did not run");
};

const reaches = (
  name: string,
  host: string,
  command: (port: number, testBed: TestBed) => string,
  source = "notes",
): Case => ({
  name,
  source,
  impossible: async () => withoutPython() ?? (await cannotListen(host)),
  attack: async (testBed) => {
    const port = await plantServer(testBed, host);
    await testBed.run(`${command(port, testBed)}; echo tried`);
    await wait(50);
  },
  judge,
});

async function cannotListen(host: string): Promise<string | null> {
  const server = createServer();
  try {
    await listening(server, 0, host);
    return null;
  } catch (error) {
    return `this machine cannot listen at ${host}: ${(error as NodeJS.ErrnoException).code}`;
  } finally {
    server.close();
  }
}

/**
 * Families of sockets that no agent's command needs; each is one more way around an empty network. Netlink is not among
 * them: programs ask it for their addresses, and in a separate network it knows nothing of ours.
 */
const families = {
  vsock: [40, 1],
  packet: [17, 3],
  alg: [38, 5],
  bluetooth: [31, 3],
  xdp: [44, 3],
  tipc: [30, 1],
  can: [29, 3],
  key: [15, 3],
  rds: [21, 5],
  qipcrtr: [42, 2],
  smc: [43, 1],
  kcm: [41, 2],
  phonet: [35, 2],
  x25: [9, 5],
  ax25: [3, 5],
} as const;

/** What this user can open at all, outside. */
function cannotOpen(family: number, type: number): string | null {
  const missing = withoutPython();
  if (missing) return missing;
  try {
    execFileSync("/usr/bin/python3", ["-c", `import socket; socket.socket(${family}, ${type})`], {
      stdio: "ignore",
    });
    return null;
  } catch {
    return "this kernel or this user has no such sockets";
  }
}

const odd = Object.entries(families).map(
  ([name, [family, type]]): Case => ({
    name: `socket-of-the-family-${name}`,
    source: name === "vsock" ? "F14" : "F14, own",
    impossible: () => cannotOpen(family, type),
    attack: python(`attempt("open", lambda: socket.socket(${family}, ${type}) and None)\nprint("tried")`),
    judge: (testBed) => {
      if (!testBed.seen.includes("tried")) return failed("the attack did not run");
      return testBed.seen.includes("HAPPENED") ? failed("the socket was opened") : refused;
    },
  }),
);

export const network: Family = {
  name: "network",
  cases: [
    reaches(
      "tcp-to-this-machine",
      "127.0.0.1",
      (port) =>
        `/bin/bash -c 'cat < /dev/tcp/127.0.0.1/${port}'; ${python(`attempt("tcp", lambda: socket.create_connection(("127.0.0.1", ${port}), 2).recv(99))`)}`,
    ),
    reaches("tcp-to-this-machine-over-ipv6", "::1", (port) =>
      python(`attempt("tcp", lambda: socket.create_connection(("::1", ${port}), 2).recv(99))`),
    ),
    reaches(
      "tcp-to-every-address-of-this-machine",
      "0.0.0.0",
      (port) =>
        python(`
for host in ("0.0.0.0", "localhost", "127.1", "2130706433", "::ffff:127.0.0.1", "172.17.0.1", "10.0.2.2", "192.168.0.1", "host.docker.internal"):
    attempt(host, lambda: socket.create_connection((host, ${port}), 0.5).recv(99))`),
      "own",
    ),
    {
      name: "a-call-to-the-apps-own-port",
      source: "notes",
      attack: async (testBed) => {
        const server = createHttp((_, response) => {
          testBed.note = "reached";
          response.end(testBed.canary);
        });
        await listening(server, 0, "127.0.0.1");
        testBed.after(() => server.close());
        const { port } = server.address() as AddressInfo;
        await testBed.run(
          `node -e 'fetch("http://127.0.0.1:${port}/").then((r) => r.text()).then(console.log, () => console.log("refused"))'; curl -s http://127.0.0.1:${port}/; wget -qO- http://127.0.0.1:${port}/; echo tried`,
        );
      },
      judge,
    },
    {
      name: "udp-to-this-machine",
      source: "notes",
      impossible: withoutPython,
      attack: async (testBed) => {
        const socket = createSocket("udp4", () => {
          testBed.note = "reached";
        });
        await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
        testBed.after(() => socket.close());
        await testBed.run(
          `${python(`s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
attempt("udp", lambda: s.sendto(b"canary", ("127.0.0.1", ${socket.address().port})))`)}; echo tried`,
        );
        await wait(50);
      },
      judge,
    },
    {
      name: "names-of-hosts",
      source: "notes",
      attack:
        'node -e \'require("dns").lookup("example.com", (e, a) => console.log(e ? "none" : "FOUND " + a)); require("dns").resolve("example.com", (e, a) => console.log(e ? "none" : "FOUND " + a))\'; getent hosts example.com && echo FOUND; cat /etc/resolv.conf; echo tried',
      judge: (testBed) => (testBed.seen.includes("FOUND") ? failed("a name was found") : refused),
    },
    {
      name: "address-of-the-clouds-metadata",
      source: "own",
      impossible: withoutPython,
      attack: python(`
for host in ("169.254.169.254", "fd00:ec2::254", "1.1.1.1", "8.8.8.8"):
    attempt(host, lambda: socket.create_connection((host, 80), 1) and None)
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
attempt("query", lambda: s.sendto(b"x", ("8.8.8.8", 53)) and None)
print("tried")`),
      judge: (testBed) => (testBed.seen.includes("HAPPENED") ? failed("a packet left") : refused),
    },
    {
      name: "raw-sockets-and-ping",
      source: "own",
      impossible: withoutPython,
      attack: python(`
attempt("raw", lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1) and None)
attempt("raw6", lambda: socket.socket(socket.AF_INET6, socket.SOCK_RAW, 58) and None)
attempt("packet", lambda: socket.socket(17, socket.SOCK_RAW, 3) and None)
print("tried")`),
      judge: (testBed) => (testBed.seen.includes("HAPPENED") ? failed("a raw socket was opened") : refused),
    },
    {
      name: "unix-socket-outside",
      source: "notes",
      impossible: withoutPython,
      attack: async (testBed) => {
        const path = testBed.outside("state/door");
        const server = createServer((socket) => {
          testBed.note = "reached";
          socket.end(testBed.canary);
        });
        await listening(server, path);
        testBed.after(() => server.close());
        testBed.settle();
        await testBed.run(
          `${python(`
for path in (${JSON.stringify(path)}, "../state/door", "/run/docker.sock", "/var/run/dbus/system_bus_socket", "/tmp/.X11-unix/X0"):
    s = socket.socket(socket.AF_UNIX)
    attempt(path, lambda: s.connect(path) or s.recv(99))`)}; echo tried`,
        );
      },
      judge,
    },
    {
      name: "abstract-unix-socket",
      source: "notes",
      impossible: withoutPython,
      attack: async (testBed) => {
        const name = `\0${testBed.marker}-door`;
        const server = createServer((socket) => {
          testBed.note = "reached";
          socket.end(testBed.canary);
        });
        await listening(server, name);
        testBed.after(() => server.close());
        await testBed.run(
          `${python(`s = socket.socket(socket.AF_UNIX)
attempt("abstract", lambda: s.connect("\\0" + ${JSON.stringify(name.slice(1))}) or s.recv(99))`)}; cat /proc/net/unix; echo tried`,
        );
      },
      judge,
    },
    {
      name: "a-server-of-the-agent-seen-from-outside",
      source: "own",
      impossible: withoutPython,
      attack: async (testBed) => {
        const running = testBed.run(
          python(`
s = socket.socket()
s.bind(("0.0.0.0", 0))
s.listen()
open("port", "w").write(str(s.getsockname()[1]) + ".")
s.settimeout(1.5)
attempt("accept", lambda: s.accept() and None)
print("tried")`),
        );
        while (
          !existsSync(testBed.inside("port")) ||
          !readFileSync(testBed.inside("port"), "utf8").endsWith(".")
        )
          await wait(10);
        const port = Number.parseInt(readFileSync(testBed.inside("port"), "utf8"), 10);
        const socket = connect(port, "127.0.0.1");
        socket.on("error", () => {});
        await running;
        socket.destroy();
      },
      judge: (testBed) =>
        testBed.seen.includes("HAPPENED") ? failed("a server inside was reached") : refused,
    },
    {
      name: "proxy-of-the-user",
      source: "own",
      attack: async (testBed) => {
        const port = await plantServer(testBed, "127.0.0.1");
        const named = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "npm_config_proxy"];
        const before = named.map((name) => process.env[name]);
        for (const name of named) process.env[name] = `http://user:${testBed.canary}@127.0.0.1:${port}`;
        testBed.after(() => {
          for (const [index, name] of named.entries())
            if (before[index] === undefined) delete process.env[name];
            else process.env[name] = before[index];
        });
        await testBed.run(
          "env | grep -i proxy; npm config get proxy; npm config get https-proxy; curl -s http://example.com; echo tried",
        );
      },
      judge,
    },
    ...odd,
  ],
};
