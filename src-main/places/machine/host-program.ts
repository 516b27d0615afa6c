/** The worker as a host has it: a machine of another version takes it over. */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { workerProgramPath } from "#shared/domain/places/worker-program.ts";
import { writeFileAtomically } from "../../config/atomic-file.ts";
import type { OfferedProgram } from "../machine-contract.ts";
import { askHost, JoinRefused } from "./host-request.ts";

/** Of a program. It has less than a tenth of it. */
const maxProgramBytes = 20_000_000;

const hashOf = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/**
 * Fetches the program that a host has offered, and removes earlier ones.
 * @param folder where this machine keeps what it has of the host
 * @returns its file
 * @throws JoinRefused where it is not the one that was offered: nothing is replaced
 */
export async function fetchProgram(
  address: URL,
  authorization: string,
  { protocol, sha256 }: OfferedProgram,
  folder: string,
): Promise<string> {
  const programs = join(folder, "program");
  const file = join(programs, `${sha256}.mjs`);
  if (process.argv[1] === file)
    throw new JoinRefused(
      `${address.host} offers version ${protocol} of the worker, but serves the one that runs here already.`,
      "Restart Hox there: its files were replaced while it ran.",
    );
  await mkdir(programs, { recursive: true });
  const known = await readFile(file).catch(() => null);
  if (known === null || hashOf(known) !== sha256) {
    const { status, body } = await askHost(address, {
      path: workerProgramPath,
      headers: { authorization },
      maxBytes: maxProgramBytes,
    });
    if (status !== 200 || hashOf(body) !== sha256)
      throw new JoinRefused(
        status === 200
          ? `What ${address.host} serves as version ${protocol} of the worker has another SHA-256 than it said.`
          : `${address.host} does not serve version ${protocol} of the worker (HTTP ${status}).`,
        "Nothing was replaced, and the worker tries again. Or update Hox on this machine.",
      );
    await writeFileAtomically(file, body);
  }
  for (const name of await readdir(programs))
    if (name !== `${sha256}.mjs`) await rm(join(programs, name), { force: true });
  return file;
}
