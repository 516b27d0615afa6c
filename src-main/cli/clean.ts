import type { Leftovers } from "#shared/contract/commands/run.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson, show } from "./output.ts";
import { withRepository } from "./repository.ts";
import { withInactiveEngine } from "./run-client.ts";

export interface CleanOptions extends CommonOptions {
  readonly yes?: boolean;
}

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

function leftoverLines({ workspaces, branches, messages, work }: Leftovers): readonly string[] {
  const changes = work.flatMap((run) => [
    `not landed, kept: ${shownLine(run.goal) || run.run}`,
    ...run.changes.map(({ changeId, title }) => `    ${changeId.slice(0, 12)} ${shownLine(title)}`),
  ]);
  return [
    "Left over from ended runs:",
    ...workspaces.map((folder) => `  workspace ${shownName(folder)}`),
    ...branches.map((name) => `  branch ${shownName(name)}`),
    ...(messages === 0 ? [] : [`  ${counted(messages, "message")}`]),
    ...changes.map((line) => `  ${line}`),
    ...(work.length === 0 ? [] : ["  To delete such work: jj abandon <change>"]),
    ...(workspaces.length + branches.length + messages + work.length === 0 ? ["  nothing"] : []),
  ];
}

/** Removes what runs that are over have left. What jj cannot record stays, and so does work; both are named. */
export function clean(options: CleanOptions): Promise<ExitCode> {
  return withRepository(options, (repository) =>
    withInactiveEngine(repository, "Run the cleanup there, or close it and try again.", async (engine) => {
      const left = await engine.execute("run.leftovers");
      show(options, { kind: "leftovers", ...left }, leftoverLines(left));
      if (left.workspaces.length + left.branches.length + left.messages > 0)
        await consent(
          options,
          "Remove these workspaces, branches and messages? The work stays in its changes, and jj's operation log keeps the rest.",
        );
      const { removed, kept, branches, messages } = await engine.execute("run.cleanUp");
      if (options.json) printJson({ kind: "cleaned", removed, kept, branches, messages });
      else {
        const gone = [
          counted(removed.length, "workspace"),
          counted(branches.length, "branch", "branches"),
          counted(messages, "message"),
        ];
        print(`Removed: ${gone.join(", ")}.`);
        for (const { folder, reason, remedy } of kept)
          print(`stays: ${shownName(folder)}\n  ${shownLine(reason)} ${shownLine(remedy)}`);
      }
      return exitCode.done;
    }),
  );
}
