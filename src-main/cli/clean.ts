import { shownLine, shownName } from "#shared/domain/shown-text.ts";
import { type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";
import { withQuietEngine } from "./quiet-engine.ts";
import { withRepository } from "./repository.ts";

export interface CleanOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** Removes the workspaces of runs that are over. What jj cannot record stays, and is named. */
export function clean(options: CleanOptions): Promise<ExitCode> {
  return withRepository(options, (repository) =>
    withQuietEngine(
      repository,
      "Remove them there, beside the run; or close it and try again.",
      async (engine) => {
        await consent(
          options,
          "Remove the workspaces of all runs that are over? Their work stands in their changes.",
        );
        const { removed, kept } = await engine.cleanUp();
        if (options.json) printJson({ kind: "cleaned", removed, kept });
        else {
          print(`${removed.length} ${removed.length === 1 ? "workspace" : "workspaces"} removed.`);
          for (const { folder, reason, remedy } of kept)
            print(`stays: ${shownName(folder)}\n  ${shownLine(reason)} ${shownLine(remedy)}`);
        }
        return exitCode.done;
      },
    ),
  );
}
