import { homedir, hostname, tmpdir, userInfo } from "node:os";
import type { Repository } from "../jj/repository-interface.ts";
import { secretsOf } from "../tools/redact.ts";
import { readAllGraphs } from "./past-graphs.ts";
import type { Recording } from "./recording.ts";
import { writeRecordingFile } from "./recording-file.ts";
import { type Machine, withoutMachine } from "./without-machine.ts";

export interface ExportOptions {
  readonly repository: Repository;
  readonly stateFolder: string;
  /** What no file may hold, beside what the environment has. */
  readonly secrets: readonly string[];
  readonly writtenBy: string;
  readonly onProgress?: (done: number, all: number) => void;
}

/** A run as a file for another machine: with its graphs, and without paths, addresses and secrets. */
export async function exportRecording(recording: Recording, options: ExportOptions): Promise<Buffer> {
  const { repository, writtenBy, onProgress } = options;
  const graphs = await readAllGraphs(repository, recording, onProgress);
  return writeRecordingFile(recordingForOthers({ ...recording, graphs }, options), writtenBy);
}

/** The recording as people on other machines may have it. */
export const recordingForOthers = (recording: Recording, about: AboutMachine): Recording =>
  withoutMachine(recording, machineOf(about));

type AboutMachine = Pick<ExportOptions, "repository" | "stateFolder" | "secrets">;

function machineOf({ repository, stateFolder, secrets }: AboutMachine): Machine {
  const places = [
    { folder: repository.root, name: "<repository>" },
    { folder: stateFolder, name: "<state>" },
    { folder: tmpdir(), name: "<temporary>" },
    { folder: homedir(), name: "<home>" },
  ];
  return {
    places,
    secrets: [...secrets, ...secretsOf(process.env)],
    people: [hostname(), ...account()],
  };
}

/** None where the system knows nobody by the number that this process runs as. */
function account(): readonly string[] {
  try {
    return [userInfo().username];
  } catch {
    return [];
  }
}
