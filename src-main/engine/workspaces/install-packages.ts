/** One installation: in a fresh checkout of the shared base, in a sandbox that reaches only the registry. */
import { existsSync } from "node:fs";
import { lstat, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { installation } from "#shared/domain/dependencies/install-command.ts";
import type { DependencyRequest } from "#shared/domain/dependencies/request.ts";
import { endOf } from "#shared/domain/text/format-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { InstallCommand, InstalledPackages } from "#shared/run/events.ts";
import { Folder } from "../../disk/folder.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { IgnoreRules } from "../../tools/sandbox/ignore-rules.ts";
import { workspaceDataFolders } from "../../tools/sandbox/workspace-home.ts";
import { type CommandResult, type FileAccess, ToolFailure } from "../../tools/tool-interface.ts";
import { workspaceFiles } from "../../tools/workspace-files.ts";
import { Interrupted } from "../engine-errors.ts";
import type { Run } from "../ports.ts";
import { freshCheckouts } from "./checkout.ts";
import { installedPackages, installHostsSetting, packagesFolder } from "./installed-packages.ts";
import { bringPackages, packagePaths } from "./set-up-workspace.ts";

/** What an installation made. Nothing of it counts before it is applied. */
export interface Installed {
  readonly kind: "installed";
  /** Whole texts of manifests and lock files that changed, as they were and as they are. */
  readonly before: Readonly<Record<string, string | null>>;
  readonly after: Readonly<Record<string, string>>;
  readonly packages: InstalledPackages;
}

export type InstallResult =
  | Installed
  /** Nothing was changed; the reason, in sentences for the agent and the user. */
  | { readonly kind: "failed"; readonly words: string };

/** A manifest or a lock file that is larger is none. */
const maxBytes = 50_000_000;
/** Of what a package manager printed, the end. */
const maxOutputLength = 4_000;

/** Time for one installation. */
const installTimeoutMinutes = 10;

export interface Installation {
  /** Another one for each installation of the run. */
  readonly id: string;
  readonly request: DependencyRequest;
  /** The shared base and the paths of it to record. */
  readonly commit: string;
  readonly paths: readonly string[];
  readonly plan: ReturnType<typeof installation> & { readonly registry: InstallRegistry };
}

interface InstallRegistry {
  readonly hosts: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Installs in a separate checkout and keeps the result. Leftovers of an interrupted installation are removed.
 * @throws Interrupted when the run ends meanwhile
 */
export async function installInCheckout(run: Run, asked: Installation): Promise<InstallResult> {
  const signal = run.runEnded.signal;
  const place = join(packagesFolder(run.stateFolder, run.id), asked.id);
  await removeTree(place);
  const places = await freshCheckouts(run, asked.commit, { signal });
  try {
    const result = await installIn(run, { ...asked, folder: places.files, place, signal });
    if (signal.aborted) throw new Interrupted();
    return result;
  } finally {
    await places.remove();
  }
}

interface PackageInstallation extends Installation {
  /** A fresh checkout. */
  readonly folder: string;
  /** Where its packages are kept. */
  readonly place: string;
  readonly signal: AbortSignal;
}

async function installIn(run: Run, work: PackageInstallation): Promise<InstallResult> {
  const { id, request, paths, plan, folder, place, signal } = work;
  const { config } = run;
  const earlier = installedPackages(run);
  const tracked = new Set(paths);
  const isRecorded = (name: string): boolean => paths.some((path) => path.startsWith(`${name}/`));
  const names = [
    ...new Set([
      ...(earlier?.names ?? []),
      ...(await packagePaths(folder, config.workspace.caches)),
      ...plan.packages,
    ]),
  ].filter((name) => !isRecorded(name));
  const sandbox = await run.sandbox();
  await bringPackages({
    config,
    root: run.repository.root,
    packages: earlier,
    folder,
    // What is kept of it has to be whole.
    stateFolder: null,
    sandbox: async () => sandbox,
    signal,
    show: () => undefined,
    failed: (what, detail) => run.appendTranscript("hox", { kind: "notice", text: `${what}\n${detail}` }),
  });
  const files = workspaceFiles({ workspace: folder, maxBytes });
  const textsOf = async () =>
    new Map(await Promise.all(plan.files.map(async (path) => [path, await textOf(files, path)] as const)));
  const before = await textsOf();
  const stamps = await stampsOf(folder, paths);
  for (const [path, text] of Object.entries(plan.edits ?? {})) await files.writeText(path, text);
  const { command, files: written, registry } = plan;
  const done: InstallCommand = {
    ...{ command, folder: request.folder, files: written, hosts: registry.hosts },
    environment: { ...registry.environment, ...plan.environment },
  };
  const result = await sandbox.run({
    command,
    workspace: folder,
    ...(request.folder === "" ? {} : { folder: request.folder }),
    environment: { HOX_WORKER: "hox", ...trusted(), ...done.environment },
    protectedFiles: config.protectedFiles,
    // What was allowed is that these change, and nothing else that is protected.
    exactPaths: { writable: plan.files },
    network: { hosts: plan.registry.hosts, setting: installHostsSetting },
    timeoutMs: installTimeoutMinutes * 60_000,
    signal,
  });
  if (signal.aborted || result.outcome === "cancelled") throw new Interrupted();
  const why = whyFailed(work, result);
  if (why !== null) return failed(why);

  const after = await textsOf();
  const changed = plan.files.filter((path) => after.get(path) !== before.get(path));
  const gone = changed.filter((path) => after.get(path) === null);
  if (gone.length > 0) return failed(`The installation deleted ${gone.map(shownName).join(", ")}.`);
  const others = (await changedSince(folder, paths, stamps)).filter((path) => !plan.files.includes(path));
  if (others.length > 0)
    return failed(
      `The installation also changed tracked files: ${others.slice(0, 10).map(shownName).join(", ")}${others.length > 10 ? ` and ${others.length - 10} more` : ""}. Add this dependency yourself.`,
    );
  const kept: string[] = [];
  for (const path of changed) if (tracked.has(path) || !(await isIgnored(folder, path))) kept.push(path);

  await mkdir(dirname(place), { recursive: true });
  for (const dataFolder of workspaceDataFolders(folder))
    await rename(dataFolder, `${place}${dataFolder.slice(folder.length)}`);
  await rename(folder, place);
  // Whoever removes the checkout finds one.
  await mkdir(folder);
  return {
    kind: "installed",
    before: Object.fromEntries(kept.map((path) => [path, before.get(path) ?? null])),
    after: Object.fromEntries(kept.map((path) => [path, after.get(path) ?? ""])),
    packages: { id, folder: place, names, commands: [...(earlier?.commands ?? []), done] },
  };
}

/** Null: it is not there. */
async function textOf(files: FileAccess, path: string): Promise<string | null> {
  try {
    return (await files.readText(path)).text;
  } catch (error) {
    if (error instanceof ToolFailure && error.kind === "not-found") return null;
    throw error;
  }
}

/** Null: it went through. */
function whyFailed({ request, plan }: PackageInstallation, result: CommandResult): string | null {
  const output = endOf(result.output.trim(), maxOutputLength);
  if (result.outcome === "timed-out")
    return `The installation took longer than ${installTimeoutMinutes} minutes.\n${output}`;
  if (result.outcome === "missing" || result.exitCode === 127)
    return `${request.manager} was not found in the sandbox. Install it on this machine (see \`hox doctor\`).\n${output}`;
  return result.exitCode === 0
    ? null
    : `\`${plan.command}\` ended with exit code ${result.exitCode}:\n${output}`;
}

/** Where systems keep the authorities that they trust, a company's own among them. */
const authorities = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
];

/** Package managers with their own certificate authorities trust the system's too. */
function trusted(): Readonly<Record<string, string>> {
  const bundle = authorities.find((path) => existsSync(path));
  return bundle === undefined
    ? {}
    : { PIP_CERT: bundle, REQUESTS_CA_BUNDLE: bundle, NODE_EXTRA_CA_CERTS: bundle, SSL_CERT_FILE: bundle };
}

const failed = (words: string): InstallResult => ({ kind: "failed", words });

type Stamps = ReadonlyMap<string, string>;

async function stampsOf(folder: string, paths: readonly string[]): Promise<Stamps> {
  const stamps = new Map<string, string>();
  for (const path of paths) stamps.set(path, await stampOf(join(folder, path)));
  return stamps;
}

const changedSince = async (
  folder: string,
  paths: readonly string[],
  before: Stamps,
): Promise<readonly string[]> => {
  const now = await stampsOf(folder, paths);
  return paths.filter((path) => now.get(path) !== before.get(path));
};

async function stampOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, mode } = await lstat(path);
    return `${ino} ${size} ${mtimeMs} ${mode}`;
  } catch {
    return "";
  }
}

/** Whether the repository's own rules keep a file out of commits, as libraries do with their lock file. */
async function isIgnored(root: string, path: string): Promise<boolean> {
  const parts = path.split("/");
  let rules = IgnoreRules.none;
  for (let depth = 0; depth < parts.length; depth++) {
    const at = parts.slice(0, depth).join("/");
    const folder = await Folder.open(join(root, at));
    try {
      rules = await rules.with(folder, at);
    } finally {
      await folder.close();
    }
    const isFolder = depth < parts.length - 1;
    if (rules.ignores(parts.slice(0, depth + 1).join("/"), isFolder)) return true;
  }
  return false;
}
