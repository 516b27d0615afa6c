import { randomBytes } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { resourcesFolder } from "../config/resources-folder.ts";
import { findTool } from "../config/tools.ts";
import {
  type AdoptedProcess,
  type LongRunningProcess,
  type LongRunningProgram,
  type Sandbox,
  type SandboxMount,
  ToolFailure,
} from "../tools/tool-interface.ts";
import type { RunnerConfig } from "./runner/runner-protocol.ts";

/** The command of an agent, as it is called inside the sandbox. */
export interface AgentCommand {
  readonly words: readonly [string, ...string[]];
  /**
   * In a value `{bridge}` stands for the address that leads to the worker's gateway, `{home}` for HOME and, with a login,
   * `{proxy}` for the address of its network and `{login}` for its folder.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** What HOME has when it is new. Later it is the agent's, and no host writes into it. */
  readonly files?: Readonly<Record<string, string>>;
  /** Where below HOME it keeps its sessions, from which it resumes them; absent: that is not known. */
  readonly sessions?: string;
  /** What it needs of this machine beyond the system and the toolchains: the folders of its packages. */
  readonly readable: readonly string[];
  /** Settings of the project for it: they could start programs and lead it elsewhere. Empty for it in the sandbox. */
  readonly hidden?: readonly string[];
}

export interface RunnerOptions
  extends Pick<LongRunningProgram, "workspace" | "home" | "protectedFiles" | "exactPaths"> {
  readonly sandbox: Pick<Sandbox, "isolation" | "start">;
  readonly agent: AgentCommand;
  /** The worker's folder of sockets, with a short path, outside of the workspace. See `socketsIn`. */
  readonly sockets: string;
  /** Its user's own login: it sees the file, and has a network. Absent: neither. */
  readonly login?: MountedLogin;
  readonly limits?: Partial<RunnerConfig["limits"]>;
}

/** The login file of an agent's user, as its sandbox has it. */
interface MountedLogin {
  /** The user's file. Inside it can only be read. */
  readonly file: string;
  /** Its name inside. */
  readonly name: string;
  /** Becomes the folder with the file, where the agent keeps its settings and sessions. */
  readonly folder: string;
}

/** Where a host finds a worker's runner; plain data, to be kept for a host that comes later. */
export interface RunnerAddress {
  readonly socket: string;
  readonly token: string;
  /** The workspace as the agent sees it. */
  readonly view: string;
  readonly init: LongRunningProcess["init"];
}

/** A worker's runner as a host works with it. */
export interface RunnerHandle extends RunnerAddress {
  /** What its agent has to be told of files that were lost before it; null: nothing. */
  readonly loss?: string | null;
  /** Whether it is on another machine, with which its agent's sessions may be gone. */
  readonly isAway?: boolean;
  /** What its agent has written of its sessions there, by paths below HOME; null: nothing that may be kept. */
  readSessions?(): Promise<Readonly<Record<string, string>> | null>;
  /** Stops what is in its sandbox for a moment, and reverts what was changed of protected files. @returns which */
  restoreProtected(): Promise<readonly string[]>;
  /** Ends its sandbox with all that is in it. */
  kill(): Promise<void>;
  /**
   * The last event that an earlier host has stored, for one that stores its place together with the entries and so has each
   * of them once. Default: events are repeated that were not confirmed, which may be the last few.
   */
  readonly after?: number | null;
}

export interface Runner extends RunnerHandle {
  readonly process: LongRunningProcess;
}

/** Where the sockets of a worker are: the runner listens at the last, the host at the others. */
export const socketsIn = (
  folder: string,
): Readonly<Record<"gateway" | "tools" | "network" | "runner", string>> => ({
  gateway: join(folder, "out", "gateway"),
  tools: join(folder, "out", "tools"),
  network: join(folder, "out", "network"),
  runner: join(folder, "in", "runner"),
});

const defaultLimits: RunnerConfig["limits"] = {
  startMs: 120_000,
  cancelMs: 5_000,
  closeMs: 2_000,
  unattendedMs: 10 * 60_000,
  unconfirmedBytes: 16 * 2 ** 20,
};

/** Where the parts are inside. `/run` is the sandbox's own, and no workspace is below it. */
const inside = "/run/hox-agent";
/** What a Unix socket's address holds, less its final null byte; macOS has the shorter one. */
const maxSocketPathLength = 103;

/**
 * Starts a worker's runner in its sandbox. The agent itself is started with its first session.
 *
 * @throws ToolFailure where there is no sandbox, or the runner does not start in it
 */
