import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { userInfo } from "node:os";
import { isAbsolute } from "node:path";
import type { SandboxMount } from "../tool-interface.ts";
import type { GuardedPath } from "./guarded-paths.ts";
import type { LayerMount } from "./layers.ts";
import { type Limits, limitedShell, type UserLimit, folder as userLimitFolder } from "./limits.ts";
import { foldersAbove } from "./mount-budget.ts";
import { type GeneratedFile, systemSettings } from "./system-files.ts";
import type { Toolchains } from "./toolchains.ts";

export interface BubblewrapCommand {
  readonly workspace: string;
  /** The path of the workspace inside: its own, or that of its repository. */
  readonly view: string;
  /** Inside. */
  readonly folder: string;
  readonly command: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly guarded: readonly GuardedPath[];
  /** Paths of the workspace that are empty inside. */
  readonly hidden: readonly { readonly path: string; readonly isFolder: boolean }[];
  readonly toolchains: Toolchains;
  readonly limits: Limits;
  readonly mounts: readonly SandboxMount[];
  /** A folder that is HOME, and lives as long as the workspace; null: one in memory. */
  readonly home: string | null;
  readonly files: readonly GeneratedFile[];
  /** Mounted before bubblewrap starts, in a user namespace whose root controls only these mounts. */
  readonly layers: readonly LayerMount[];
  /** Prefix of the command line: starts it with what it needs. */
  readonly prefix: readonly string[];
  /** `prlimit`'s path, or null where it is not installed. */
  readonly prlimit: string | null;
  /** Whether this bubblewrap can bound a file system in memory (0.7 and later). */
  readonly sizes: boolean;
  readonly hasFilter: boolean;
  /** Whether it continues when its host is gone. */
  readonly outlivesHost: boolean;
  /** For its user namespace; the first uses `descriptors.userLimits`, the others those after it. */
  readonly userLimits: readonly UserLimit[];
}

/** Descriptors that bubblewrap and the first shell inside are given. A shell knows only those of one figure. */
export const descriptors = { info: 3, arguments: 4, filter: 5, gate: 9, userLimits: 10 } as const;
/** Generated files come from here on; bubblewrap has closed them before the first shell begins. */
const firstFileDescriptor = 20;

/** What bubblewrap reads, by descriptor. */
export const generatedInput = ({
  files,
}: Pick<BubblewrapCommand, "files">): Readonly<Record<number, Buffer>> =>
  Object.fromEntries(files.map(({ text }, index) => [firstFileDescriptor + index, Buffer.from(text)]));

/** Bytes of files that a command may keep in memory, in each place. Unbounded they take half of the machine's. */
export const inMemory = { "/tmp": 2 ** 30, "/run": 2 ** 20, "/dev/shm": 2 ** 28 } as const;

/** Belongs to the whole machine, and to root alone: which is who a command is when root starts it. */
const kernelSettings = ["sys", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "pressure", "sysrq-trigger"];
const kernelSecrets = [
  ...["keys", "key-users", "kcore", "kmsg", "kallsyms", "timer_list", "sched_debug"],
  ...["kpagecount", "kpageflags", "kpagecgroup"],
];

/**
 * Own user namespace and no capabilities: started by root, bubblewrap would otherwise leave them all, and a command
 * could take its read-only mounts away.
 */
const hold: readonly string[] = ["--unshare-all", "--unshare-user", "--cap-drop", "ALL"];

/** Not a possible user folder, and not deleted when /tmp is cleaned. */
const lastingHome = "/sandbox/home";
const homeInMemory = "/tmp/home";
export const insideHome = (home: string | null): string => (home === null ? homeInMemory : lastingHome);

/** What `bwrap` is called with; all else goes through a descriptor, where no list of processes shows it. */
export function bubblewrapCall(options: BubblewrapCommand): readonly string[] {
  const { command, limits, prlimit, prefix } = options;
  return [
    ...["--args", String(descriptors.arguments), "--"],
    // Everything is in place: the host looks at it, and lets the command begin or not.
    ...["/bin/sh", "-c", `printf r >&${gate} && read -r go <&${gate} && exec ${gate}>&- && exec "$@"`, "sh"],
    ...prefix,
    ...limitedShell(command, limits, prlimit),
  ];
}

const { gate } = descriptors;

/**
 * Options of `bwrap`. Start it with an empty environment: `--clearenv` clears the command's, yet its own stays
 * readable as `/proc/1/environ`.
 */
