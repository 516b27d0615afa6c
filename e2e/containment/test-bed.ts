import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import type { RemotePlace } from "../../src-main/places/host/remote-place.ts";
import type { ExactPaths } from "../../src-main/tools/protected-files.ts";
import { addWorkspaceLayer } from "../../src-main/tools/sandbox/layers.ts";
import type { Limits } from "../../src-main/tools/sandbox/limits.ts";
import { createSandbox, type SandboxOptions } from "../../src-main/tools/sandbox/sandbox.ts";
import type {
  CommandResult,
  FileAccess,
  PlacedCommand,
  Sandbox,
} from "../../src-main/tools/tool-interface.ts";
import { workspaceFiles } from "../../src-main/tools/workspace-files.ts";
import { fingerprint } from "./fingerprint.ts";
import { startChildHost } from "./start-child-host.ts";

const execute = promisify(execFile);

export interface RunOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly folder?: string;
  readonly limits?: Partial<Limits>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly exactPaths?: ExactPaths;
  readonly hosts?: readonly string[];
  readonly network?: NonNullable<SandboxOptions["network"]>;
  readonly onOutput?: (text: string) => void;
}

/** Files around a workspace on a user's machine, each with the canary in it. */
const outsideFiles = {
  secret: "",
  "opened/.jj/repo/store/type": "git",
  "opened/.jj/working_copy/checkout": "",
  "opened/.git/config": "",
  "opened/.git/hooks/post-commit": "",
  "opened/.env": "",
  "opened/.gitignore": "",
  "opened/package.json": "",
  "opened/AGENTS.md": "",
  "opened/source/main.ts": "",
  "sibling/.jj/repo": "",
  "sibling/work.txt": "",
  "state/journal.sqlite": "",
  "state/settings.json": "",
  "home/.ssh/id_ed25519": "",
  "home/.aws/credentials": "",
  "home/.netrc": "",
} as const;

/** What an agent finds in its own folder. */
export const workspaceContents = {
  ".jj/repo": "/nowhere/opened/.jj/repo",
  ".jj/working_copy/type": "local",
  ".env": "KEY=value",
  ".gitignore": "*.ignored\n",
  "AGENTS.md": "Be careful.",
  "package.json": '{ "name": "example", "scripts": { "test": "true" } }',
  "packages/app/yarn.lock": "locked",
  "packages/app/main.ts": "export {};",
  "a.txt": "text",
  "source/one.ts": "1",
} as const;

export const newCanary = (): string => `canary-${randomBytes(9).toString("hex")}`;

/** A workspace that is not made here, and what its agent does things with. */
interface GivenWorkspace extends Pick<TestBed, "folder" | "canary" | "workspace" | "files"> {
  readonly run: (command: PlacedCommand) => Promise<CommandResult>;
  readonly worker: WorkerUnderTest;
}

/** The worker that has the workspace, and its host. */
interface WorkerUnderTest {
  readonly place: RemotePlace;
  readonly pid: number;
  /** Folder of the worker, with its key. */
  readonly folder: string;
  /** Folder of its host, and the port at which that takes workers. */
  readonly host: string;
  readonly hostPort: number;
  /** What the host has of the workspace's files. */
  readonly hostFiles: string;
  /** The host has the place from now on, in another epoch. */
  giveAway(): Promise<void>;
}

/**
 * One agent's workspace with a user's files around it, in a temporary folder. `seen` is all that the agent got to
 * see: anything from outside in it was read.
 */
export class TestBed {
  readonly folder: string;
  readonly canary: string;
  readonly workspace: string;
  /** Stands in the command line of every program that may not outlive its command. */
  readonly marker: string;
  readonly files: FileAccess;
  readonly results: CommandResult[] = [];
  /** Processes of a command that still lived when `run` said that it had ended. */
  readonly survivors: string[] = [];
  seen = "";
  /** What the case found out while it attacked, for its judge. */
  note = "";
  readonly #ends: (() => unknown)[] = [];
  #before: ReadonlyMap<string, string> = new Map();

  readonly #given: GivenWorkspace | null;
  /** Where an agent of another make has its HOME, and the host its sockets for it. */
  readonly agentHome: string;
  readonly agentSockets: string;
  /** What another agent on the same machine has. */
  readonly otherAgent: string;

  constructor(given: GivenWorkspace | null = null) {
    this.#given = given;
    this.folder = given?.folder ?? realpathSync(mkdtempSync(join(tmpdir(), "hox-containment-")));
    this.canary = given?.canary ?? newCanary();
    this.marker = `alive-${randomBytes(9).toString("hex")}`;
    this.workspace = given?.workspace ?? join(this.folder, "workspace");
    this.agentHome = this.outside(given ? "agent" : "agent/home");
    this.agentSockets = given ? join(given.worker.host, "s") : this.outside("agent/s");
    // Where a worker has the sockets of all its agents.
    this.otherAgent = given ? mkdtempSync(join(tmpdir(), "hox-agent-")) : this.outside("other");
    this.after(() => rmSync(this.otherAgent, { recursive: true, force: true }));
    for (const [path, text] of Object.entries(outsideFiles)) this.put(path, `${text}${this.canary}\n`);
    for (const [path, text] of Object.entries(workspaceContents)) this.putInside(path, text);
    mkdirSync(`${this.workspace}.home`, { recursive: true });
    // Packages shared by workspaces are among its files, and no agent may change them for the others.
    this.put("shared/packages/pad/index.js", "pad");
    mkdirSync(join(this.workspace, "node_modules"));
    this.files = given?.files ?? workspaceFiles({ workspace: this.workspace });
  }

