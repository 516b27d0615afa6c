/** The program that this host gives to machines. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { workerProgramFile } from "#shared/domain/places/worker-program.ts";
import { machineProtocol, type OfferedProgram } from "./machine-contract.ts";

export interface WorkerProgram extends OfferedProgram {
  readonly bytes: Buffer;
}

/** @throws where there is no such file */
export function readWorkerProgram(file: string): WorkerProgram {
  const bytes = readFileSync(file);
  return { bytes, protocol: machineProtocol, sha256: createHash("sha256").update(bytes).digest("hex") };
}

let built: WorkerProgram | null | undefined;

/** As the build has made it beside its own files. Null: this Hox runs from its sources, and has none to give. */
export function builtWorkerProgram(): WorkerProgram | null {
  const here = dirname(fileURLToPath(import.meta.url));
  for (const up of [".", ".."])
    try {
      built ??= readWorkerProgram(join(here, up, workerProgramFile));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  built ??= null;
  return built;
}