export function bubblewrapOptions(options: BubblewrapCommand): Buffer {
  const { workspace, view, home, toolchains } = options;
  const args = [...hold, "--new-session", "--clearenv"];
  if (!options.outlivesHost) args.push("--die-with-parent");
  if (options.layers.length > 0) {
    const { uid, gid } = userInfo();
    args.push("--uid", String(uid), "--gid", String(gid));
  }
  args.push("--info-fd", String(descriptors.info));
  if (options.hasFilter) args.push("--seccomp", String(descriptors.filter));
  for (const [name, value] of Object.entries(options.environment)) args.push("--setenv", name, value);
  args.push("--ro-bind", "/usr", "/usr", ...systemFolders());
  // With normal permissions, unlike the parents that bubblewrap creates.
  args.push("--dir", "/etc");
  for (const path of systemSettings()) args.push("--ro-bind-try", path, path);
  const files = (path: keyof typeof inMemory): readonly string[] => [
    ...(options.sizes ? ["--size", String(inMemory[path])] : []),
    "--tmpfs",
    path,
  ];
  args.push("--proc", "/proc");
  // Bubblewrap still has the rights of its namespace while it writes these, and sets them for all below it.
  for (const [index, { name }] of options.userLimits.entries())
    args.push("--file", String(descriptors.userLimits + index), `${userLimitFolder}/${name}`);
  for (const name of kernelSettings) args.push("--ro-bind-try", `/proc/${name}`, `/proc/${name}`);
  for (const name of kernelSecrets)
    if (existsSync(`/proc/${name}`)) args.push("--ro-bind", "/dev/null", `/proc/${name}`);
  args.push("--dev", "/dev", ...files("/dev/shm"), "--remount-ro", "/dev");
  args.push(...files("/tmp"), ...files("/run"));
  args.push(...(home === null ? ["--dir", homeInMemory] : ["--bind", home, lastingHome]));
  for (const path of toolchains.readable) args.push("--ro-bind-try", path, path);
  for (const { merged, destination } of options.layers)
    if (isAbsolute(destination)) args.push("--bind", merged, destination);
  for (const path of toolchains.hidden) args.push("--ro-bind", "/dev/null", path);
  for (const { path, target } of toolchains.links) args.push("--symlink", target, path);
  for (const [index, { path }] of options.files.entries())
    args.push(
      ...(options.sizes ? ["--perms", "0644"] : []),
      "--ro-bind-data",
      String(firstFileDescriptor + index),
      path,
    );
  for (const { source, destination, readOnly = true } of options.mounts)
    args.push(readOnly ? "--ro-bind" : "--bind", source, destination);
  // After /tmp, because a workspace may be below it.
  args.push("--bind", workspace, view);
  // A mount point cannot be renamed: else `mv folder elsewhere` would carry a protected file away from its path.
  const mounted = options.guarded.filter(({ kept }) => kept === undefined);
  for (const folder of foldersAbove(mounted)) {
    args.push("--bind", `${workspace}/${folder}`, `${view}/${folder}`);
  }
  for (const { path, link } of mounted) {
    if (link === null) args.push("--ro-bind", `${workspace}/${path}`, `${view}/${path}`);
  }
  for (const { path, isFolder } of options.hidden)
    args.push(...(isFolder ? ["--tmpfs"] : ["--ro-bind", "/dev/null"]), `${view}/${path}`);
  for (const { path, isFolder } of options.hidden) if (isFolder) args.push("--remount-ro", `${view}/${path}`);
  for (const { merged, destination } of options.layers)
    if (!isAbsolute(destination)) args.push("--bind", merged, `${view}/${destination}`);
  if (view !== workspace) {
    // Both names lead to the one place that is guarded.
    args.push("--symlink", view, workspace);
    // Lets the host recognise an orphaned command: its mounts are below the folder of all workspaces.
    args.push("--ro-bind", "/dev/null", `${workspace}.command`);
  }
  // The root that bubblewrap makes is memory without a bound.
  args.push("--remount-ro", "/");
  args.push("--hostname", "sandbox", "--chdir", options.folder);
  return Buffer.from(args.map((arg) => `${arg}\0`).join(""));
}

/** `/bin` and its like are links into `/usr` on most systems and folders on some. */
function systemFolders(): readonly string[] {
  return ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store"].flatMap((path) => {
    if (!existsSync(path)) return [];
    return lstatSync(path).isSymbolicLink()
      ? ["--symlink", readlinkSync(path), path]
      : ["--ro-bind", path, path];
  });
}
