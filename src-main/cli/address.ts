import { resolve } from "node:path";
import { defaultStateFolder } from "../config/state-folder.ts";
import { askForAddress, servingNotes } from "../transport/serving-note.ts";
import {
  CommandError,
  type CommonOptions,
  type ExitCode,
  exitCode,
  invocationFolder,
} from "./command-line.ts";
import { print, printJson } from "./output.ts";

export interface AddressOptions extends CommonOptions {
  readonly port?: number;
  readonly state?: string;
}

/** Another address for a browser, from each Hox of this user that serves one. */
export async function address(options: AddressOptions): Promise<ExitCode> {
  const stateFolder =
    options.state === undefined ? defaultStateFolder() : resolve(invocationFolder(), options.state);
  const notes = (await servingNotes(stateFolder)).filter(
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
  for (const one of found) options.json ? printJson({ kind: "address", ...one }) : print(one.address ?? "");
  return exitCode.done;
}
