import { homedir, hostname, tmpdir, userInfo } from "node:os";
import { mostRecordingBytes } from "#shared/contract/commands/replay.ts";
import type { Repository } from "../jj/repository-interface.ts";
import { secretsOf } from "../tools/redact.ts";
import { readWorks } from "./again/recorded-works.ts";
import { readAllGraphs } from "./past-graphs.ts";
import { isPicture } from "./recorded-attachments.ts";
import type { Recording } from "./recording.ts";
import { writeRecordingFile } from "./recording-file.ts";
import { cleanerFor, type Machine, withoutMachine } from "./without-machine.ts";

export interface ExportOptions {
  readonly repository: Repository;
  readonly stateFolder: string;
  /** What no file may hold, beside what the environment has. */
  readonly secrets: readonly string[];
  readonly writtenBy: string;
  readonly onProgress?: (done: number, all: number) => void;
}

/** A file for others, with what a person has to know of it before they give it away. */
export interface ExportedRecording {
  readonly file: Buffer;
  /** Names of the pictures in it: what they show, nobody has looked through. */
  readonly pictures: readonly string[];
  /** Names of what was attached to the goal and is not in it. */
  readonly leftOut: readonly string[];
}

/**
 * A run as a file for another machine: with its graphs, and without paths, addresses and secrets. Where it would be larger
 * than what can be opened, it is written without its pictures.
 */
export async function exportRecording(
  recording: Recording,
  options: ExportOptions,
): Promise<ExportedRecording> {
  const { repository, writtenBy, onProgress } = options;
  const graphs = await readAllGraphs(repository, recording, onProgress);
  const clean = cleanerFor({ graphs }, machineOf(options));
  const works = await readWorks(repository, recording, (text) => clean(text) !== text);
  const whole = recordingForOthers({ ...recording, graphs, works }, options);
  const exported = written(whole, writtenBy);
  return exported.file.byteLength > mostRecordingBytes && exported.pictures.length > 0
    ? written({ ...whole, attachments: whole.attachments.filter((one) => !isPicture(one)) }, writtenBy)
    : exported;
}

function written(recording: Recording, writtenBy: string): ExportedRecording {
  const { input, attachments } = recording;
  const names = new Set(attachments.map(({ name }) => name));
  return {
    file: writeRecordingFile(recording, writtenBy),
    pictures: attachments.filter(isPicture).map(({ name }) => name),
    leftOut: input.attachments.map(({ name }) => name).filter((name) => !names.has(name)),
  };
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
