/** Opens paths of changes in the user's programs, or returns them. */

import { chmod, lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { hostname, userInfo } from "node:os";
import { dirname, join, sep } from "node:path";
import { parseArgsStringToArgv } from "string-argv";
import type { CommandInput } from "#shared/contract/commands.ts";
import type { Settings } from "#shared/contract/settings.ts";
import type { OpenedView, OpenersView } from "#shared/contract/views/app.ts";
import {
  argumentsFor,
  type Opener,
  type OpenerKind,
  openersOn,
  type Place,
} from "#shared/domain/open-in/opener.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { Repository } from "../../jj/ports/repository-interface.ts";
import { hasDesktopProgram, startDesktopProgram } from "../../processes/desktop-program.ts";
import type { HostState } from "../host-state.ts";
import type { OpenRepository } from "../open-repository.ts";
import { Refusal } from "../refusal.ts";

export function openerPrograms(): OpenersView {
  const found = (kind: OpenerKind) =>
    openersOn(process.platform)[kind].map((opener) => ({ ...opener, isFound: isFound(opener) }));
  return { editor: found("editor"), terminal: found("terminal"), files: found("files") };
}

function isFound({ command }: Opener): boolean {
  const [program] = parseArgsStringToArgv(command);
  return program !== undefined && hasDesktopProgram(program);
}

/** @param isOwnMachine whether the host opened the window on its own machine */
export async function openIn(
  state: Pick<HostState, "stateFolder" | "app">,
  open: OpenRepository,
  { kind, changeId, path, line }: CommandInput<"openIn.open">,
  isOwnMachine: boolean,
): Promise<OpenedView> {
  // Read from jj, because the screen may be out of date.
  const [change] = await open.repository.query(changeId, { limit: 1 });
  if (!change)
    throw new Refusal(
      `No change ${changeId.slice(0, 12)}.`,
      "It may have been rewritten: select it again in the graph.",
    );
  const place = await findPlace(
    open.repository,
    { change, path, line },
    await workingFolders(open),
    join(state.stateFolder, "opened"),
  );
  if (!isOwnMachine)
    return {
      kind: "elsewhere",
      path: place.path,
      folder: place.folder,
      line: place.line,
      note: place.note,
      machine: hostname(),
      user: userInfo().username,
    };
  const opener = chosenOpener(kind, state.app().settings);
  const words = argumentsFor(splitCommand(kind, opener.command), place);
  const failure = await startDesktopProgram(words, place.folder);
  if (failure !== null)
    throw new Refusal(
      `${opener.name} could not open it: ${failure}`,
      "Try the command in a terminal, or choose another program in Settings, Open in.",
    );
  return { kind: "opened", program: opener.name, path: place.path, note: place.note };
}

/** A folder in which a change is checked out. */
interface WorkingFolder {
  readonly commitId: string;
  readonly folder: string;
}

interface Wanted {
  readonly change: Change;
  /** Of the repository; null: all of it. */
  readonly path: string | null;
  readonly line: number | null;
}

interface FoundPlace extends Place {
  /** A limitation of the path; null: none. */
  readonly note: string | null;
}

/**
 * The path of a change's files on this machine.
 *
 * @param folders the user's own first
 * @param copies where files of changes without a workspace are checked out
 * @throws Refusal if there is no such path, or it is not safe to open
 */
async function findPlace(
  repository: Pick<Repository, "listFiles" | "readFile">,
  { change, path, line }: Wanted,
  folders: readonly WorkingFolder[],
  copies: string,
): Promise<FoundPlace> {
  const own = folders.find(({ commitId }) => commitId === change.commitId);
  if (path === null) {
    if (own) return { path: await folderItself(own.folder), folder: own.folder, line: null, note: null };
    throw new Refusal(
      "This change is not checked out in any workspace, so it has no folder.",
      "Open one of its files, or check it out with `jj edit` or `jj new`.",
    );
  }
  if (!(await repository.listFiles(change.commitId)).includes(path))
    throw new Refusal(
      `${shownName(path)} is not a file in this change.`,
      "It may have been removed or renamed: select it again.",
    );
  if (!own) return copyOf(repository, { change, path, line }, copies);
  const file = join(own.folder, ...path.split("/"));
  await refuseLinks(own.folder, file, path);
  return { path: file, folder: dirname(file), line, note: null };
}

/** Not what a link in its place leads to. */
async function folderItself(folder: string): Promise<string> {
  const found = await lstat(folder).catch(() => null);
  if (!found?.isDirectory())
    throw new Refusal(`${folder} is not a folder.`, "Resume its agent: Hox recreates a missing workspace.");
  return folder;
}

/** An agent may have replaced a file or folder by a link, whose target must not be opened. */
async function refuseLinks(folder: string, file: string, path: string): Promise<void> {
  const found = await lstat(file).catch(() => null);
  if (found === null)
    throw new Refusal(
      `${shownName(path)} no longer exists.`,
      "It was deleted after the change was recorded.",
    );
  const [root, real] = await Promise.all([realpath(folder), realpath(file)]);
  if (!found.isFile() || real !== join(root, ...path.split("/")))
    throw new Refusal(
      `${shownName(path)} is a link or is inside a linked folder.`,
      "Hox opens only real files: follow the link in a terminal.",
    );
}

/** The file as it is in the change, where it can be read and not be written. */
async function copyOf(
  repository: Pick<Repository, "readFile">,
  { change, path, line }: Wanted & { readonly path: string },
  copies: string,
): Promise<FoundPlace> {
  const folder = join(copies, change.commitId.slice(0, 12));
  const file = join(folder, ...path.split("/"));
  if (!file.startsWith(folder + sep)) throw new Refusal(`${shownName(path)} is outside its folder.`, null);
  const content = await repository.readFile(change.commitId, path);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // One that was opened before cannot be written over.
  await rm(file, { force: true });
  await writeFile(file, content, { mode: 0o600, flag: "wx" });
  await chmod(file, 0o400);
  return {
    path: file,
    folder: dirname(file),
    line,
    note: "This change is not checked out: this is a read-only copy, and edits to it are lost.",
  };
}

/** Terminals and file managers open the current directory by default; an editor needs an argument. */
function splitCommand(kind: OpenerKind, command: string): readonly string[] {
  const words = parseArgsStringToArgv(command);
  const hasPlaceholder = /\{(?:path|folder)\}/u.test(command);
  return kind === "editor" && !hasPlaceholder ? [...words, "{path}"] : words;
}

/** The user's choice in the settings, else the first available one. */
function chosenOpener(kind: OpenerKind, { openIn: chosen }: Settings): Opener {
  const known = openersOn(process.platform)[kind];
  const command = chosen[kind].trim();
  if (command !== "")
    return known.find((one) => one.command === command) ?? { name: nameOf(command), command };
  const first = known.find((one) => isFound(one));
  if (first) return first;
  throw new Refusal(
    `None of the ${kindLabels[kind]} that Hox supports is installed.`,
    `Enter your own command in Settings, Open in. Supported: ${known.map(({ name }) => name).join(", ")}.`,
  );
}

const nameOf = (command: string): string =>
  parseArgsStringToArgv(command)[0]?.split(/[\\/]/u).at(-1) ?? command;

const kindLabels: Readonly<Record<OpenerKind, string>> = {
  editor: "editors",
  terminal: "terminals",
  files: "file managers",
};

/** The user's folder first, then agents'. */
async function workingFolders({
  repository,
  engine,
  graph,
}: OpenRepository): Promise<readonly WorkingFolder[]> {
  const [own] = await repository.query("@", { limit: 1 });
  const { workspaces } = graph().refs();
  const { run = null, otherRuns = [] } = engine?.state() ?? {};
  const workers = [...(run ? [run] : []), ...otherRuns.map((one) => one.run)].flatMap((one) => one.workers);
  return [
    ...(own === undefined ? [] : [{ commitId: own.commitId, folder: repository.root }]),
    ...workers.flatMap(({ name, workspace: folder }) => {
      const commitId = workspaces[name];
      return folder === null || commitId === undefined ? [] : [{ commitId, folder }];
    }),
  ];
}
