/** `hox export`: a recorded run as one file. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { defaultStateFolder, repositoryStateFolder } from "../config/state-folder.ts";
import { exportRecording } from "../replay/export-recording.ts";
import { openRecording } from "../replay/open-recording.ts";
import { version } from "../version.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode, standing } from "./command-line.ts";
import { print, printJson, printProgress } from "./output.ts";
import { withRepository } from "./repository.ts";

export const exportRun = (name: string, to: string, options: CommonOptions): Promise<ExitCode> =>
  withRepository(options, async (repository) => {
    const file = resolve(standing(), to);
    const stateFolder = repositoryStateFolder(defaultStateFolder(), repository.root);
    const recording = openRecording(stateFolder, name);
    const bytes = await exportRecording(recording, {
      repository,
      stateFolder,
      secrets: [],
      writtenBy: version(),
      onProgress: (done, all) =>
        printProgress(`Reading the graph: ${done} of ${all} operations`, { isLast: done === all }),
    });
    await writeFile(file, bytes, { flag: "wx", mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST")
        throw new CommandError(`There is a file ${to} already.`, "Name another one, or move it away.");
      throw new CommandError(`${to} cannot be written: ${error.message}`, "Name another place.");
    });
    if (options.json) printJson({ run: recording.run, file, bytes: bytes.byteLength });
    else
      print(
        `${to}: ${Math.ceil(bytes.byteLength / 1024).toLocaleString("en")} kB. Watch it anywhere: hox replay ${to}`,
      );
    return exitCode.done;
  });
