import type { ConversationEntry } from "../../../src-shared/domain/conversation/conversation.ts";
import type { Family } from "../case.ts";
import { bounded, failed, refused } from "../case.ts";
import { loginPath } from "../external-agent.ts";
import type { TestBed } from "../test-bed.ts";
import { untilThere } from "../waiting.ts";
import { agentCase, attackWith } from "./agent-gateway.ts";

/** What the agent with the login may read, and Hox may show nowhere. */
const token = "token-of-the-login-0123456789";
const provider = "api.anthropic.com";

/** What the agent said, however it came. */
const textOf = (entries: readonly ConversationEntry[]): string =>
  entries.flatMap((entry) => (entry.kind === "text" ? [entry.text] : [])).join("");

/** The user's login, with the canary as its token: for those who may not see it. */
const plantLogin = (testBed: TestBed): void =>
  testBed.put(loginPath, JSON.stringify({ accessToken: testBed.canary }));

/** Looks for a login wherever one could be. */
const search = (testBed: TestBed): string =>
  [testBed.outside(loginPath), "/run/hox-agent/login/.credentials.json", "~/.claude/.credentials.json"]
    .map((path) => `cat ${path} 2>&1;`)
    .concat("cat /proc/*/root/run/hox-agent/login/.* 2>&1; ls -laR /run/hox-agent 2>&1; env; echo tried")
    .join(" ");

/** Asks for tunnels through its proxy, and shows which are open. */
const tunnels = (...targets: readonly string[]): string => `
proxy = int(os.environ["HTTPS_PROXY"].split(":")[-1])
def tunnel(target):
    s = socket.create_connection(("127.0.0.1", proxy), 10); s.settimeout(10)
    try:
        s.sendall(("CONNECT %s HTTP/1.1\\r\\nHost: %s\\r\\n\\r\\n" % (target, target)).encode())
        answer = s.recv(4096).decode("latin1").split("\\r\\n")[0]
    except OSError as problem: answer = str(problem)
    finally: s.close()
    found.write(("%s -> %s\\n" % (target, answer)).encode())
for target in ${JSON.stringify(targets)}: tunnel(target)
found.write(b"tried")`;

export const agentLogin: Family = {
  name: "logins of other agents",
  cases: [
    agentCase("a-login-that-nobody-allowed", {
      plant: plantLogin,
      prompts: (testBed) => [[{ run: `${search(testBed)} > found.txt` }]],
    }),
    {
      name: "a-login-and-the-commands-of-hox",
      source: "own",
      plant: plantLogin,
      attack: (testBed) => testBed.run(search(testBed)),
    },
    agentCase("other-hosts-with-a-login", {
      login: token,
      prompts: () => [
        [
          attackWith(
            tunnels(
              ...[`${provider}:443`, `${provider}:80`, "platform.claude.com:443", "evil.example:443"],
              ...["127.0.0.1:443", "93.184.216.34:443", `${provider}.evil.example:443`, `x@${provider}:443`],
            ),
          ),
        ],
      ],
      judge: ({ targets }, { seen }) =>
        targets.join() === `${provider}:443`
          ? refused
          : failed(`it reached ${targets.join(", ") || "nobody"}: ${seen.slice(-300)}`),
    }),
    agentCase("its-host-after-its-turn", {
      login: token,
      prompts: ({ marker }) => [
        [
          attackWith(`# ${marker}
found.write(b"tried")
if os.fork() == 0:
    os.setsid(); os.close(1); os.close(2)
    while not os.path.exists("go"): time.sleep(0.01)
    ${tunnels(`${provider}:443`).trim().split("\n").join("\n    ")}
    open("asked", "w")
    time.sleep(60)`),
        ],
      ],
      attack: async (agent, testBed) => {
        await agent.turn();
        testBed.putInside("go", "");
        await untilThere(testBed.inside("asked"));
      },
      judge: ({ targets }) => (targets.length === 0 ? refused : failed(`it reached ${targets.join(", ")}`)),
    }),
    agentCase("a-login-that-is-repeated-and-written", {
      login: token,
      prompts: () => [
        [
          { run: "cat $CLAUDE_CONFIG_DIR/.credentials.json; echo x > $CLAUDE_CONFIG_DIR/.credentials.json" },
          {
            run: "cd $CLAUDE_CONFIG_DIR && rm -f .credentials.json; mv .credentials.json a; ln -sf /etc/passwd .credentials.json",
          },
          { run: "setsid sh -c 'sleep 1; touch later' > /dev/null 2>&1 &" },
          { say: `It is ${token.slice(0, 9)}` },
          { wait: "later" },
          { say: token.slice(9) },
          { call: { title: token, rawInput: { token } } },
          { run: "echo tried > found.txt" },
        ],
      ],
      judge: ({ entries }) =>
        `${JSON.stringify(entries)} ${textOf(entries)}`.includes(token)
          ? failed("its token is in the transcript")
          : bounded("read-only"),
    }),
  ],
};
