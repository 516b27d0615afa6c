/** `hox push`: a bookmark to its remote, after a look at what would move. */
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";
import { withRepository } from "./repository.ts";

export interface PushOptions extends CommonOptions {
  readonly yes?: boolean;
}

const trunks = ["main", "master", "trunk"];
/** So many titles are read before a yes; `--json` has all. */
const mostTitles = 20;

/** Pushes a bookmark, by default the one that the person is on, else the trunk's. Asks first, unless `--yes`. */
export function push(bookmark: string | undefined, options: PushOptions): Promise<ExitCode> {
  return withRepository(options, async (repository) => {
    await repository.importGit();
    const refs = await repository.refs();
    const stand = await repository.gitStand();
    const own = stand?.isHeldByGit ? stand.branch : null;
    const named = [...(own === null ? [] : [own]), ...(stand?.trunk ? [stand.trunk] : []), ...trunks];
    const name = bookmark ?? named.find((one) => refs.bookmarks[one] !== undefined);
    if (name === undefined)
      throw new CommandError(
        "There is no bookmark main, master or trunk here.",
        "Name the one to push: hox push <bookmark>",
        exitCode.usage,
      );
    const { remote, moves, changes } = await repository.previewPush(name);
    if (remote === null)
      throw new CommandError("This repository has no remote.", "Add one: jj git remote add origin <url>");
    if (options.json) printJson({ kind: "push", bookmark: name, remote, moves, changes });
    if (moves.length === 0) {
      if (!options.json) print(`${shownName(name)} is on ${shownName(remote)} already.`);
      return exitCode.done;
    }
    if (!options.json) {
      print(`To ${shownName(remote)}:`);
      for (const move of moves) print(`  ${shownLine(move)}`);
      for (const { changeId, title } of changes.slice(0, mostTitles))
        print(`  ${changeId.slice(0, 12)} ${shownLine(title)}`);
      if (changes.length > mostTitles) print(`  and ${changes.length - mostTitles} more`);
    }
    await consent(options, `Push ${shownName(name)} to ${shownName(remote)}?`);
    await repository.push(name, moves, { actor: "terminal" });
    if (options.json) printJson({ kind: "done", pushed: name, remote });
    else print(`Pushed ${shownName(name)} to ${shownName(remote)}.`);
    return exitCode.done;
  });
}
