/** `hox replay --again`: a recorded run done once more by the real engine, with its recorded answers for a model. */
import { randomUUID } from "node:crypto";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunView } from "#shared/contract/views/run.ts";
import { counted } from "#shared/domain/text/counted.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { folderView } from "../api/folder-view.ts";
import { removeTree } from "../disk/remove-tree.ts";
import { openRepository } from "../jj/open.ts";
import type { AgainReport } from "../replay/again/run-again.ts";
import { runAgain } from "../replay/again/run-again.ts";
import { type CommonOptions, type ExitCode, exitCode, folderOf } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";
import { progressLines } from "./progress.ts";
import { isRecordingFile, recordingOf } from "./replay.ts";

export interface AgainOptions extends CommonOptions {
  readonly keep?: boolean;
  readonly yes?: boolean;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export async function replayAgain(name: string, options: AgainOptions): Promise<ExitCode> {
  const recording = await recordingOf(name, options);
  const isForeign = isRecordingFile(name);
  if (isForeign)
    await consent(
      options,
      "Run the commands that are recorded in this file, in the sandbox and without a network?",
    );
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hox-again-")));
  const view = await folderView(folderOf(options));
  const source = view.kind === "jj" ? await openRepository(view.root) : null;
  const cancel = new AbortController();
  const interrupt = (): void => cancel.abort();
  for (const signal of signals) process.on(signal, interrupt);
  let before: RunView | null = null;
  try {
    if (!options.json)
      print(`Again, without a model and in a repository of its own: ${shownLine(recording.input.goal)}`);
    const report = await runAgain({
      recording,
      source,
      folder,
      // What a file of somebody else's may reach is nobody's decision here.
      hosts: isForeign ? [] : recording.config.sandbox.hosts,
      signal: cancel.signal,
      newId: randomUUID,
      onRun(run) {
        if (!options.json) for (const line of progressLines(before, run)) print(line);
        before = run;
      },
    });
    if (options.json) printJson({ kind: "again", ...report, folder: options.keep ? folder : null });
    else for (const line of reportLines(report)) print(line);
    if (options.keep && !options.json) print(`Kept: ${folder}`);
    return cancel.signal.aborted ? exitCode.interrupted : isSame(report) ? exitCode.done : exitCode.error;
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
    await source?.close();
    if (!options.keep) await removeTree(folder);
  }
}

/** Words of a prompt that differ lead to nothing by themselves. */
const isSame = ({ stopped, differences }: AgainReport): boolean =>
  stopped === null && differences.length === 0;

export function reportLines(report: AgainReport): readonly string[] {
  const { stage, stopped, unanswered, requests, differences, askedDifferently, unasked, missing } = report;
  const pair = (recorded: string, now: string): readonly string[] => [
    `      recorded: ${shownLine(recorded).slice(0, 200)}`,
    `      now:      ${shownLine(now).slice(0, 200)}`,
  ];
  return [
    `It ${unanswered.length === 0 ? "ended as" : "is at"} ${stage}; ${counted(requests, "answer")} of the recording played.`,
    ...unanswered.map((card) => `It waits as it did then: nobody answered the card "${shownLine(card)}".`),
    ...(stopped === null
      ? []
      : [
          `It went no further: ${shownLine(stopped).slice(0, 600)}`,
          "   Look at what differs under work: that was before it. --keep leaves the repository to look at.",
        ]),
    ...missing.map((line) => `   ${shownLine(line)}`),
    ...(unasked === 0 ? [] : [`   ${counted(unasked, "recorded conversation")} nobody asked for again.`]),
    differences.length === 0
      ? "Course, work, votes and files are as recorded."
      : `${counted(differences.length, "difference")}:`,
    ...differences.flatMap(({ what, who, recorded, now }) => [
      `   ${what} of ${shownLine(who)}`,
      ...pair(recorded, now),
    ]),
    ...(askedDifferently.length === 0
      ? []
      : [`${counted(askedDifferently.length, "prompt")} in other words than then:`]),
    ...askedDifferently.flatMap(({ worker, recorded, now }) => [
      `   ${shownLine(worker)}`,
      ...pair(recorded, now),
    ]),
  ];
}
