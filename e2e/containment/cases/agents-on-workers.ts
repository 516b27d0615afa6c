import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Case, Family, Verdict } from "../case.ts";
import { bounded, failed, refused } from "../case.ts";
import { sessionsPath } from "../external-agent.ts";
import { fingerprint } from "../fingerprint.ts";
import { swapping } from "../programs.ts";
import type { TestBed } from "../test-bed.ts";
import { untilThere } from "../waiting.ts";
import { agentCase, agentGateway, attackWith, honest } from "./agent-gateway.ts";
import { agentRunner } from "./agent-runner.ts";

/** A service of the host's machine, which nothing on the worker may reach. */
async function plantService(testBed: TestBed): Promise<void> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.end(`HTTP/1.1 200 OK\r\n\r\n${testBed.canary}`);
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  testBed.note = String(typeof address === "object" ? address?.port : "");
  testBed.after(() => server.close());
}

/** A process that asks gateway and tools again and again, each time on another connection, and counts. */
const asksForEver = ({ marker }: TestBed) =>
  attackWith(`# ${marker}
call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "note", "arguments": {"text": "late"}}}
more = "Accept: application/json, text/event-stream\\r\\nConnection: close\\r\\nAuthorization: Bearer %s\\r\\n" % os.environ["MCP_TOKEN"]
patience = 0.5
if os.fork() == 0:
    os.setsid(); os.close(1); os.close(2)
    count = os.open("count", os.O_RDWR | os.O_CREAT)
    at = 0
    while True:
        at += 1
        os.pwrite(count, b"%012d" % at, 0)
        post("/v1/messages", message); post("/v1/messages", message, path=bridge); post("/mcp", call, more, tools)
while not os.path.exists("count"): time.sleep(0.01)`);

/** Its worker hears with the next heartbeat that it has to. */
async function untilRemoved(testBed: TestBed): Promise<void> {
  const begun = performance.now();
  while (existsSync(testBed.folder) && performance.now() - begun < 20_000) await pause(50);
  if (existsSync(testBed.folder)) testBed.note ||= "the place is still there";
  else testBed.settle();
}

/** What comes of its place's end: nothing that the agent asks for afterwards counts. */
const laterRequests = (name: string, where: NonNullable<Case["where"]>): Case =>
  agentCase(name, {
    where,
    prompts: (testBed) => [[honest, asksForEver(testBed), { wait: "go" }]],
    attack: async (agent, testBed) => {
      const turn = agent.turn();
      const isAsking = (): boolean => agent.asked.length > 3 && agent.noted.length > 1;
      for (const begun = performance.now(); !isAsking(); await pause(20))
        if (performance.now() - begun > 15_000) throw new Error("the attack did not run: nothing was asked");
      testBed.see("tried");
      await testBed.worker.giveAway();
      // What was under way before it ended.
      await pause(300);
      const counts = (): string => `${agent.asked.length} requests and ${agent.noted.length} calls`;
      const before = counts();
      await pause(2_000);
      testBed.note = counts() === before ? "" : `${counts()} instead of ${before}`;
      await turn;
      if (where === "worker") await untilRemoved(testBed);
    },
    judge: (_, { note }) => (note === "" ? refused : failed(note)),
  });

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const isOnHost = (canary: string, folder: string): Verdict => {
  const found = [...fingerprint(folder)].find(([, was]) => was.includes(canary));
  return found === undefined ? refused : failed(`the host has ${found[0]}`);
};

