import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import {
  type FetchProgress,
  fetchJj,
  JjNotFetched,
  type ReleaseArchive,
} from "../../build/setup/jj-release.mjs";
import { bundledJj, fetchedJj } from "../config/tools.ts";
import { probe, versionIn } from "./doctor.ts";

export interface InstallJjOptions {
  /** Cancels it; the jj that was there before stays. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: FetchProgress) => void;
  /** Where it goes; by default Hox's own cache, where `findTool` looks. */
  readonly target?: string;
  readonly archive?: ReleaseArchive;
}

/**
 * Installs Hox's own jj into its cache: the bundled one, else the pinned release. Other jj installations are
 * not touched. It replaces the old one only after it has printed its version here.
 * @throws JjNotFetched
 */
export async function installJj({
  target = fetchedJj(),
  ...options
}: InstallJjOptions = {}): Promise<string> {
  // With the same ending, without which Windows would not start it.
  const draft = target.replace(/(\.exe)?$/u, `-${process.pid}$1`);
  try {
    const bundled = options.archive === undefined ? bundledJj() : undefined;
    if (bundled === undefined) await fetchJj({ ...options, target: draft });
    else {
      await mkdir(dirname(draft), { recursive: true });
      await copyFile(bundled, draft);
    }
    const probed = await probe(draft, ["--version"]);
    const version = probed.ok ? versionIn(probed.output) : null;
    if (version === null)
      throw new JjNotFetched(
        "archive",
        `The downloaded jj does not start: ${probed.ok ? "it reports no version" : probed.reason}.`,
      );
    await rename(draft, target);
    return version;
  } finally {
    await rm(draft, { force: true });
  }
}
