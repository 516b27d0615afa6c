import { shownLine } from "#shared/domain/text/shown-text.ts";
import { folderView } from "../api/folder-view.ts";
import { writeDefaultConfig } from "../config/config.ts";
import { initBesideGit, initPlain } from "../jj/init.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode, folderOf } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";

export interface InitOptions extends CommonOptions {
  readonly yes?: boolean;
}

export async function init(options: InitOptions): Promise<ExitCode> {
  const view = await folderView(folderOf(options));
  let made: "jj" | "beside-git" | null = null;
  let words: readonly string[] = [];
  switch (view.kind) {
    case "jj":
      break;
    case "git":
      if (!view.canAdopt)
        throw new CommandError(view.reason ?? `${view.root} cannot be made a jj repository.`);
      await consent(
        options,
        `${view.root} is a Git repository. Make it a jj repository beside Git? Git goes on working, no file changes.`,
      );
      words = await initBesideGit(view.root);
      made = "beside-git";
      break;
    case "plain":
      await consent(
        options,
        `${view.root} is no repository. Make it one? Its files become the first change.`,
      );
      words = await initPlain(view.root);
      made = "jj";
      break;
    default:
      throw new CommandError(view.reason, view.remedy);
  }
  const config = await writeDefaultConfig(view.root);
  if (options.json)
    printJson({
      kind: "init",
      root: view.root,
      made,
      config: config.path,
      written: config.written,
      notes: words,
    });
  else {
    if (made) print(`${view.root} is a jj repository now.`);
    for (const line of words) print(shownLine(line));
    print(
      config.written
        ? `${config.path} was written; every key in it is explained.`
        : `${config.path} was there and stays as it is.`,
    );
  }
  return exitCode.done;
}
