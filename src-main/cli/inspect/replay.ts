/** `hox replay`: a recorded run, watched again. */

import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { maxRecordingBytes, type ReplayMoment } from "#shared/contract/commands/replay.ts";
import { shownLine } from "#shared/domain/text/shown-text.ts";
import { exportRecording, recordingForOthers } from "../../replay/export-recording.ts";
import { openRecording, openRecordingFile } from "../../replay/open-recording-file.ts";
import { type Recording, ReplayRefusal, recordingEnding, tooLarge } from "../../replay/recording.ts";
import { createReplay, type RecordedViews, type Replay } from "../../replay/replay.ts";
import { transcriptMarkdown } from "../../replay/transcript-markdown.ts";
import { version } from "../../version.ts";
import {
  CommandError,
  type CommonOptions,
  type ExitCode,
  exitCode,
  invocationFolder,
  writeNewFile,
} from "../command-line.ts";
import { print, printJson, printProgress, show } from "../output.ts";
import { stateFolderOf, withRepository } from "../repository.ts";
import { progressLines, spentText } from "../run/progress.ts";

export interface ReplayOptions extends CommonOptions {
  readonly pace?: number;
}

/** Nothing is waited for longer, however long nothing happened. */
const maxWaitMs = 3_000;

export async function replay(name: string, options: ReplayOptions): Promise<ExitCode> {
  const recorded = createReplay(await recordingOf(name, options));
  const isWatched = process.stdout.isTTY === true && !options.json;
  const pace = options.pace ?? (isWatched ? 10 : Infinity);
  if (options.json) await printAsJson(recorded, pace);
  else await printAsText(recorded, pace);
  return exitCode.done;
}

/** Whether a file is meant, and not a run of the repository. */
export const isRecordingFile = (name: string): boolean =>
  name.endsWith(recordingEnding) || (/[/\\.]/u.test(name) && existsSync(resolve(invocationFolder(), name)));

/** A file needs no repository; a run is one of the repository's own. */
export async function recordingOf(name: string, options: CommonOptions): Promise<Recording> {
  if (isRecordingFile(name)) return openRecordingFile(await bytesOf(name));
  return withRepository(options, async ({ root }) => openRecording(stateFolderOf(root), name));
}

async function bytesOf(name: string): Promise<Uint8Array> {
  const file = resolve(invocationFolder(), name);
  try {
    const { size } = await stat(file);
    // Refused before reading it.
    if (size > maxRecordingBytes) throw tooLarge();
    return await readFile(file);
  } catch (error) {
    if (error instanceof ReplayRefusal) throw error;
    throw new CommandError(
      `Can't read ${name}: ${error instanceof Error ? error.message : String(error)}`,
      "Give a file from `hox export`.",
    );
  }
}

interface Step {
  readonly at: number;
  readonly moments: readonly ReplayMoment[];
  readonly views: RecordedViews;
}

/** Every time at which something happened that has words, with the views as they were then. */
async function* stepsOf({ from, moments, to, viewsAt }: Replay, pace: number): AsyncGenerator<Step> {
  let before = from;
  for (const [at, own] of [...Map.groupBy(moments, (one) => one.at)]) {
    if (pace !== Infinity) await sleep(Math.min(maxWaitMs, Math.max(0, (at - before) / pace)));
    before = at;
    yield { at, moments: own, views: viewsAt(at) };
  }
  yield { at: to, moments: [], views: viewsAt(to) };
}

async function printAsJson(recorded: Replay, pace: number): Promise<void> {
  for await (const { at, moments, views } of stepsOf(recorded, pace)) {
    for (const moment of moments) printJson({ kind: "moment", ...moment });
    if (moments.length === 0) printJson({ kind: "end", at, ...views });
  }
}

async function printAsText(recorded: Replay, pace: number): Promise<void> {
  const { recording, from } = recorded;
  print(
    `Replay of ${shownLine(recording.run)}, recorded ${new Date(from).toISOString().slice(0, 16)}. Changes nothing.`,
  );
  print(shownLine(recording.input.goal));
  let before: RecordedViews | null = null;
  for await (const { at, moments, views } of stepsOf(recorded, pace)) {
    const lines = moments.flatMap(({ who, text, tone }) =>
      tone === "decision" || tone === "user" ? [`   ${(who ?? "").padEnd(12)} ${text}`] : [],
    );
    for (const line of [...lines, ...progressLines(before?.run ?? null, views.run)])
      print(`${offset(at - from)}  ${line}`);
    before = views;
  }
  const last = before?.run;
  if (last) print(`Result: ${last.stage}. Spent ${spentText(last)}.`);
}

function offset(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${hours > 0 ? `${hours}:${two(minutes)}` : String(minutes)}:${two(seconds % 60)}`.padStart(7);
}

/** @param to a file; one that ends in .md is a page to read */
export async function exportRun(name: string, to: string, options: CommonOptions): Promise<ExitCode> {
  const isPage = to.endsWith(".md");
  if (!isRecordingFile(name)) return exportOwn(name, to, isPage, options);
  if (!isPage)
    throw new CommandError(
      `${name} is already an exported recording.`,
      "Copy the file, or give a name that ends in .md to write a readable page.",
      exitCode.usage,
    );
  const recording = await recordingOf(name, options);
  return write(recording, Buffer.from(transcriptMarkdown(recording)), to, options);
}

const exportOwn = (name: string, to: string, isPage: boolean, options: CommonOptions): Promise<ExitCode> =>
  withRepository(options, async (repository) => {
    const stateFolder = stateFolderOf(repository.root);
    const recording = openRecording(stateFolder, name);
    const about = { repository, stateFolder, secrets: [], writtenBy: version() };
    if (isPage)
      return write(
        recording,
        Buffer.from(transcriptMarkdown(recordingForOthers(recording, about))),
        to,
        options,
      );
    const file = await exportRecording(recording, {
      ...about,
      onProgress: (done, all) =>
        printProgress(`Reading the graph: ${done} of ${all} operations`, { isLast: done === all }),
    });
    return write(recording, file, to, options, ` Replay it on any machine: hox replay ${to}`);
  });

async function write(
  { run }: Recording,
  bytes: Uint8Array,
  to: string,
  options: CommonOptions,
  hint = "",
): Promise<ExitCode> {
  const file = await writeNewFile(to, bytes);
  show(
    options,
    { run, file, bytes: bytes.byteLength },
    `${to}: ${Math.ceil(bytes.byteLength / 1024).toLocaleString("en")} kB.${hint}`,
  );
  return exitCode.done;
}
