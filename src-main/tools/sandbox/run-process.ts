import { type ChildProcess, spawn } from "node:child_process";
import type { Duplex, Readable } from "node:stream";
import type { Redactor } from "../redact.ts";
import { ToolFailure } from "../tool-failure.ts";
import type { CommandResult } from "../tool-interface.ts";
import { BoundedOutput } from "./bounded-output.ts";
import { descriptors } from "./bubblewrap.ts";
import { NamespaceHangs } from "./hanging-workspaces.ts";
import { withoutInherited } from "./inherited-descriptors.ts";
import { killInit, type NamespaceInit, namespaceInit, untilNamespaceGone } from "./namespace-end.ts";

export interface ProcessToRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly redactor: Redactor;
  readonly onOutput?: ((text: string) => void) | undefined;
  readonly logFolder?: string | undefined;
  readonly namespace?: NamespaceToEnter | undefined;
}

/** For a program that puts its command into a process namespace of its own, and lets it begin when it is told to. */
interface NamespaceToEnter {
  /** By descriptor. */
  readonly input: Readonly<Record<number, Buffer>>;
  /**
   * Looks at what was prepared before the command begins. What it throws keeps the command from beginning.
   * @param outer the program's own process
   */
  verify(init: NamespaceInit, outer: number): Promise<void>;
  /** Watches the running tree; its call to `kill` counts as a failure of the command, with this reason. */
  watch(init: NamespaceInit, kill: (reason: string) => void): () => void;
  /** Ends the tree in one more way, should there be one. */
  kill?(): void;
  /** Says why a tree has ended by a signal that nobody here has sent. */
  whyKilled?(): string | null;
}

export type ProcessResult = Omit<CommandResult, "restored">;

/** A process that hangs in the kernel is the system's to end; its folder cannot be used until then. */
const patienceMs = 30_000;

/**
 * Runs one program to its end, its time limit or its cancel, and leaves no process of it behind: it answers when the
 * last one is gone, not when the first one is.
 */
export async function runProcess(options: ProcessToRun): Promise<ProcessResult> {
  const begun = performance.now();
  if (options.signal.aborted)
    return { outcome: "cancelled", exitCode: null, output: "", bytes: 0, ms: 0, log: null };

  const output = new BoundedOutput(options.redactor, options.onOutput, options.logFolder);
  const child = start(options);
  let ended: "timed-out" | "cancelled" | null = null;
  let reason = "";
  let init: NamespaceInit | null = null;
  const stop = (why: "timed-out" | "cancelled" | null, detail = ""): void => {
    ended ??= why;
    reason ||= detail;
    if (init) killInit(init);
    options.namespace?.kill?.();
    killGroup(child);
  };
  const onAbort = (): void => stop("cancelled");
  const timer = setTimeout(() => stop("timed-out"), options.timeoutMs);
  options.signal.addEventListener("abort", onAbort, { once: true });
  let unwatch: (() => void) | undefined;

  child.stdout?.on("data", (chunk: Buffer) => output.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => output.push(chunk));
  const entered = options.namespace
    ? enter(child, options.namespace, (found) => {
        init = found;
        // Stopped before anybody knew whom to stop.
        if (ended) killInit(found);
      }).then(
        (found) => {
          unwatch = options.namespace?.watch(found, (detail) => stop(null, detail));
          return null;
        },
        (error: unknown) => {
          stop(null);
          return error instanceof Error ? error : new Error(String(error));
        },
      )
    : Promise.resolve(null);

  try {
    const code = await exitOf(child);
    if (code === null && !ended) reason ||= options.namespace?.whyKilled?.() ?? "";
    unwatch?.();
    killGroup(child);
    const failure = await entered;
    unwatch?.();
    if (init && !(await untilNamespaceGone(init, patienceMs))) throw new NamespaceHangs(init);
    const text = output.end();
    if (failure && !ended) throw notBegun(failure, text);
    return {
      outcome: ended ?? (code === 127 ? "missing" : "exited"),
      exitCode: ended ? null : code,
      output: reason === "" ? text : `${text}\n${reason}`,
      bytes: output.bytes,
      log: output.log,
      ms: Math.round(performance.now() - begun),
    };
  } finally {
    clearTimeout(timer);
    unwatch?.();
    options.signal.removeEventListener("abort", onAbort);
  }
}

const notBegun = (failure: Error, detail: string): ToolFailure =>
  failure instanceof ToolFailure
    ? failure
    : new ToolFailure("failed", `The sandbox could not be set up: ${detail.trim() || failure.message}`);

function start({ program, args, folder, environment, namespace }: ProcessToRun): ChildProcess {
  const own = namespace
    ? [descriptors.info, descriptors.gate, ...Object.keys(namespace.input).map(Number)]
    : [];
  const inherited = withoutInherited();
  const rest = Array.from({ length: Math.max(inherited.length, ...own.map((one) => one - 2)) }, (_, index) =>
    own.includes(index + 3) ? "pipe" : (inherited[index] ?? "ignore"),
  );
  // A group of its own, so that one signal reaches what a plain shell started too.
  const child = spawn(program, [...args], {
    cwd: folder,
    env: { ...environment },
    stdio: ["ignore", "pipe", "pipe", ...rest] as ("ignore" | "pipe" | number)[],
    detached: true,
  });
  for (const descriptor of own) pipeOf(child, descriptor).on("error", () => undefined);
  for (const [descriptor, bytes] of Object.entries(namespace?.input ?? {}))
    pipeOf(child, Number(descriptor)).end(bytes);
  return child;
}

const pipeOf = (child: ChildProcess, descriptor: number): Duplex => child.stdio[descriptor] as Duplex;

/** Waits until the command stands before its gate, looks at what was prepared, and opens the gate. */
async function enter(
  child: ChildProcess,
  { verify }: NamespaceToEnter,
  onFound: (init: NamespaceInit) => void,
): Promise<NamespaceInit> {
  const info = pipeOf(child, descriptors.info);
  const gate = pipeOf(child, descriptors.gate);
  // Read from now on, whoever is looked at first.
  const atGate = textUntil(gate, (text) => text !== "");
  atGate.catch(() => undefined);
  const text = await textUntil(info, (so) => so.includes("}"));
  const pid = (JSON.parse(text) as { "child-pid": number })["child-pid"];
  const init = namespaceInit(pid);
  onFound(init);
  await atGate;
  await verify(init, child.pid ?? 0);
  gate.end("\n");
  return init;
}

function textUntil(stream: Readable, isEnough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      if (isEnough(text)) resolve(text);
    });
    stream.once("close", () => reject(new Error("It exited before its command started.")));
  });
}

/** Its exit code, once its output has ended too. */
function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    // A process that escaped from an unsandboxed tree may hold the pipe open for ever; do not wait for it.
    child.once("exit", () =>
      setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        for (const one of child.stdio.slice(3)) one?.destroy();
      }, 1000).unref(),
    );
    child.once("close", (code) => resolve(code));
  });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") child.kill("SIGKILL");
  }
}