export async function startRunner(options: RunnerOptions): Promise<Runner> {
  const { sandbox, agent, sockets, home } = options;
  const paths = socketsIn(sockets);
  for (const path of Object.values(paths)) {
    if (Buffer.byteLength(path) > maxSocketPathLength)
      throw new Error(
        `${path} is too long for a Unix socket (${maxSocketPathLength} bytes). Set HOX_STATE to a folder with a shorter path.`,
      );
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  }
  await makeHome(home, agent.files ?? {});
  const isContained = sandbox.isolation.kind !== "none";
  if (options.login && !isContained)
    throw new ToolFailure("failed", "A login is used only in a sandbox, and this machine has none.");
  const mounted: SandboxMount[] = [];
  const at = (source: string, name: string, readOnly = true): string => {
    if (!isContained) return source;
    mounted.push({ source, destination: `${inside}/${name}`, readOnly });
    return `${inside}/${name}`;
  };
  const tool = findTool("node");
  const node = at(realpathSync(tool.found ? tool.path : process.execPath), "node");
  const script = runnerScript(at);
  const out = at(dirname(paths.gateway), "out");
  const socket = join(at(dirname(paths.runner), "in", false), "runner");
  const login = options.login ? await mountLogin(options.login, at) : null;
  const running = await sandbox.start({
    words: [node, script],
    workspace: options.workspace,
    environment: { NODE_NO_WARNINGS: "1" },
    home,
    mounts: [...mounted, ...agent.readable.map((source) => ({ source, destination: source }))],
    hidden: agent.hidden ?? [],
    ...(options.protectedFiles ? { protectedFiles: options.protectedFiles } : {}),
    ...(options.exactPaths ? { exactPaths: options.exactPaths } : {}),
  });
  const token = randomBytes(32).toString("hex");
  const { words, environment } = agent;
  const config: RunnerConfig = {
    ...{ token, socket, gateway: join(out, "gateway"), tools: join(out, "tools"), cwd: running.view },
    network: login === null ? null : join(out, "network"),
    agent: { words: [...words], environment: withLogin(environment, login) },
    limits: { ...defaultLimits, ...options.limits },
  };
  running.stdin.write(`${JSON.stringify(config)}\n`);
  await untilReady(running);
  const { view, init } = running;
  return { ...{ socket: paths.runner, token, view, init, process: running }, ...heldBy(running) };
}

/** @param held null: it ran without a sandbox, and another host cannot take it over */
export const heldBy = (held: AdoptedProcess | null): Pick<RunnerHandle, "restoreProtected" | "kill"> => ({
  restoreProtected: async () => (await held?.whileStopped(() => held.restoreProtected())) ?? [],
  kill: async () => held?.kill(),
});

/**
 * The file is mounted in a folder that is never without it, so that no link of the agent's can be where the mount goes.
 *
 * @returns the folder inside
 */
async function mountLogin(
  { file, name, folder }: MountedLogin,
  at: (source: string, name: string, readOnly?: boolean) => string,
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const inside = at(folder, "login", false);
  at(realpathSync(file), `login/${name}`);
  return inside;
}

const withLogin = (environment: AgentCommand["environment"], login: string | null): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, value.replaceAll("{login}", login ?? "")]),
  );

async function makeHome(home: string, files: Readonly<Record<string, string>>): Promise<void> {
  const made = await mkdir(home, { recursive: true, mode: 0o700 });
  if (made === undefined) return;
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  }
}

/** In the sources the runner needs its packages and what says that they are modules; in a build it is one folder. */
function runnerScript(at: (source: string, name: string) => string): string {
  const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
  const source = here("runner/runner-main.ts");
  if (existsSync(source)) {
    const folder = at(dirname(source), "code/runner");
    for (const name of ["package.json", "node_modules"]) at(here(`../../${name}`), `code/${name}`);
    return join(folder, "runner-main.ts");
  }
  // A worker that is one file has written it among its resources.
  const places = ["./runner.js", "../runner.js"]
    .map(here)
    .concat(join(resourcesFolder(), "runner/runner.js"));
  const built = places.find((file) => existsSync(file));
  if (built === undefined)
    throw new Error("The program that runs other agents is missing. Install Hox again.");
  return join(at(dirname(built), "code"), "runner.js");
}

/** What it writes to its error output is for the error; once it is ready it writes nothing that matters. */
async function untilReady({ stdout, stderr, ended }: LongRunningProcess): Promise<void> {
  let errors = "";
  stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString("utf8")).slice(-2_000);
  });
  const ready = new Promise<true>((resolve) => stdout.on("data", () => resolve(true)));
  if ((await Promise.race([ready, ended])) === true) return;
  const { exitCode, reason } = await ended;
  const why = [reason, errors.trim()].filter((text) => text !== "").join(" ");
  throw new ToolFailure(
    "failed",
    `The agent's runner did not start: it exited with ${exitCode ?? "a signal"}. ${why}`.trim(),
  );
}
