import { deepestPath, filesToRead } from "#shared/domain/project/find-project.ts";
import type { FoundCheck, ProjectFiles } from "#shared/domain/project/project-facts.ts";
import { Folder, inParent, isDenied } from "../disk/folder.ts";
import { runInWorker } from "../worker-thread/run-in-worker.ts";
import type { ReadProject } from "../worker-thread/worker-jobs.ts";

export interface Checks {
  readonly fast: readonly string[];
  readonly slow: readonly { readonly command: string; readonly everyNIterations: number }[];
}

/** Name of a check that was found on the base → its command there; null where its program is missing. */
export type ChosenCommands = Readonly<Record<string, string | null>>;

/**
 * The checks of several folders together, each once: what one of them asks for, no other can take away. Of those that
 * were found on the base the command is the one that was chosen there. (PLAN-6a)
 */
export async function foundChecks(folders: readonly string[], chosen: ChosenCommands = {}): Promise<Checks> {
  const found = await Promise.all(
    folders.map(async (folder) => (await readProject(await readProjectFiles(folder))).checks),
  );
  const fast = new Set<string>();
  const slow = new Map<string, number>();
  for (const one of found.flat()) {
    const command = commandOf(one, chosen);
    if (command === null) continue;
    if (one.speed === "fast") fast.add(command);
    else if (!slow.has(command)) slow.set(command, one.everyNIterations);
  }
  return {
    fast: [...fast],
    slow: [...slow].map(([command, everyNIterations]) => ({ command, everyNIterations })),
  };
}

/** The plain command, if it is not known which one works here. */
function commandOf(found: FoundCheck, chosen: ChosenCommands): string | null {
  const known = chosen[found.name];
  if (known === null) return null;
  if (known !== undefined && found.ways.some(({ command }) => command === known)) return known;
  return found.ways.at(-1)?.command ?? null;
}

/**
 * Reads a project's files in a worker thread, because they are untrusted.
 *
 * @throws TextRefused if it takes too long
 */
export const readProject = (files: ProjectFiles): Promise<ReadProject> =>
  runInWorker("readProject", files, { what: "the project's files" });

/** Limit of listed entries. */
const maxEntries = 20_000;
/** A file of settings that is longer is none. */
const maxBytes = 500_000;
/** Of folders that hold no project, or are not looked into for their size. */
const left = new Set(["node_modules", ".git", ".jj", ".venv", "venv", "target", "__pycache__"]);

/** What `findProject` reads, of a folder: by descriptor, as deep as it looks, and never through a link. */
export async function readProjectFiles(path: string): Promise<ProjectFiles> {
  const root = await Folder.open(path);
  try {
    const paths: string[] = [];
    await list(root, "", paths);
    const texts = new Map<string, string>();
    for (const file of filesToRead(paths)) texts.set(file, await textIn(path, file));
    return { paths, texts };
  } finally {
    await root.close();
  }
}

async function list(folder: Folder, prefix: string, paths: string[]): Promise<void> {
  const entries = await folder.entries().catch(unlessDenied([]));
  const named = entries
    .map((entry) => ({ entry, name: entry.name.toString("utf8") }))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  for (const { entry, name } of named)
    if (!entry.isDirectory() && paths.length < maxEntries) paths.push(prefix + name);
  if (prefix.split("/").length >= deepestPath) return;
  for (const { entry, name } of named) {
    if (!entry.isDirectory() || left.has(name) || paths.length >= maxEntries) continue;
    const child = await folder.folder(entry.name).catch(unlessDenied(null));
    if (child === null) continue;
    try {
      await list(child, `${prefix}${name}/`, paths);
    } finally {
      await child.close();
    }
  }
}

/** "" where it cannot be read: a pipe or a link that an agent put there is never followed, nor waited for. */
async function textIn(root: string, path: string): Promise<string> {
  const file = await inParent(root, path, (parent, name) => parent.readFile(name, maxBytes)).catch(
    unlessDenied(null),
  );
  return file !== null && "bytes" in file ? file.bytes.toString("utf8") : "";
}

/** Somebody may take a folder away, or put a link in its place, while it is read. */
const isGone = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "ELOOP"].includes(String((error as NodeJS.ErrnoException | null)?.code));

/** Unreadable because a command changed the permissions. */
const unlessDenied =
  <T>(instead: T) =>
  (error: unknown): T => {
    if (isDenied(error) || isGone(error)) return instead;
    throw error;
  };