  /** Writes a file below the folder of the test bed, and replaces what is in the way. */
  put(path: string, text: string | Uint8Array): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** The same in the workspace. */
  putInside(path: string, text: string | Uint8Array): void {
    this.put(join(basename(this.workspace), path), text);
  }

  outside(path: string): string {
    return join(this.folder, path);
  }

  inside(path: string): string {
    return join(this.workspace, path);
  }

  get isOnWorker(): boolean {
    return this.#given !== null;
  }

  /** @throws Error where the workspace is on the host */
  get worker(): WorkerUnderTest {
    if (this.#given === null) throw new Error("This workspace is on no worker.");
    return this.#given.worker;
  }

  /** Called after planting: from here on nothing outside may change. */
  settle(): void {
    this.#before = this.#around();
  }

  get before(): ReadonlyMap<string, string> {
    return this.#before;
  }

  now(): ReadonlyMap<string, string> {
    return this.#around();
  }

  #around(): ReadonlyMap<string, string> {
    // A worker removes a place that was given away.
    if (!existsSync(this.folder)) return new Map();
    return new Map(
      readdirSync(this.folder)
        // The host's drafts of what an agent writes are next to its workspace, where no agent reaches, as are
        // HOME of its commands and what they changed of shared folders, which is theirs, and what an agent of another
        // make has, and the index by which a worker knows what changed.
        .filter((name) => ![".drafts", "agent"].includes(name))
        .filter((name) => ![basename(this.workspace), "index"].some((own) => name.startsWith(own)))
        .flatMap((name) =>
          [...fingerprint(join(this.folder, name))].map(([path, was]) => [`${name}/${path}`, was]),
        ),
    );
  }

  /** All that is in the workspace, names that are no text included. */
  names(): readonly string[] {
    const options = { cwd: this.workspace, encoding: "latin1", maxBuffer: 1e9 } as const;
    return execFileSync("find", [".", "-mindepth", "1", "-printf", "%P\\0"], options)
      .split("\0")
      .filter((path) => path !== "");
  }

  async sandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
    if (this.#given !== null) throw new Error("A place on a worker has a sandbox of its own.");
    await addWorkspaceLayer(this.workspace, {
      lower: this.outside("shared/packages"),
      destination: "node_modules",
    });
    // As in a run: the workspace has the path of the repository that it is a copy of.
    return createSandbox({ allowUnsandboxed: false, repository: this.outside("opened"), ...options });
  }

  /** A command as an agent gives it, to its end. */
  async run(command: string, options: RunOptions = {}): Promise<CommandResult> {
    const { limits, secrets, hosts, network } = options;
    const ofSandbox = {
      ...(limits ? { limits } : {}),
      ...(secrets ? { secrets } : {}),
      ...(hosts ? { hosts } : {}),
      ...(network ? { network } : {}),
    };
    const run =
      this.#given !== null && Object.keys(ofSandbox).length === 0
        ? this.#given.run
        : await this.#runInSandbox(ofSandbox);
    const result = await run({
      command,
      environment: options.environment ?? {},
      timeoutMs: options.timeoutMs ?? 30_000,
      signal: options.signal ?? new AbortController().signal,
      ...(options.folder === undefined ? {} : { folder: options.folder }),
      ...(options.exactPaths === undefined ? {} : { exactPaths: options.exactPaths }),
      onOutput: (text) => {
        this.see(text);
        options.onOutput?.(text);
      },
    });
    if (command.includes(this.marker)) this.survivors.push(...aliveWith(this.marker));
    this.results.push(result);
    this.see(result.output);
    return result;
  }

  async #runInSandbox(options: Partial<SandboxOptions>): Promise<GivenWorkspace["run"]> {
    const sandbox = await this.sandbox(options);
    return (command) => sandbox.run({ ...command, workspace: this.workspace });
  }

  /** A command of a host that has secrets in its own environment, with all that it printed. */
  async runWithSecrets(command: string, environment: Readonly<Record<string, string>>): Promise<void> {
    if (this.#given !== null) return void (await this.run(command));
    const child = startChildHost({ kind: "command", workspace: this.workspace, command }, { environment });
    this.see((await child.ended).output);
  }

  /** A call of a file tool; what it answers or refuses with is seen. */
  async call<T>(work: (files: FileAccess) => Promise<T>): Promise<T | null> {
    try {
      const answer = await work(this.files);
      this.see(JSON.stringify(answer));
      return answer;
    } catch (error) {
      this.see(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
      return null;
    }
  }

  see(text: string): void {
    this.seen += `${text}\n`;
  }

  /** What has to be ended before the ground is removed. */
  after(end: () => unknown): void {
    this.#ends.unshift(end);
  }

  async remove(): Promise<void> {
    for (const end of this.#ends) await end();
    // Programs, because names here need be neither text nor shorter than a path may be, and folders may be closed.
    await execute("rm", ["-rf", this.folder]).catch(async () => {
      await execute("chmod", ["-R", "u+rwX", this.folder]).catch(() => {});
      await execute("rm", ["-rf", this.folder]);
    });
  }
}

/** Processes that still carry a marker in their command line, zombies left out. */
export function aliveWith(marker: string): readonly string[] {
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/u.test(name) || name === String(process.pid)) return false;
    try {
      return readFileSync(`/proc/${name}/cmdline`, "latin1").includes(marker);
    } catch {
      // It ended while we looked.
      return false;
    }
  });
}
