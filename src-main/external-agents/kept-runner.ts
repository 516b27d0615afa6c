import { createHash, randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeFileAtomically } from "../config/atomic-file.ts";
import { adoptSandbox } from "../tools/sandbox/long-running.ts";
import type { AdoptedProcess, NamespaceInit } from "../tools/tool-interface.ts";
import { heldBy, type RunnerAddress, type RunnerHandle, socketsIn } from "./start-runner.ts";

/** The folders of one worker's agent. */
export interface AgentFolder {
  readonly home: string;
  readonly sockets: string;
  /** Where a host that comes later finds its runner. */
  readonly address: string;
  /** What its agent calls Hox's tools with: a later host has to know it, too. */
  readonly token: string;
  /** What was kept of its sessions on another machine. */
  readonly sessions: string;
  /** Its settings and sessions where it has the user's login. */
  readonly login: string;
}

/**
 * @param stateFolder of the repository
 * @param sharedFolder of all repositories: its path is shorter, as those of sockets have to be
 * @param worker unique among all repositories
 */
export function agentFolder(stateFolder: string, sharedFolder: string, worker: string): AgentFolder {
  const id = createHash("sha256").update(worker).digest("hex").slice(0, 10);
  const folder = join(stateFolder, "agents", id);
  return {
    home: join(folder, "home"),
    sockets: join(sharedFolder, "s", id),
    address: join(folder, "runner.json"),
    token: join(folder, "token"),
    sessions: join(folder, "sessions.json"),
    login: join(folder, "login"),
  };
}

/** The worker's secret for Hox's tools: made once. */
export async function toolsToken({ token: file }: AgentFolder): Promise<string> {
  const kept = await readFile(file, "utf8").catch(() => null);
  if (kept !== null) return kept;
  const made = randomBytes(32).toString("hex");
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, made, { mode: 0o600 });
  return made;
}

/**
 * The runner that an earlier host left behind, with the turn that it is in; null: there is none.
 *
 * @param login what its sandbox has of the user's login now; one with another is ended
 * @param adopt takes over its sandbox
 */
export async function keptRunner(
  folder: AgentFolder,
  login: string | null,
  adopt: (init: NamespaceInit) => Promise<AdoptedProcess>,
): Promise<RunnerHandle | null> {
  const kept = await readAddress(folder);
  if (kept === null) return null;
  if ((kept.login ?? null) === login) return { ...kept, ...heldBy(kept.init && (await adopt(kept.init))) };
  await endKeptRunner(folder, adopt);
  return null;
}

/** Ends the runner that an earlier host left behind: the agent works elsewhere now. */
export async function endKeptRunner(
  folder: Pick<AgentFolder, "address">,
  adopt: (init: NamespaceInit) => Promise<AdoptedProcess>,
): Promise<void> {
  const kept = await readAddress(folder);
  if (kept === null) return;
  const held = heldBy(kept.init && (await adopt(kept.init)));
  await held.kill();
  await held.restoreProtected();
  await rm(folder.address, { force: true });
}

async function readAddress({ address }: Pick<AgentFolder, "address">): Promise<KeptAddress | null> {
  const text = await readFile(address, "utf8").catch(() => null);
  return text === null ? null : (JSON.parse(text) as KeptAddress);
}

/** With the workspace, without links, in which its agent works, and the stamp of the login that it was given. */
type KeptAddress = RunnerAddress & { readonly workspace: string; readonly login?: string | null };

export async function keepRunner(
  { address: file }: AgentFolder,
  { socket, token, view, init }: RunnerAddress,
  { workspace, login }: { readonly workspace: string; readonly login: string | null },
): Promise<void> {
  const kept: KeptAddress = { socket, token, view, init, login, workspace: await realpath(workspace) };
  await writeFile(file, JSON.stringify(kept), { mode: 0o600 });
}

/** Where the worker's network listens: a socket that an earlier host has left is in the way of a new one. */
export async function networkSocket({ sockets }: AgentFolder): Promise<string> {
  const path = socketsIn(sockets).network;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await rm(path, { force: true });
  return path;
}

/** What a machine has of an agent's sessions, for the next one or for this one. */
export const keepSessions = (
  { sessions }: AgentFolder,
  files: Readonly<Record<string, string>>,
): Promise<void> => writeFileAtomically(sessions, JSON.stringify(files));

export async function keptSessions({ sessions }: AgentFolder): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(sessions, "utf8").catch(() => null);
  return text === null ? {} : (JSON.parse(text) as Readonly<Record<string, string>>);
}

/** After its end. */
export async function forgetRunner({ address, sockets }: AgentFolder): Promise<void> {
  await rm(address, { force: true });
  await rm(sockets, { recursive: true, force: true });
}

/**
 * Takes over the sandboxes of all runners that hosts have left behind.
 * @returns them: a host that starts lets them live
 */
export async function adoptSandboxes(stateFolder: string): Promise<readonly NamespaceInit[]> {
  const folder = join(stateFolder, "agents");
  const names = await readdir(folder).catch(() => []);
  const kept = await Promise.all(
    names.map((name) => readFile(join(folder, name, "runner.json"), "utf8").catch(() => null)),
  );
  const inits: NamespaceInit[] = [];
  for (const text of kept) {
    if (text === null) continue;
    const { init, workspace } = JSON.parse(text) as KeptAddress;
    if (init === null) continue;
    inits.push(init);
    await adoptSandbox(init, workspace);
  }
  return inits;
}
