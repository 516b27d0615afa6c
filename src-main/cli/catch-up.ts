/** `hox catch-up`: the folder onto what the last run landed. */
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";
import { withRunClient } from "./run-client.ts";

export interface CatchUpOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** Maximum of files that are listed before confirming; `--json` has all. */
const maxFiles = 20;

/** Asks first if the folder has the user's edits, unless `--yes`. */
export function catchUp(options: CatchUpOptions): Promise<ExitCode> {
  return withRunClient(options, async (client) => {
    const preview = await client.execute("run.previewCatchUp");
    const { bookmark, to, title, isThere, own, refusal } = preview;
    const name = shownName(bookmark);
    if (options.json) printJson({ kind: "preview", ...preview });
    if (refusal) throw new CommandError(refusal.reason, refusal.remedy);
    if (isThere) {
      if (!options.json) print(`Your folder is already up to date with ${name}.`);
      return exitCode.done;
    }
    if (own !== null) {
      if (!options.json) {
        print(`Your own edits are kept as change ${own.changeId.slice(0, 12)} ${shownLine(own.title)}:`);
        for (const path of own.files.slice(0, maxFiles)) print(`  ${shownLine(path)}`);
        if (own.files.length > maxFiles) print(`  and ${own.files.length - maxFiles} more`);
      }
      await consent(options, `Move your folder to ${name}?`);
    }
    const { operation } = await client.execute("run.catchUp");
    if (options.json) printJson({ kind: "done", bookmark, to, operation });
    else {
      print(`Your folder is now on ${name}: ${to.slice(0, 12)} ${shownLine(title)}`);
      if (own !== null)
        print(
          `Your edits: \`jj edit ${own.changeId.slice(0, 12)}\`, or \`jj rebase -s ${own.changeId.slice(0, 12)} -o ${name}\` to move them onto ${name}.`,
        );
      if (operation !== null) print(`To undo: \`jj op revert ${operation.slice(0, 12)}\`.`);
    }
    return exitCode.done;
  });
}
