/** Opens places of changes in the person's own programs, or says where they are. */
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { parseArgsStringToArgv } from "string-argv";
import type { CommandInput } from "#shared/contract/commands.ts";
import type { OpenedView, OpenersView } from "#shared/contract/views/open-in.ts";
import type { Settings } from "#shared/contract/views/settings.ts";
import { argumentsFor, type Opener, type OpenerKind, openersOn } from "#shared/domain/open-in/opener.ts";
import type { HostState } from "../host-state.ts";
import type { OpenRepository } from "../open-repository.ts";
import { Refusal } from "../refusal.ts";
import { findPlace, type WorkingFolder } from "./find-place.ts";

type Desktop = Pick<HostState["parts"]["desktop"], "has">;

export function openerPrograms(desktop: Desktop): OpenersView {
  const found = (kind: OpenerKind) =>
    openersOn(process.platform)[kind].map((opener) => ({ ...opener, isFound: isFound(desktop, opener) }));
  return { editor: found("editor"), terminal: found("terminal"), files: found("files") };
}

function isFound(desktop: Desktop, { command }: Opener): boolean {
  const [program] = parseArgsStringToArgv(command);
  return program !== undefined && desktop.has(program);
}

/** @param isOwnMachine whether the window that asks was opened by the host, on the screen of its own machine */
export async function openIn(
  state: Pick<HostState, "opened" | "stateFolder" | "app" | "parts">,
  { kind, changeId, path, line }: CommandInput<"openIn.open">,
  isOwnMachine: boolean,
): Promise<OpenedView> {
  const open = state.opened();
  // Asked of jj and not of what is on screen: somebody may have written to it a moment ago.
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
  const { desktop } = state.parts;
  const opener = chosenOpener(kind, state.app().settings, desktop);
  const failure = await desktop.start(argumentsFor(splitCommand(kind, opener.command), place), place.folder);
  if (failure !== null)
    throw new Refusal(
      `${opener.name} could not open it: ${failure}`,
      "Try the command in a terminal, or choose another program in Settings, Open in.",
    );
  return { kind: "opened", program: opener.name, path: place.path, note: place.note };
}

/** Terminals and file managers begin in the folder where they are not told it; an editor has to be. */
function splitCommand(kind: OpenerKind, command: string): readonly string[] {
  const words = parseArgsStringToArgv(command);
  const hasPlaceholder = /\{(?:path|folder)\}/u.test(command);
  return kind === "editor" && !hasPlaceholder ? [...words, "{path}"] : words;
}

/** What the person has written in the settings, else the first that is there. */
function chosenOpener(kind: OpenerKind, { openIn: chosen }: Settings, desktop: Desktop): Opener {
  const known = openersOn(process.platform)[kind];
  const command = chosen[kind].trim();
  if (command !== "")
    return known.find((one) => one.command === command) ?? { name: nameOf(command), command };
  const first = known.find((one) => isFound(desktop, one));
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

/** The person's own folder first, then those of agents. */
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
