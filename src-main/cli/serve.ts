import { resolve } from "node:path";
import { defaultStateFolder } from "../config/state-folder.ts";
import { rehearsalPace, runHeadless } from "../serving.ts";
import { askForAddress, servingNotes } from "../transport/serving-note.ts";
import {
  CommandError,
  type CommonOptions,
  type ExitCode,
  exitCode,
  invocationFolder,
} from "./command-line.ts";
import { print, printJson, show } from "./output.ts";

interface PlaceOptions extends CommonOptions {
  readonly port?: number;
  readonly state?: string;
}

const stateFolderOf = ({ state }: PlaceOptions): string =>
  state === undefined ? defaultStateFolder() : resolve(invocationFolder(), state);

export async function serve(options: PlaceOptions & { readonly takeOver?: boolean }): Promise<ExitCode> {
  await runHeadless({
    port: options.port ?? 0,
    stateFolder: stateFolderOf(options),
    takeOver: options.takeOver ?? false,
    folder: options.repo === undefined ? null : resolve(invocationFolder(), options.repo),
    window: false,
    rehearsalPace: rehearsalPace(),
    print: options.json ? (line) => printJson({ kind: "line", text: line.trim() }) : print,
  });
  return exitCode.done;
}

/** Another address for a browser, from each Hox of this user that serves one. */
export async function address(options: PlaceOptions): Promise<ExitCode> {
  const notes = (await servingNotes(stateFolderOf(options))).filter(
    ({ port }) => options.port === undefined || port === options.port,
  );
  const asked = await Promise.all(
    notes.map(async (note) => ({ port: note.port, address: await askForAddress(note) })),
  );
  const found = asked.filter((one) => one.address !== null);
  if (found.length === 0)
    throw new CommandError(
      options.port === undefined
        ? "No `hox serve` is running here."
        : `No \`hox serve\` is running on port ${options.port}.`,
      "Start it with `hox serve`. If it keeps its state in another folder, add --state <folder>.",
    );
  for (const one of found) show(options, { kind: "address", ...one }, one.address ?? "");
  return exitCode.done;
}
