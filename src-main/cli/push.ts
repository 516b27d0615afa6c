/** `hox push`: a bookmark to its remote, after a look at what would move. */
import type { PushPreview } from "#shared/contract/commands/run.ts";
import { notesRef } from "#shared/domain/graph-words/change-note.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { patternBookmark } from "../patterns/patterns-interface.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";
import { withRepository } from "./repository.ts";

export interface PushOptions extends CommonOptions {
  readonly yes?: boolean;
  /** False: `--no-notes`. */
  readonly notes?: boolean;
}

const trunks = ["main", "master", "trunk"];
/** Maximum of titles that are listed before confirming; `--json` has all. */
const maxTitles = 20;

/** Pushes a bookmark, by default the user's current one, else the trunk's. Asks first, unless `--yes`. */
export function push(bookmark: string | undefined, options: PushOptions): Promise<ExitCode> {
  return withRepository(options, async (repository) => {
    await repository.importGit();
    const refs = await repository.refs();
    const stand = await repository.gitStand();
    const own = stand?.isManagedByGit ? stand.branch : null;
    const named = [...(own === null ? [] : [own]), ...(stand?.trunk ? [stand.trunk] : []), ...trunks];
    const name = bookmark ?? named.find((one) => refs.bookmarks[one] !== undefined);
    if (name === undefined)
      throw new CommandError(
        "No bookmark main, master or trunk in this repository.",
        "Give the bookmark to push: hox push <bookmark>",
        exitCode.usage,
      );
    const { remote, moves, changes, ...preview } = await repository.previewPush(name);
    if (remote === null)
      throw new CommandError("This repository has no remote.", "Add one: jj git remote add origin <url>");
    const notes = options.notes === false || name === patternBookmark ? 0 : preview.notes;
    if (options.json) printJson({ kind: "push", bookmark: name, remote, moves, changes, notes });
    else showMoves({ name, remote, moves, changes, notes });
    if (moves.length > 0) {
      await consent(options, `Push ${shownName(name)} to ${shownName(remote)}?`);
      await repository.push(name, moves, { actor: "terminal" });
      if (!options.json) print(`Pushed ${shownName(name)} to ${shownName(remote)}.`);
    }
    if (notes > 0) {
      await consent(options, `Push the metadata of ${commits(notes)} to ${shownName(remote)} as well?`);
      await repository.pushNotes(remote);
      if (!options.json) print(`Pushed the metadata of ${commits(notes)} to ${shownName(remote)}.`);
    }
    if (options.json && moves.length + notes > 0) printJson({ kind: "done", pushed: name, remote, notes });
    return exitCode.done;
  });
}

const commits = (count: number): string => `${count} ${count === 1 ? "commit" : "commits"}`;

function showMoves({
  name,
  remote,
  moves,
  changes,
  notes,
}: Pick<PushPreview, "moves" | "changes"> & {
  readonly name: string;
  readonly remote: string;
  readonly notes: number;
}): void {
  if (moves.length === 0) print(`${shownName(name)} is already up to date on ${shownName(remote)}.`);
  if (moves.length + notes > 0) print(`To ${shownName(remote)}:`);
  for (const move of moves) print(`  ${shownLine(move)}`);
  for (const { changeId, title } of changes.slice(0, maxTitles))
    print(`  ${changeId.slice(0, 12)} ${shownLine(title)}`);
  if (changes.length > maxTitles) print(`  and ${changes.length - maxTitles} more`);
  if (notes > 0) print(`  metadata of ${commits(notes)} (${notesRef})`);
}