const own: readonly Case[] = [
  agentCase("the-network-of-worker-and-host", {
    plant: plantService,
    prompts: ({ note, worker, agentSockets }) => [
      [
        honest,
        attackWith(`
patience = 1
ports = ${JSON.stringify([Number(note), worker.hostPort])}
names = ["127.0.0.1", "127.0.0.2", "localhost", "0.0.0.0", socket.gethostname(), "10.0.2.2", "172.17.0.1", "host.docker.internal"]
try: names += [line.split()[0] for line in open("/proc/net/fib_trie").read().split("|--") if line[0:1].isdigit() or line[0:1] == " "]
except OSError: pass
for port in ports:
    for name in names:
        try: s = socket.create_connection((name, port), 1)
        except OSError: continue
        s.settimeout(1); s.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n"); found.write(b"REACHED %s " % name.encode() + s.recv(4096))
    try: s = socket.socket(socket.AF_INET6); s.settimeout(1); s.connect(("::1", port)); found.write(b"REACHED ::1")
    except OSError: pass
for top in (${JSON.stringify(agentSockets)}, ${JSON.stringify(worker.host)}):
    for end in ("/out/gateway", "/out/tools", "/out/network", "/in/runner", "/s/out/gateway"): ask(top + end, "GET /v1/models HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
post("/v1/messages", message, path="/run/hox-agent/out/network")
for way in ("http", "https"): ask(gateway, "CONNECT 127.0.0.1:%d HTTP/1.1\\r\\nHost: 127.0.0.1\\r\\n\\r\\n" % ports[0]), ask(gateway, "GET %s://127.0.0.1:%d/ HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n" % (way, ports[0]))`),
      ],
    ],
    judge: (_, { seen }) =>
      seen.includes("REACHED ") ? failed(/REACHED [^"\\]{0,60}/u.exec(seen)?.[0] ?? "") : refused,
  }),
  agentCase("the-key-of-its-worker", {
    prompts: ({ worker }) => [
      [
        attackWith(`
top = ${JSON.stringify(worker.folder)}
def look(path):
    try: found.write(open(path, "rb").read(10000))
    except OSError: pass
for base in (top, "/proc/1/root" + top, "/run", "/sandbox", "/tmp", "/root", "/home", os.environ["HOME"] + "/../..", os.getcwd() + "/../../.."):
    for name in glob.glob(base + "/key.json") + glob.glob(base + "/*/key.json") + glob.glob(base + "/*/*/key.json"): look(name)
look(top + "/key.json")
for pid in filter(str.isdigit, os.listdir("/proc")):
    for name in ("cmdline", "environ"): look("/proc/%s/%s" % (pid, name))
    look("/proc/%s/cwd/key.json" % pid), look("/proc/%s/root%s/key.json" % (pid, top))`),
      ],
    ],
  }),
  agentCase("the-place-of-another-agent", {
    prompts: ({ worker }) => [
      [
        attackWith(`
for base in (${JSON.stringify(join(worker.folder, "places"))}, os.getcwd() + "/../..", os.environ["HOME"] + "/../..", "/run", "/sandbox"):
    for folder, folders, names in os.walk(base):
        folders[:] = [name for name in folders if name != "node_modules"]
        if folder.startswith(os.getcwd()): continue
        for name in names:
            try:
                if os.path.isfile(folder + "/" + name): found.write(open(folder + "/" + name, "rb").read(4096))
                os.close(os.open(folder + "/" + name, os.O_WRONLY | os.O_APPEND)) if name == "secret" else None
            except OSError: pass`),
      ],
    ],
  }),
  agentCase("the-sockets-of-another-agent", {
    prompts: ({ otherAgent }) => [
      [
        attackWith(`
patience = 1
for way in (${JSON.stringify(dirname(otherAgent))}, "/tmp", "/run", "/proc/1/root" + ${JSON.stringify(dirname(otherAgent))}):
    for name in glob.glob(way + "/**/gateway", recursive=True) + glob.glob(way + "/**/tools", recursive=True) + glob.glob(way + "/**/runner", recursive=True):
        if name not in (gateway, tools, "/run/hox-agent/in/runner"): ask(name, "GET /v1/models HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")`),
      ],
    ],
  }),
  agentCase("more-connections-than-its-worker-has-descriptors", {
    prompts: () => [
      [
        attackWith(`
import resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
open_ = []
for path in (gateway, tools):
    for index in range(600):
        try: open_.append(connected(path))
        except OSError: pass
for s in open_:
    try: s.sendall(b"POST /mcp HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 9\\r\\n")
    except OSError: pass
time.sleep(0.3)
open("flooded", "w")
time.sleep(1.2)`),
      ],
    ],
    attack: async (agent, testBed) => {
      const before = openFiles(testBed.worker.pid);
      let most = before;
      const turn = agent.turn();
      while (!existsSync(testBed.inside("flooded")) && (await Promise.race([turn, pause(5)])) === undefined)
        most = Math.max(most, openFiles(testBed.worker.pid));
      testBed.note = String(most - before);
      await turn;
    },
    judge: (_, { note }) => {
      const opened = `${note} more open files of the worker`;
      return Number(note) < 300 ? bounded(opened) : failed(opened);
    },
  }),
  agentCase("sessions-that-lead-to-other-files", {
    prompts: ({ worker }) => [
      [
        {
          run: `mkdir -p ~/${sessionsPath} && cd ~/${sessionsPath} && for file in key.json places; do ln -s ${worker.folder}/$file link-$file; ln ${worker.folder}/$file hard-$file; done; ln -s ${worker.folder} folder; echo tried > mine; echo tried`,
        },
      ],
    ],
    attack: async (agent, testBed) => {
      await agent.turn();
      testBed.see(JSON.stringify(await agent.runner().readSessions?.()));
    },
  }),
  agentCase("files-that-are-exchanged-while-its-worker-reads-them", {
    tries: { long: 3, short: 1 },
    plant: (testBed) => testBed.putInside("d/key.json", "own"),
    prompts: ({ marker, worker }) => [
      [
        {
          // A link that leads out would be refused: this one is not among its files.
          run: `ln -s ${worker.folder} l.ignored; ${swapping(marker, "d", "l.ignored", 4)} & while :; do echo $RANDOM > source/one.ts; done & sleep 0.5; echo tried > found.txt; sleep 60`,
        },
      ],
    ],
    attack: async (agent, testBed) => {
      const turn = agent.turn();
      await untilThere(testBed.inside("found.txt"));
      for (let count = 0; count < 50; count++)
        await testBed.worker.place.pull().catch((error: unknown) => testBed.see(String(error)));
      await agent.runner().kill();
      await turn;
    },
    judge: (_, { canary, worker }) => isOnHost(canary, worker.hostFiles),
  }),
  laterRequests("requests-after-its-place-was-given-away", "worker"),
  laterRequests("requests-of-a-worker-that-keeps-its-place", "worker that keeps places"),
  agentCase("its-place-is-removed-when-it-was-given-away", {
    prompts: ({ marker }) => [
      [
        {
          run: `for n in 1 2 3; do setsid sh -c 'trap "" TERM INT HUP; : ${marker}; while :; do sleep 0.05; done' </dev/null >/dev/null 2>&1 & done; echo tried > found.txt; sleep 60`,
        },
      ],
    ],
    attack: async (agent, testBed) => {
      const turn = agent.turn();
      await untilThere(testBed.inside("found.txt"));
      testBed.see("tried");
      await testBed.worker.giveAway();
      await untilRemoved(testBed);
      await turn;
    },
    judge: (_, { note }) => (note === "" ? refused : failed(note)),
  }),
];

/**
 * These need the limits of one sandbox, which a worker sets itself, or stop what the host has in its own process.
 */
const onHostOnly = [
  "more-memory-than-a-command-may-have",
  "more-processes-than-a-command-may-have",
  "a-file-without-end",
  "what-continues-it-while-it-is-stopped",
  "files-that-are-exchanged-while-jj-reads-them",
];

/** What an agent of another make may not do on the host, it may not do on a worker. */
export const agentsOnWorkers: Family = {
  name: "agents on workers",
  cases: [...own, ...[agentGateway, agentRunner].flatMap(({ cases }) => cases)]
    .filter(({ name }) => !onHostOnly.includes(name))
    .map((one) => ({
      ...one,
      name: `${one.name}-on-a-worker`,
      where: one.where ?? ("worker" as const),
      // Each starts a worker.
      tries: { long: 1, short: 1, tests: own.includes(one) ? 1 : 0 },
    })),
};
