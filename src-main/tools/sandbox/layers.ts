import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { onPath } from "../../config/tools.ts";
import { removeTree } from "../../disk/remove-tree.ts";
import { copyOver, runCopy } from "../copy-folder.ts";

/** A folder that commands of one workspace may change without affecting others. */
export interface Layer {
  /** The shared, read-only lower folder. Outside. */
  readonly lower: string;
  /** Its path inside: absolute, or a name in the workspace. */
  readonly destination: string;
}

export interface LayerMount extends Layer {
  readonly upper: string;
  readonly work: string;
  /** Where the merged file system is mounted; empty as seen from outside the sandbox. */
  readonly merged: string;
}

/** Next to a workspace: its commands' changes to shared folders. Deleted with the workspace. */
export const layersFolder = (workspace: string): string => `${workspace}.layers`;

const described = "layer.json";
const execute = promisify(execFile);

/** The options of a mount are one text: what would end one of them is in no path. */
const plainPath = /^[\w@%+=.~/ -]+$/u;

const placeOf = (workspace: string, destination: string): string =>
  join(layersFolder(workspace), createHash("sha256").update(destination).digest("hex").slice(0, 16));

/** Makes the places of layers; one whose path no mount can take is left out. */
export async function makeLayers(
  workspace: string,
  layers: readonly Layer[],
): Promise<readonly LayerMount[]> {
  const mounts: LayerMount[] = [];
  for (const { lower, destination } of layers) {
    const own = placeOf(workspace, destination);
    if (!plainPath.test(lower) || !plainPath.test(own)) continue;
    const mount = {
      lower,
      destination,
      upper: join(own, "upper"),
      work: join(own, "work"),
      merged: join(own, "merged"),
    };
    for (const place of [mount.upper, mount.work, mount.merged])
      await mkdir(place, { recursive: true, mode: 0o700 });
    mounts.push(mount);
  }
  return mounts;
}

/** Keeps with a workspace that one of its folders is such a layer above a shared one. */
export async function addWorkspaceLayer(workspace: string, { lower, destination }: Layer): Promise<void> {
  const [mount] = await makeLayers(workspace, [{ lower, destination }]);
  if (!mount) throw new Error(`No mount takes the path ${lower}.`);
  await writeFile(join(dirname(mount.upper), described), JSON.stringify({ lower, destination }));
}

/** Takes a layer away that was added to a workspace, with what its commands changed there. */
export const removeWorkspaceLayer = (workspace: string, destination: string): Promise<void> =>
  removeTree(placeOf(workspace, destination));

/** The layers that were added to a workspace. */
export function workspaceLayers(workspace: string): readonly Layer[] {
  const folder = layersFolder(workspace);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const file = join(folder, name, described);
    return existsSync(file) ? [JSON.parse(readFileSync(file, "utf8")) as Layer] : [];
  });
}

/**
 * Copies the additions of another workspace's commands to the shared caches: packages downloaded there need
 * no network here. Files of the same name are replaced, and no link is followed.
 */
export async function inheritCaches(from: string, workspace: string, signal: AbortSignal): Promise<void> {
  const folder = layersFolder(from);
  if (process.platform !== "linux" || !existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const upper = join(folder, name, "upper");
    // A layer of the workspace's own folders is brought with those.
    if (existsSync(join(folder, name, described)) || !existsSync(upper)) continue;
    const to = join(layersFolder(workspace), name, "upper");
    await mkdir(to, { recursive: true, mode: 0o700 });
    await copyOver(upper, to, signal);
  }
}

/** Each mount as four words, then what is started among them. */
const script = `set -e
while [ "$1" != -- ]; do
  mount -t overlay overlay -o "userxattr,lowerdir=$1,upperdir=$2,workdir=$3" "$4"
  shift 4
done
shift
exec env -i "$@"`;

/**
 * Starts a program with the layers mounted, in a mount namespace that ends with it. It has rights over those
 * mounts only; the sandbox in it is unchanged.
 */
export function amongLayers(
  unshare: string,
  layers: readonly LayerMount[],
  program: string,
  args: readonly string[],
): { readonly program: string; readonly args: readonly string[] } {
  return {
    program: unshare,
    args: [
      ...[
        "--user",
        "--map-root-user",
        "--mount",
        "--propagation",
        "private",
        "--",
        "/bin/sh",
        "-c",
        script,
        "sh",
      ],
      ...layers.flatMap(({ lower, upper, work, merged }) => [lower, upper, work, merged]),
      "--",
      program,
      ...args,
    ],
  };
}

/** Copies what commands in a workspace see of one of its layers to a place where nothing is. */
export async function copyLayer(
  workspace: string,
  layer: Layer,
  to: string,
  signal: AbortSignal,
): Promise<void> {
  const unshare = unshareProgram();
  const [mount] = await makeLayers(workspace, [layer]);
  if (unshare === null || !mount) throw new Error(`${layer.destination} can no longer be mounted here.`);
  const how = ["--archive", "--no-preserve=ownership", "--reflink=auto", "--no-target-directory", "--"];
  await runCopy(amongLayers(unshare, [mount], "/bin/cp", [...how, mount.merged, to]), signal);
}

/** `unshare`, as the system has it. */
export const unshareProgram = (): string | null => onPath(["unshare"], "/usr/bin:/bin") ?? null;

/** By the file system of the layers. */
const tried = new Map<number, Promise<boolean>>();

/**
 * Whether layers can be had below a folder, tried once for its file system: that takes Linux 5.11, a file system that is
 * none of layers itself, and a system that lets its users have namespaces.
 * @param bubblewrap the sandbox that has to work among layers
 */
export function canLayer(folder: string, bubblewrap: string): Promise<boolean> {
  if (process.platform !== "linux") return Promise.resolve(false);
  const { dev } = statSync(folder);
  const trying = tried.get(dev) ?? tryLayer(folder, bubblewrap);
  tried.set(dev, trying);
  return trying;
}

async function tryLayer(folder: string, bubblewrap: string): Promise<boolean> {
  const unshare = unshareProgram();
  if (unshare === null) return false;
  const place = await mkdtemp(join(folder, ".layer-"));
  try {
    await mkdir(join(place, "lower"));
    await writeFile(join(place, "lower", "file"), "below");
    const layers = await makeLayers(join(place, "try"), [
      { lower: join(place, "lower"), destination: "/try" },
    ]);
    const [layer] = layers;
    if (!layer) return false;
    const inside = ["--unshare-all", "--unshare-user", "--ro-bind", "/", "/", "--bind", layer.merged, "/tmp"];
    const work = "cat /tmp/file && echo above > /tmp/file";
    const call = amongLayers(unshare, layers, bubblewrap, [...inside, "/bin/sh", "-c", work]);
    const { stdout } = await execute(call.program, [...call.args], {
      env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
      timeout: 10_000,
    });
    return stdout === "below" && readFileSync(join(place, "lower", "file"), "utf8") === "below";
  } catch {
    // Then everything is copied, or read-only.
    return false;
  } finally {
    await removeTree(place);
  }
}
