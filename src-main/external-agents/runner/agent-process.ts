import { type ChildProcess, spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import type { Bridges } from "./bridge.ts";
import type { RunnerConfig } from "./runner-protocol.ts";

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
