import type { UndoPreview } from "#shared/contract/views/undo.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";
import { withRunClient, workerNamed } from "./run-client.ts";

export interface UndoOptions extends CommonOptions {
  readonly yes?: boolean;
  readonly wait?: boolean;
}

/** Undoes the file changes of one agent. */
export function undo(agent: string, options: UndoOptions): Promise<ExitCode> {
  return withRunClient(options, async (client) => {
    const { run } = await client.state(agent);
    if (!run) throw new CommandError("No run in this repository.", 'Start one: hox run --goal "…"');
    workerNamed(run, agent);
    const preview = await client.execute("run.previewUndo", { worker: agent });
    if (options.json) printJson({ kind: "preview", ...preview });
    else for (const line of previewLines(preview)) print(line);
    if (preview.refusal) throw new CommandError(preview.refusal.reason, preview.refusal.remedy);
    await consent(options, `Undo the work of ${agent} only?`);
    await client.execute("run.undoWorker", { worker: agent, afterwards: options.wait ? "wait" : "restart" });
    const over = run.endedAt !== null;
    if (options.json) printJson({ kind: "undone", worker: agent, changeId: preview.changeId });
    else
      print(
        `Undone.${over ? "" : options.wait ? ` ${agent} stays paused; resume it with: hox resume ${agent}.` : ` ${agent} restarts${client.isLive ? "." : " when the run resumes: hox run"}`}`,
      );
    return exitCode.done;
  });
}

function previewLines(preview: UndoPreview): readonly string[] {
  const { operationCount: count } = preview;
  return [
    `${preview.worker}: ${shownLine(preview.title)} (${preview.changeId.slice(0, 12)})`,
    preview.files.length === 0 ? "  no files changed" : "  files that return to their inherited state:",
    ...preview.files.map((file) => `    ${file.kind.padEnd(8)} ${shownName(file.path)}`),
    `  ${count} ${count === 1 ? "operation" : "operations"} by this agent in this run`,
    ...preview.moved.map(
      (one) => `  continues without it: ${shownLine(one.title)} (${one.changeId.slice(0, 12)})`,
    ),
    ...preview.affected.map(
      (one) => `  depends on it: ${shownLine(one.title)} (${one.changeId.slice(0, 12)})`,
    ),
    ...(preview.untouched.length === 0 ? [] : [`  unchanged: ${preview.untouched.join(", ")}`]),
  ];
}
