import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import type * as acp from "@agentclientprotocol/sdk/unstable";
import { methods } from "@agentclientprotocol/sdk/unstable";
import type { Bridges } from "./bridge.ts";
import type { ReportedCapabilities, RunnerConfig } from "./runner-protocol.ts";

/** Of what it says when it fails. */
const maxErrorLength = 2_000;

export interface AgentProcess {
  readonly output: ReadableStream<Uint8Array>;
  readonly input: WritableStream<Uint8Array>;
  /** How it ended, with the last that it wrote to its error output. */
  readonly ended: Promise<string>;
  /** Ends it at once. */
  kill(): void;
  /** Ends its input and, if that is not enough, the process with all that it has started. */
  stop(): void;
}

/** @param room resolves when what it says can be taken; until then it has to wait */
export function startAgent(
  { agent, cwd, limits }: Pick<RunnerConfig, "agent" | "cwd" | "limits">,
  bridges: Bridges,
  room: () => Promise<void>,
): AgentProcess {
  const [program, ...args] = agent.words;
  const own = Object.entries(agent.environment).map(
    ([name, value]) =>
      [
        name,
        value
          .replaceAll("{bridge}", bridges.gateway)
          .replaceAll("{proxy}", bridges.network ?? "")
          .replaceAll("{home}", process.env.HOME ?? ""),
      ] as const,
  );
  // A separate process group, so that one signal also reaches what it started.
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...Object.fromEntries(own) },
    stdio: "pipe",
    detached: true,
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString("utf8")).slice(-maxErrorLength);
  });
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on("error", () => undefined);
  const ended = new Promise<string>((resolve) => {
    const tell = (how: string): void => resolve(`${how}${errors.trim() === "" ? "" : `: ${errors.trim()}`}`);
    child.once("error", ({ message }) => tell(`it could not be started (${message})`));
    // Its output may be held open by what it has started.
    child.once("exit", (code, signal) => {
      killGroup(child);
      setTimeout(() => tell(`it exited with ${signal ?? `code ${code}`}`), 50);
    });
  });
  const waits = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      await room();
      controller.enqueue(chunk);
    },
  });
  return {
    output: (Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>).pipeThrough(waits),
    input: Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    ended,
    kill: () => killGroup(child),
    stop() {
      child.stdin.end();
      const timer = setTimeout(() => killGroup(child), limits.closeMs);
      ended.finally(() => clearTimeout(timer));
    },
  };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // It is gone, or has a group of another user.
    child.kill("SIGKILL");
  }
}

type Agent = acp.ClientConnection["agent"];

/** What an agent says of itself. */
export interface AboutAgent {
  readonly name: string;
  readonly version: string;
  readonly capabilities: ReportedCapabilities;
}

/** What an agent offers in a session that it opened. */
export type Opened = Pick<acp.NewSessionResponse, "modes" | "configOptions">;

/**
 * Chooses mode and model where the agent offers them.
 *
 * @returns what it does not offer
 */
export async function chooseSettings(
  agent: Agent,
  {
    sessionId,
    opened: { modes, configOptions },
    mode,
    model,
  }: { sessionId: string; opened: Opened; mode: string | undefined; model: string | undefined },
): Promise<string[]> {
  const notes: string[] = [];
  const { session } = methods.agent;
  if (mode !== undefined && modes?.currentModeId !== mode) {
    if (modes?.availableModes.some(({ id }) => id === mode))
      await agent.request(session.setMode, { sessionId, modeId: mode });
    else notes.push(`The agent does not offer the mode "${mode}".`);
  }
  const choice = configOptions?.find(({ category }) => category === "model");
  if (model === undefined || choice?.type !== "select" || choice.currentValue === model) return notes;
  const offered = choice.options.flatMap((one) => ("options" in one ? one.options : [one]));
  if (offered.some(({ value }) => value === model))
    await agent.request(session.setConfigOption, { sessionId, configId: choice.id, value: model });
  else notes.push(`The agent does not offer the model "${model}". It uses "${choice.currentValue}".`);
  return notes;
}

export function aboutAgent({ agentInfo, agentCapabilities: can }: acp.InitializeResponse): AboutAgent {
  return {
    name: agentInfo?.name ?? "agent",
    version: agentInfo?.version ?? "unknown",
    capabilities: {
      resume: can?.sessionCapabilities?.resume ? "resume" : can?.loadSession ? "load" : "none",
      mcpHttp: can?.mcpCapabilities?.http ?? false,
      images: can?.promptCapabilities?.image ?? false,
      system: Boolean(can?.sessionCapabilities?.systemPrompt),
    },
  };
}

/** @throws Error when it takes longer */
export async function within<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not answer within ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
