import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve } from "node:path";
import { workspaceLayers } from "./sandbox/layers.ts";
import { type Place, withPlace } from "./workspace-place.ts";

/** Finds what a path of an agent means: a file of its workspace, or of a folder that is shared below it. */
export interface WorkspaceAccess {
  /** The workspace, without links. */
  realRoot(): Promise<string>;
  /** A path relative to the workspace, before its links are followed. */
  lexical(root: string, path: string): string;
  /** Only in the workspace itself. */
  find<Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result>;
  /** The same, but a link is itself and not what it leads to. */
  findEntry<Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result>;
  /** Layers above a shared folder are not visible here: the shared files are read instead. */
  look<Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result>;
}

/** @param repository the user's folder whose path the workspace has inside the sandbox */
export function workspaceAccess(workspace: string, repository: string | undefined): WorkspaceAccess {
  let root: Promise<string> | undefined;
  const realRoot = (): Promise<string> => {
    root ??= realpath(workspace);
    return root;
  };
  const find = async <Result>(path: string, work: (place: Place) => Promise<Result>): Promise<Result> =>
    withPlace(await realRoot(), ownPath(path, repository), work);
  /** Links between the packages of a monorepo lead from one folder of packages into another. */
  const layerBehind = async (root: string, path: string): Promise<SharedPlace | null> => {
    const missing = await find(path, async (place) => (place.stats === null ? place.path : null));
    return missing === null ? null : layerOf(root, missing);
  };
  return {
    realRoot,
    lexical: (root, path) => relative(root, resolve(root, ownPath(path, repository))),
    find,
    findEntry: async (path, work) =>
      withPlace(await realRoot(), ownPath(path, repository), work, { isEntry: true }),
    async look(path, work) {
      const root = await realRoot();
      const own = ownPath(path, repository);
      const layer = (await layerOf(root, own)) ?? (await layerBehind(root, path));
      if (layer === null) return find(path, work);
      return withPlace(layer.lower, layer.inside, (place) =>
        work({ ...place, path: [layer.destination, place.path].filter((part) => part !== "").join("/") }),
      );
    },
  };
}

/** What a command printed of a path in its repository means the same file of the workspace. */
function ownPath(path: string, repository: string | undefined): string {
  if (repository === undefined || !isAbsolute(path)) return path;
  const inside = relative(repository, path);
  return inside === ".." || inside.startsWith("../") || isAbsolute(inside) ? path : inside || ".";
}

interface SharedPlace {
  readonly lower: string;
  readonly destination: string;
  readonly inside: string;
}

/** The shared folder that a path in a workspace leads into, or null. */
export async function layerOf(root: string, path: string): Promise<SharedPlace | null> {
  const inside = relative(root, resolve(root, path));
  const layer = workspaceLayers(root).find(
    ({ destination }) => inside === destination || inside.startsWith(`${destination}/`),
  );
  if (!layer) return null;
  return { ...layer, lower: await realpath(layer.lower), inside: relative(layer.destination, inside) || "." };
}
