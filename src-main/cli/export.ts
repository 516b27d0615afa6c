/** `hox export`: a recorded run as one file, to be replayed or to be read. */
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import { exportRecording, recordingForOthers } from "../replay/export-recording.ts";
import { openRecording } from "../replay/open-recording-file.ts";
import type { Recording } from "../replay/recording.ts";
import { transcriptMarkdown } from "../replay/transcript-markdown.ts";
import { version } from "../version.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode, writeNewFile } from "./command-line.ts";
import { printProgress, show } from "./output.ts";
import { isRecordingFile, recordingOf } from "./replay.ts";
import { withRepository } from "./repository.ts";

export interface ExportRunOptions extends CommonOptions {
  readonly markdown?: boolean;
}

export async function exportRun(name: string, to: string, options: ExportRunOptions): Promise<ExitCode> {
  const isPage = options.markdown === true || to.endsWith(".md");
  if (!isRecordingFile(name)) return exportOwn(name, to, isPage, options);
  if (!isPage)
    throw new CommandError(
      `${name} is already an exported recording.`,
      "Copy the file, or add --markdown to write a readable page.",
      exitCode.usage,
    );
  const recording = await recordingOf(name, options);
  return write(recording, Buffer.from(transcriptMarkdown(recording)), to, options);
}

const exportOwn = (name: string, to: string, isPage: boolean, options: ExportRunOptions): Promise<ExitCode> =>
  withRepository(options, async (repository) => {
    const stateFolder = repositoryStateFolder(defaultStateFolder(), repository.root);
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
