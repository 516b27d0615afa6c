import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Conversation, TurnEnd } from "../../src-main/agent/agent-interface.ts";
import { openProvider } from "../../src-main/engine/conversations/subscription.ts";
import type { Run } from "../../src-main/engine/ports.ts";
import { type AcpDriver, acpConversations } from "../../src-main/external-agents/acp-driver.ts";
import { agentsOf } from "../../src-main/external-agents/agents-of.ts";
import { customDialect } from "../../src-main/external-agents/dialects.ts";
import { createMcpEndpoint } from "../../src-main/external-agents/mcp-endpoint.ts";
import { type RunnerHandle, socketsIn, startRunner } from "../../src-main/external-agents/start-runner.ts";
import { throughProxy } from "../../src-main/external-agents/subscription.ts";
import type { Gateway, RefusedRequest } from "../../src-main/model/gateway/gateway-interface.ts";
import { startGateway } from "../../src-main/model/gateway/start-gateway.ts";
import { createRateLimit } from "../../src-main/model/rate-limit.ts";
import { createRedactor } from "../../src-main/tools/redact.ts";
import type { Limits } from "../../src-main/tools/sandbox/limits.ts";
import { defineTool } from "../../src-main/tools/tool-interface.ts";
import type { ConversationEntry } from "../../src-shared/domain/conversation/conversation.ts";
import { defaultProtectedFiles } from "../../src-shared/domain/files/protected-files.ts";
import { resourceText } from "../../src-shared/domain/text/prompt-text.ts";
import { fingerprint } from "./fingerprint.ts";
import type { TestBed } from "./test-bed.ts";
import { slack } from "./waiting.ts";

const project = fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/u, "");
const program = `${project}/src-main/external-agents/testing/scripted-agent.mjs`;

/** One of the steps that `scripted-agent.mjs` lists. */
export type Step = Readonly<Record<string, unknown>>;

/** A request as a provider got it. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An agent of another make on a test bed, as its host sees it. */
export interface ExternalAgent {
  /** What its provider was asked for, and nobody else. */
  readonly asked: readonly Asked[];
  readonly refused: readonly RefusedRequest[];
  readonly entries: readonly ConversationEntry[];
  /** What Hox's tool was called with. */
  readonly noted: readonly string[];
  /** Hosts that it reached with its login. */
  readonly targets: readonly string[];
  /** Connections to the sockets of another worker. */
  readonly strangers: readonly string[];
  /** Why it may not continue. */
  gate: "pause" | "budget" | null;
  readonly gateway: Gateway;
  readonly runner: () => RunnerHandle;
  readonly driver: AcpDriver;
  /** Its next prompt. Ends it by force where it takes longer. */
  turn(ms?: number): Promise<TurnEnd | "never ended">;
  /** As at the end of its task. Null where that takes longer than it may. */
  close(ms?: number): Promise<true | null>;
  /** All that it could write or say, into what the test bed has seen. */
  show(): void;
}

export interface ExternalAgentOptions {
  readonly limits?: Partial<Limits>;
  readonly killMs?: number;
  /** It has a login with this token, and its provider's host. */
  readonly login?: string;
}

/** Where an agent of another make keeps its sessions below HOME, for one on a worker. */
export const sessionsPath = ".claude/projects";

/** Where a user's own login is on a test bed, for an agent that may use it. */
export const loginPath = "user/.claude/.credentials.json";

