/** Where this host keeps who has which place: alone, or in the pool that it shares with others. */
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { writeFileAtomically } from "../config/atomic-file.ts";
import { readBoundedFileOrNull } from "../disk/repository-files.ts";
import { hasPlaces, openPlaces, placesFile } from "./places-database.ts";
import type { PlacesDatabase } from "./places-interface.ts";

/** The only place where a pool is configured: a connection string of Postgres, which may hold a password. */
const poolAddress = (): string | undefined => process.env.HOX_POOL || undefined;

/** Whether there may be workers: otherwise nothing is opened, and nothing listens. */
export const mayHavePlaces = (stateFolder: string): boolean =>
  poolAddress() !== undefined || hasPlaces(stateFolder);

/** @param warn hears of troubles with the database of a pool */
export async function openHostPlaces(
  stateFolder: string,
  warn: (text: string) => void = () => {},
): Promise<PlacesDatabase> {
  const address = poolAddress();
  if (address === undefined) return openPlaces(placesFile(stateFolder), () => Date.now());
  const { openPool } = await import("./pool/pool-database.ts");
  return openPool({ address, host: await hostId(stateFolder), hostName: hostname(), warn });
}

/** By which this host finds its own places in the pool after a restart. */
async function hostId(stateFolder: string): Promise<string> {
  const path = join(stateFolder, "pool-host");
  const known = readBoundedFileOrNull(path, 100);
  if (known !== null) return known;
  const made = randomBytes(8).toString("hex");
  await writeFileAtomically(path, made);
  return made;
}
