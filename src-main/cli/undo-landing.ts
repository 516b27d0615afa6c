/** `hox undo-landing`: moves a branch back to before the last landing on it. */
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";
import { withRunClient } from "./run-client.ts";

export interface UndoLandingOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** Maximum of titles that are listed before confirming; `--json` has all. */
const maxTitles = 20;

export function undoLanding(options: UndoLandingOptions): Promise<ExitCode> {
  return withRunClient(options, async (client) => {
    const preview = await client.execute("run.previewUndoLanding");
    const { bookmark, from, to, commits, refusal } = preview;
    const name = shownName(bookmark);
    const back = from === null ? "is deleted: the landing created it" : `moves back to ${from.slice(0, 12)}`;
    if (options.json) printJson({ kind: "preview", ...preview });
    else {
      print(`${name} ${back}; removed from it:`);
      for (const title of commits.slice(0, maxTitles)) print(`  ${shownLine(title)}`);
      if (commits.length > maxTitles) print(`  and ${commits.length - maxTitles} more`);
    }
    if (refusal) throw new CommandError(refusal.reason, refusal.remedy);
    await consent(options, `Undo the landing on ${name}? Your own edits are kept.`);
    await client.execute("run.undoLanding");
    if (options.json) printJson({ kind: "done", undone: bookmark, from, to });
    else
      print(
        `Undone. The landed work is still in the graph as ${to.slice(0, 12)}. To land it again: \`git merge ${to.slice(0, 12)}\`, or \`jj bookmark set ${name} -r ${to.slice(0, 12)}\``,
      );
    return exitCode.done;
  });
}
