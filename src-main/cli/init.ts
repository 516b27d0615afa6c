import { shownLine } from "#shared/domain/text/shown-text.ts";
import { folderView } from "../api/folders.ts";
import { writeDefaultConfig } from "../config/config.ts";
import { initInGitRepository, initPlain } from "../jj/init.ts";
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
      if (!view.canAdopt) throw new CommandError(view.reason ?? `Can't make ${view.root} a jj repository.`);
      await consent(
        options,
        `${view.root} is a Git repository. Add jj to it? Git keeps working, and no file changes.`,
      );
      words = await initInGitRepository(view.root);
      made = "beside-git";
      break;
    case "plain":
      await consent(
        options,
        `${view.root} is not a repository. Create one? Its files become the first change.`,
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
    if (made) print(`${view.root} is now a jj repository.`);
    for (const line of words) print(shownLine(line));
    print(
      config.written
        ? `Wrote ${config.path}, with a comment for every key.`
        : `${config.path} already exists; not changed.`,
    );
  }
  return exitCode.done;
}
