/** A worker with a scripted agent: the real runner, real sockets, and a gateway that answers with what it was asked. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { ConversationEntry } from "#shared/domain/conversation/conversation.ts";
import type { ConversationOptions } from "../../agent/agent-interface.ts";
import { eventually, tempDir } from "../../testing/kit.ts";
import { createSandbox } from "../../tools/sandbox/sandbox.ts";
import type { Sandbox, ToolContext } from "../../tools/tool-interface.ts";
import { type AcpDriver, acpConversations } from "../acp-driver.ts";
import type { AcpDriverOptions } from "../acp-options.ts";
import { customDialect } from "../dialects.ts";
import { createMcpEndpoint, type McpEndpoint } from "../mcp-endpoint.ts";
import type { RunnerConfig } from "../runner/runner-protocol.ts";
import {
  heldBy,
  type Runner,
  type RunnerAddress,
  type RunnerHandle,
  type RunnerOptions,
  socketsIn,
  startRunner,
} from "../start-runner.ts";

const project = fileURLToPath(new URL("../../..", import.meta.url));
const agent = fileURLToPath(new URL("scripted-agent.mjs", import.meta.url));

export type Step = Readonly<Record<string, unknown>>;

export interface ScriptedWorker {
  readonly folder: string;
  readonly workspace: string;
  readonly mcp: McpEndpoint;
  readonly requests: readonly string[];
  readonly runners: readonly Runner[];
  readonly entries: ConversationEntry[];
  driver(over?: Partial<AcpDriverOptions>): AcpDriver;
  options(over?: Partial<ConversationOptions>): ConversationOptions;
  start(over?: Partial<RunnerOptions>): Promise<Runner>;
  /** The runner of another host. */
  adopt(address: RunnerAddress, after: number | null): Promise<RunnerHandle>;
  /** What the runner is started with, for a host in another process. */
  readonly runnerOptions: Omit<RunnerOptions, "sandbox">;
  /** A request to the worker's MCP endpoint, past its agent. */
  callMcp(authorization: string, method: string, params: unknown): Promise<Response>;
  /** What the agent noted, line by line. */
  notes(): readonly string[];
  touch(path: string): void;
  exists(path: string): Promise<void>;
}

const sandboxes = new Map<boolean, Promise<Sandbox>>();

/** Without a sandbox, as on machines that have none; with one, as in use. */
function sandboxFor(isContained: boolean): Promise<Sandbox> {
  const made =
    sandboxes.get(isContained) ??
    createSandbox(isContained ? { allowUnsandboxed: false } : { allowUnsandboxed: true, program: null });
  sandboxes.set(isContained, made);
  return made;
}

export interface Scripted {
  readonly script: readonly (readonly Step[])[];
  readonly offers?: Readonly<Record<string, boolean>>;
  readonly isContained?: boolean;
  /** Of the agent; default: the scripted one's. */
  readonly words?: readonly [string, ...string[]];
  readonly limits?: Partial<RunnerConfig["limits"]>;
}

export async function scriptedWorker({
  script,
  offers,
  isContained = false,
  words = [process.execPath, agent],
  limits,
}: Scripted): Promise<ScriptedWorker> {
  const folder = tempDir();
  const workspace = join(folder, "workspace");
  const home = join(folder, "home");
  const sockets = join(folder, "s");
  mkdirSync(workspace);
  const mcp = createMcpEndpoint("mcp-token");
  const requests: string[] = [];
  const gateway = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.end("from the gateway");
  });
  const { gateway: path, tools } = socketsIn(sockets);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await new Promise<void>((resolve) => gateway.listen(path, resolve));
  onTestFinished(await mcp.listen(tools));
  const sandbox = await sandboxFor(isContained);
  const runners: Runner[] = [];
  const entries: ConversationEntry[] = [];
  onTestFinished(async () => {
    for (const { process } of runners) await process.kill();
    gateway.close();
    gateway.closeAllConnections();
  });
  const runnerOptions = {
    ...{ workspace, home, sockets },
    agent: {
      words,
      environment: {
        SCRIPT: JSON.stringify(script),
        MODEL_URL: "{bridge}",
        ...(offers ? { OFFERS: JSON.stringify(offers) } : {}),
      },
      readable: [project.replace(/\/$/u, ""), dirname(process.execPath)],
    },
    // None of them passes where a test does not want it to, however busy the machine is.
    limits: { cancelMs: 60_000, closeMs: 300, unattendedMs: 60_000, ...limits },
  };
  const start = async (over: Partial<RunnerOptions> = {}): Promise<Runner> => {
    const runner = await startRunner({ ...runnerOptions, sandbox, ...over });
    runners.push(runner);
    return runner;
  };
  const adopt = async (address: RunnerAddress, after: number | null): Promise<RunnerHandle> => {
    const { init } = address;
    const sandbox = await sandboxFor(isContained);
    const held = heldBy(init && (await sandbox.adopt(init, { workspace })));
    onTestFinished(held.kill);
    return { ...address, after, ...held };
  };
  return {
    ...{ folder, workspace, mcp, requests, runners, entries, start, adopt, runnerOptions },
    driver: (over = {}) => {
      const dialect = customDialect("scripted", ["scripted"], {});
      const permissions = "sandbox" as const;
      const driver = acpConversations({
        ...{ name: "scripted", dialect, mcp, permissions, usage: "metered", runner: () => start() },
        ...over,
      });
      onTestFinished(() => driver.close());
      return driver;
    },
    callMcp: async (authorization, method, params) => {
      const server = createServer((request, response) => void mcp.handle(request, response));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      onTestFinished(() => void server.close());
      const { port } = server.address() as AddressInfo;
      return fetch(`http://127.0.0.1:${port}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          authorization,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
    },
    options: (over = {}) => ({
      ...{
        model: "model-1",
        system: "The system prompt.",
        tools: [],
        requester: "run/worker",
        maxTokens: 1_000,
      },
      ...{ maxTurns: 50, gate: () => null, toolContext: contextOf(), onSpent: () => undefined },
      onEntry: (entry) => void entries.push(entry),
      ...over,
    }),
    notes: () =>
      existsSync(join(home, "agent-state.log"))
        ? readFileSync(join(home, "agent-state.log"), "utf8").trim().split("\n")
        : [],
    touch: (path) => writeFileSync(join(workspace, path), ""),
    exists: (path) =>
      eventually(() => {
        if (!existsSync(join(workspace, path))) throw new Error(`${path} is not there.`);
      }),
  };
}

/** Tools of these tests touch no files. */
const contextOf = (): ToolContext => ({
  agent: "worker",
  signal: new AbortController().signal,
  files: null as never,
  run: () => Promise.reject(new Error("No commands here.")),
  environment: {},
});

export const textOf = (entries: readonly ConversationEntry[]): string =>
  entries.flatMap((entry) => (entry.kind === "text" ? [entry.text] : [])).join("");

export const noticesIn = (entries: readonly ConversationEntry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.kind === "notice" ? [entry.text] : []));
