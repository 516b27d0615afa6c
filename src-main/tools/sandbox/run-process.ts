import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Duplex, Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { endOf, startOf } from "#shared/domain/text/format-text.ts";
import type { Redactor } from "../redact.ts";
import { type CommandResult, type NamespaceInit, ToolFailure } from "../tool-interface.ts";
import { descriptors } from "./bubblewrap.ts";
import { killInit, NamespaceHangs, namespaceInit, untilNamespaceGone } from "./process-tree.ts";

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

/** For a program that puts its command into a separate process namespace and starts it on a signal. */
export interface NamespaceToEnter {
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
  /** Explains why a tree was killed by a signal that we did not send. */
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
  const child = startProcess(options);
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
    ? enterNamespace(child, options.namespace, (found) => {
        init = found;
        // Stopped before its process was known.
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
    if (failure && !ended) throw notStarted(failure, text);
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

const headSize = 12_000;
const tailSize = 12_000;

/** Head and tail of a stream of bytes: escapes removed, secrets hidden, memory bounded however much comes. */
class BoundedOutput {
  readonly #decoder = new StringDecoder("utf8");
  readonly #redaction: ReturnType<Redactor["stream"]>;
  readonly #onText: ((text: string) => void) | undefined;
  #escape = "";
  #head = "";
  #tail = "";
  #left = 0;
  #bytes = 0;
  readonly #log: OutputLog | null;

  /** `logFolder` keeps the whole of an output that is too long for the record. */
  constructor(redactor: Redactor, onText: ((text: string) => void) | undefined, logFolder?: string) {
    this.#redaction = redactor.stream();
    this.#onText = onText;
    this.#log = logFolder === undefined ? null : new OutputLog(logFolder);
  }

  /** Path of the log, once there is one. */
  get log(): string | null {
    return this.#log?.path ?? null;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#bytes += chunk.length;
    this.#add(this.#redaction.push(this.#plain(this.#decoder.write(chunk))));
  }

  end(): string {
    this.#add(this.#redaction.push(this.#plain(this.#decoder.end())) + this.#redaction.end());
    this.#log?.close();
    if (this.#left === 0) return this.#head + this.#tail;
    return `${this.#head}\n… ${this.#left} characters left out (${this.#bytes} bytes in all) …\n${this.#tail}`;
  }

  #add(text: string): void {
    if (text === "") return;
    // All of it: test reports come at the end of the output.
    this.#onText?.(text);
    if (this.#log?.path) this.#log.append(text);
    // Once there is a tail the head is closed, even if a character did not fit into its rest.
    const head = this.#tail === "" ? startOf(text, headSize - this.#head.length) : "";
    this.#head += head;
    this.#tail += text.slice(head.length);
    if (this.#tail.length > tailSize * 2) this.#shorten();
  }

  #shorten(): void {
    if (this.#log && !this.#log.path) this.#log.append(this.#head + this.#tail);
    const kept = endOf(this.#tail, tailSize);
    this.#left += this.#tail.length - kept.length;
    this.#tail = kept;
  }

  /** Removes terminal control; an escape that is cut at the end of a chunk waits for the rest. */
  #plain(text: string): string {
    const all = this.#escape + text;
    this.#escape = "";
    const open = openEscape.exec(all);
    const cut = open && open[0].length < 4096 ? open.index : all.length;
    this.#escape = all.slice(cut);
    return withoutEscapes(all.slice(0, cut));
  }
}

/** Limit of a log. */
const maxCharacters = 64_000_000;

/** The whole of one long output, redacted like the record, for the user to look up. */
class OutputLog {
  readonly #folder: string;
  #path: string | null = null;
  #file: number | null = null;
  #written = 0;
  #broken = false;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get path(): string | null {
    return this.#path;
  }

  /** Nice to have: a full disk ends the log, never the command. */
  append(text: string): void {
    if (this.#broken || this.#written >= maxCharacters) return;
    try {
      this.#file ??= this.#open();
      writeSync(this.#file, text);
      this.#written += text.length;
    } catch {
      this.#broken = true;
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #open(): number {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, `${randomUUID()}.log`);
    const file = openSync(path, "wx", 0o600);
    this.#path = path;
    return file;
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
const openEscape = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
const escapes = /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is being removed
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|[\u202a-\u202e\u2066-\u2069]/g;

const withoutEscapes = (text: string): string =>
  text.replace(escapes, "").replace(/\r\n?/g, "\n").replace(controls, "");

export const notStarted = (failure: Error, detail: string): ToolFailure =>
  failure instanceof ToolFailure
    ? failure
    : new ToolFailure("failed", `The sandbox could not be set up: ${detail.trim() || failure.message}`);

/** @param stdin `pipe` for a program that is written to */
export function startProcess(
  {
    program,
    args,
    folder,
    environment,
    namespace,
  }: Pick<ProcessToRun, "program" | "args" | "folder" | "environment" | "namespace">,
  stdin: "ignore" | "pipe" = "ignore",
): ChildProcess {
  const own = namespace
    ? [descriptors.info, descriptors.gate, ...Object.keys(namespace.input).map(Number)]
    : [];
  const inherited = withoutInherited();
  const rest = Array.from({ length: Math.max(inherited.length, ...own.map((one) => one - 2)) }, (_, index) =>
    own.includes(index + 3) ? "pipe" : (inherited[index] ?? "ignore"),
  );
  // A separate process group, so that one signal also reaches what a plain shell started.
  const child = spawn(program, [...args], {
    cwd: folder,
    env: { ...environment },
    stdio: [stdin, "pipe", "pipe", ...rest] as ("ignore" | "pipe" | number)[],
    detached: true,
  });
  for (const descriptor of own) pipeOf(child, descriptor).on("error", () => undefined);
  for (const [descriptor, bytes] of Object.entries(namespace?.input ?? {}))
    pipeOf(child, Number(descriptor)).end(bytes);
  return child;
}

const closeOnExec = 0o2000000;
let nothing: number | undefined;

/**
 * Replacements for descriptors that we inherited, from the third on: an editor or a terminal may leak an open
 * folder, which no mount and no namespace closes. Node marks its own, and hides the first sixteen of these.
 */
function withoutInherited(): ("ignore" | number)[] {
  const inherited = inheritedDescriptors();
  if (inherited.length === 0) return [];
  nothing ??= openSync("/dev/null", "r");
  const put = nothing;
  const last = Math.max(...inherited);
  // "ignore" leaves a place as it is.
  return Array.from({ length: last - 2 }, (_, index) => (inherited.includes(index + 3) ? put : "ignore"));
}

function inheritedDescriptors(): readonly number[] {
  let names: string[];
  try {
    names = readdirSync("/proc/self/fdinfo");
  } catch (error) {
    // Only Linux reports it.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return names.map(Number).filter((descriptor) => descriptor > 2 && survives(descriptor));
}

function survives(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch (error) {
    // Closed since it was listed.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
}

const pipeOf = (child: ChildProcess, descriptor: number): Duplex => child.stdio[descriptor] as Duplex;

/** Waits until the command is at its gate, checks what was prepared, and opens the gate. */
export async function enterNamespace(
  child: ChildProcess,
  { verify }: NamespaceToEnter,
  onFound: (init: NamespaceInit) => void,
): Promise<NamespaceInit> {
  const info = pipeOf(child, descriptors.info);
  const gate = pipeOf(child, descriptors.gate);
  // Read from now on, whichever is checked first.
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

export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") child.kill("SIGKILL");
  }
}