/** The proxy of this machine, behind which the provider is. @returns which hosts it was asked for */
async function machineProxy(testBed: TestBed): Promise<string[]> {
  const targets: string[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, socket) => {
    targets.push(request.url ?? "");
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  process.env.HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  testBed.after(() => {
    delete process.env.HTTPS_PROXY;
    proxy.close();
    proxy.closeAllConnections();
  });
  return targets;
}

/** The part of a run that a login needs. */
function runWithLogin(): Run {
  const record = { unmetered: null };
  return {
    append: () => undefined,
    appendTranscript: () => undefined,
    now: () => Date.now(),
    monotonic: () => performance.now(),
    mayUseLogin: () => true,
    config: { budget: { subscriptionMinutes: 60, subscriptionTurns: 20 } },
    worker: () => ({ record }),
  } as unknown as Run;
}

/** @param prompts what it does with each prompt */
export async function openExternalAgent(
  testBed: TestBed,
  prompts: readonly (readonly Step[])[],
  { limits, killMs = 1_000, login }: ExternalAgentOptions = {},
): Promise<ExternalAgent> {
  const { canary } = testBed;
  // As a user has it, in the environment of Hox.
  process.env.HOX_CONTAINMENT_KEY = canary;
  const asked: Asked[] = [];
  const provider = await startProvider(asked);
  const { agentHome: home, agentSockets: sockets } = testBed;
  const strangers = await otherWorker(testBed);
  const told: { refused: RefusedRequest[]; entries: ConversationEntry[]; noted: string[] } = {
    refused: [],
    entries: [],
    noted: [],
  };
  const redactor = createRedactor([canary, ...(login === undefined ? [] : [login])]);
  const targets = login === undefined ? [] : await machineProxy(testBed);
  const [claude] = agentsOf({ agent: [], subscriptions: ["claude"] });
  if (login !== undefined) testBed.put(loginPath, JSON.stringify({ accessToken: login }));
  mkdirSync(dirname(socketsIn(sockets).network), { recursive: true, mode: 0o700 });
  const provided =
    login === undefined || !claude
      ? null
      : await openProvider(runWithLogin(), "agent-1", claude, {
          socket: socketsIn(sockets).network,
          onTimeUp: () => undefined,
        });
  const mcp = createMcpEndpoint(`own-${testBed.marker}`);
  const gateway = await startGateway({
    socketPath: socketsIn(sockets).gateway,
    requester: "run/agent-1",
    upstreams: {
      anthropic: {
        baseUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
        apiKey: canary,
        scheduler: createRateLimit(),
      },
    },
    gate: () => agent.gate,
    price(usage, model) {
      if (!model.startsWith("claude-")) throw new Error(`There is no price for ${model}.`);
      return usage.input + usage.output;
    },
    onSpent: () => undefined,
    onHeld: () => driver.endTurn(),
    onRefused: (refused) => void told.refused.push(refused),
    redactor,
    limits: { attempts: 1, backoffMs: 1 },
  });
  const endTools = await mcp.listen(socketsIn(sockets).tools);
  const environment = { SCRIPT: JSON.stringify(prompts), MODEL_URL: "{bridge}" };
  const hidden = customDialect("scripted", [], {}).projectSettings;
  const startOnWorker = (): Promise<RunnerHandle> =>
    testBed.worker.place.startAgent({
      ...{ agent: "claude", environment, hidden, protectedFiles: defaultProtectedFiles },
      ...{ files: {}, sessions: sessionsPath, sockets: socketsIn(sockets) },
    });
  const startOnHost = async (): Promise<RunnerHandle> =>
    startRunner({
      ...{ workspace: testBed.workspace, home, sockets },
      sandbox: await testBed.sandbox({
        readable: [project, dirname(process.execPath)],
        ...(limits ? { limits } : {}),
      }),
      agent: {
        ...{ words: [process.execPath, program], hidden },
        environment: {
          ...environment,
          ...(provided ? { ...throughProxy, CLAUDE_CONFIG_DIR: "{login}" } : {}),
        },
        readable: [project, dirname(process.execPath)],
      },
      ...(provided
        ? {
            login: {
              file: testBed.outside(loginPath),
              name: ".credentials.json",
              folder: testBed.outside("agent/login"),
            },
          }
        : {}),
      limits: { cancelMs: 300, closeMs: 300, startMs: 20_000 * slack },
    });
  let runner: RunnerHandle | null = null;
  const driver = acpConversations({
    ...{ name: "scripted", dialect: customDialect("scripted", [], {}), mcp },
    gateway: provided?.turns ?? gateway,
    ...(provided ? { hidden: redactor } : {}),
    ...{ permissions: "sandbox", usage: provided ? "unmetered" : "metered", killMs },
    runner: async () => {
      runner = await (testBed.isOnWorker ? startOnWorker() : startOnHost());
      return runner;
    },
  });
  let conversation: Conversation | null = null;
  const options = {
    ...{ model: "claude-sonnet-5-5", system: "Work.", requester: "run/agent-1", maxTokens: 1_000 },
    maxTurns: 50,
    tools: [noteTool(told.noted)],
    toolContext: {
      ...{ agent: "agent-1", signal: new AbortController().signal, environment: {} },
      files: testBed.files,
      run: () => Promise.reject(new Error("no commands here")),
      redact: redactor.redact,
    },
    gate: () => agent.gate,
    onSpent: () => undefined,
    onEntry: (entry: ConversationEntry) => void told.entries.push(entry),
  };
  let closing: Promise<true> | null = null;
  const agent: ExternalAgent = {
    ...{ asked, targets, strangers, gateway, driver, gate: null, ...told },
    runner() {
      if (runner === null) throw new Error("the attack did not run: there is no runner");
      return runner;
    },
    async turn(ms = 30_000 * slack) {
      conversation ??= driver.start(options);
      const stop = new AbortController();
      const timer = setTimeout(() => stop.abort(), ms);
      const end = conversation.run(resourceText("Do it."), stop.signal);
      const late = pause(ms + killMs + 10_000, "never ended" as const, { ref: false });
      return Promise.race([end, late]).finally(() => clearTimeout(timer));
    },
    close(ms = 15_000 * slack) {
      closing ??= (async (): Promise<true> => {
        await driver.close();
        endTools();
        await gateway.close();
        await provided?.close();
        return true;
      })();
      return Promise.race<true | null>([closing, pause(ms, null, { ref: false })]);
    },
    show() {
      for (const folder of [testBed.workspace, home, sockets].filter(existsSync))
        for (const was of fingerprint(folder).values()) testBed.see(was);
      testBed.see(JSON.stringify([told, driver.capabilities(), conversation?.token]));
    },
  };
  testBed.after(async () => {
    await runner?.kill();
    await agent.close();
    provider.closeAllConnections();
    provider.close();
    delete process.env.HOX_CONTAINMENT_KEY;
  });
  return agent;
}

/** A provider that repeats in its answer the key that it was given. */
async function startProvider(asked: Asked[]): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, headers, body: Buffer.concat(chunks).toString("utf8") });
    const key = String(headers["x-api-key"]);
    response.writeHead(200, { "content-type": "text/event-stream", "request-id": key, "x-key": key });
    const half = Math.ceil(key.length / 2);
    const say = (text: string) => ({
      type: "content_block_delta",
      index: 0,
      delta: { type: "text_delta", text },
    });
    const usage = { input_tokens: 10, output_tokens: 1 };
    const events = [
      {
        type: "message_start",
        message: {
          ...{ id: "m", type: "message", role: "assistant", model: "claude-sonnet-5-5", content: [], usage },
          ...{ stop_reason: null, stop_sequence: null },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      ...[`ANSWERED with ${key} `, key.slice(0, half), key.slice(half)].map(say),
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
      { type: "message_stop" },
    ];
    for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** The sockets, token and files of another worker, at paths that the agent may know. @returns who connected */
async function otherWorker(testBed: TestBed): Promise<string[]> {
  for (const path of ["home/.claude/history", "token", "runner.json"]) {
    const file = join(testBed.otherAgent, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${testBed.canary}\n`);
  }
  const strangers: string[] = [];
  for (const path of Object.values(socketsIn(join(testBed.otherAgent, "s")))) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const server = createSocketServer((socket) => {
      strangers.push(path);
      socket.on("error", () => undefined);
      socket.end(`HTTP/1.1 200 OK\r\n\r\n${testBed.canary}`);
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    testBed.after(() => server.close());
  }
  return strangers;
}

const noteTool = (noted: string[]) =>
  defineTool({
    name: "note",
    description: "Takes a note.",
    input: z.object({ text: z.string() }),
    writes: true,
    run: async ({ text }) => {
      noted.push(text);
      return { ok: true, output: "Noted." };
    },
  });
