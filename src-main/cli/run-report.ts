/** `hox report`: the report on one run, as a page. */
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import { readRunReport } from "../replay/read-run-report.ts";
import { type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { print, printJson } from "./output.ts";
import { withRepository } from "./repository.ts";

export const runReport = (name: string, options: CommonOptions): Promise<ExitCode> =>
  withRepository(options, async (repository) => {
    const stateFolder = repositoryStateFolder(defaultStateFolder(), repository.root);
    const { report, markdown } = await readRunReport(repository, stateFolder, name);
    if (options.json) printJson(report);
    else print(markdown.trimEnd());
    return exitCode.done;
  });
