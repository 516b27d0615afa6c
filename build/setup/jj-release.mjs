import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileInArchive } from "./archive.mjs";

/**
 * jj's own release, and what each of its archives must be to the last bit. A release to come is pinned here, from the
 * digests that its page shows; several projects that pin it too should agree.
 */
const version = "0.45.1";
const folder = `https://github.com/jj-vcs/jj/releases/download/v${version}`;

/** @type {Readonly<Record<string, readonly [target: string, sha256: string]>>} */
const pinned = {
  "linux-x64": [
    "x86_64-unknown-linux-musl.tar.gz",
    "f35438350b5d61963aac5dd74ede510b31d6b9690769d1a6268cf058cc825f72",
  ],
  "linux-arm64": [
    "aarch64-unknown-linux-musl.tar.gz",
    "7349a43dd5a20dbc998b10114daa0ee63d2ab863fb822c7eb6b0ebca5903cc69",
  ],
  "darwin-x64": [
    "x86_64-apple-darwin.tar.gz",
    "6171582d0b5a98a1005cd9643faebff7936812ec264d7968a39d9cef3654a99b",
  ],
  "darwin-arm64": [
    "aarch64-apple-darwin.tar.gz",
    "51ba42e3d0682616f6eb015045bfe45289b396f03511f9897f645ce8e9272743",
  ],
  "win32-x64": [
    "x86_64-pc-windows-msvc.zip",
    "5dbf2619272c897394d34190a94b21a6ab8d1e8e59fcf7dfc173d8fa8aa90bf0",
  ],
};

/**
 * An archive of a release.
 * @typedef {{ version: string, name: string, url: string, sha256: string }} ReleaseArchive
 * @typedef {"no-archive" | "unreachable" | "checksum" | "archive" | "disk" | "cancelled"} FetchProblem
 */

/**
 * The archive for a system, or nothing where none is pinned.
 * @param {string} platform
 * @param {string} arch
 * @returns {ReleaseArchive | undefined}
 */
export function jjArchive(platform = process.platform, arch = process.arch) {
  const [target, sha256] = pinned[`${platform}-${arch}`] ?? [];
  if (target === undefined || sha256 === undefined) return undefined;
  const name = `jj-v${version}-${target}`;
  return { version, name, url: `${folder}/${name}`, sha256 };
}

const installYourself =
  "Install Jujutsu 0.44 or later yourself (macOS: brew install jj; Windows: winget install jj-vcs.jj; anywhere: cargo install --locked jj-cli), or set HOX_JJ to its path.";

/** @type {Readonly<Record<FetchProblem, string>>} */
const remedies = {
  "no-archive": installYourself,
  unreachable: `Try again when you are online. ${installYourself}`,
  checksum: `The file was deleted. Try again on another network; if it happens again, do not use that file. ${installYourself}`,
  archive: `The file was deleted. ${installYourself}`,
  disk: "Free disk space, or allow your user to write to that folder, then retry.",
  cancelled: "Start the download again when you want.",
};

/** jj could not be fetched; nothing was kept of what came. */
export class JjNotFetched extends Error {
  /** @param {FetchProblem} kind @param {string} message @param {unknown} [cause] */
  constructor(kind, message, cause) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "JjNotFetched";
    this.kind = kind;
    this.remedy = remedies[kind];
  }
}

/** So long a server may say nothing. */
const silentMs = 20_000;
/** Several times the largest archive. */
const largest = 100 * 1024 * 1024;

/**
 * Fetches jj's release, compares it with its checksum and puts the program in its place in one step.
 * @param {object} options
 * @param {string} options.target where the program goes
 * @param {ReleaseArchive | undefined} [options.archive]
 * @param {AbortSignal} [options.signal] ends it; what was there before stays
 * @param {(progress: { received: number, total: number | null }) => void} [options.onProgress] in bytes
 * @param {string} [options.program] its name in the archive
 * @param {number} [options.silentMs]
 * @returns {Promise<{ version: string, license: Buffer | undefined }>}
 * @throws {JjNotFetched}
 */
export async function fetchJj({ archive = jjArchive(), ...options }) {
  if (!archive)
    throw new JjNotFetched(
      "no-archive",
      `No release of jj is pinned for ${process.platform} on ${process.arch}.`,
    );
  const bytes = await download(archive, options);
  const sum = createHash("sha256").update(bytes).digest("hex");
  if (sum !== archive.sha256)
    throw new JjNotFetched(
      "checksum",
      `${archive.url} is not the released file: its SHA-256 is ${sum} instead of ${archive.sha256}.`,
    );
  const program = options.program ?? (archive.name.endsWith(".zip") ? "jj.exe" : "jj");
  const [content, license] = [program, "LICENSE"].map((file) => unpack(archive, bytes, file));
  if (!content) throw new JjNotFetched("archive", `${archive.name} contains no ${program}.`);
  put(options.target, content);
  return { version: archive.version, license };
}

/** @param {ReleaseArchive} archive @param {Buffer} bytes @param {string} file */
function unpack(archive, bytes, file) {
  try {
    return fileInArchive(archive.name, bytes, file);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    throw new JjNotFetched("archive", `Can't unpack ${archive.name}: ${message}.`, error);
  }
}

/** @param {string} target @param {Buffer} content */
function put(target, content) {
  const draft = `${target}.${process.pid}`;
  try {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(draft, content);
    chmodSync(draft, 0o755);
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    const { message } = /** @type {Error} */ (error);
    throw new JjNotFetched("disk", `jj could not be written to ${target}: ${message}`, error);
  }
}

/**
 * @param {ReleaseArchive} archive
 * @param {{ signal?: AbortSignal | undefined, onProgress?: ((progress: { received: number, total: number | null }) => void) | undefined, silentMs?: number | undefined }} options
 */
async function download({ url }, { signal, onProgress, silentMs: patience = silentMs }) {
  const silence = new AbortController();
  const wait = () => setTimeout(() => silence.abort(), patience);
  let timer = wait();
  try {
    const response = await fetch(url, {
      signal: signal ? AbortSignal.any([signal, silence.signal]) : silence.signal,
    });
    if (!response.ok || !response.body)
      throw new JjNotFetched("unreachable", `${url} answered ${response.status} ${response.statusText}.`);
    const length = Number(response.headers.get("content-length") ?? Number.NaN);
    const total = Number.isInteger(length) && length > 0 ? length : null;
    /** @type {Uint8Array[]} */
    const pieces = [];
    let received = 0;
    for await (const piece of /** @type {AsyncIterable<Uint8Array>} */ (response.body)) {
      clearTimeout(timer);
      timer = wait();
      pieces.push(piece);
      received += piece.length;
      if (received > largest) throw new JjNotFetched("checksum", `${url} is larger than any release of jj.`);
      onProgress?.({ received, total });
    }
    return Buffer.concat(pieces);
  } catch (error) {
    if (error instanceof JjNotFetched) throw error;
    if (signal?.aborted) throw new JjNotFetched("cancelled", "The download of jj was cancelled.", error);
    const { message, cause } = /** @type {Error} */ (error);
    const why = silence.signal.aborted
      ? `the server sent nothing for ${patience / 1000} s`
      : cause instanceof Error
        ? cause.message
        : message;
    throw new JjNotFetched("unreachable", `Could not download ${url}: ${why}.`, error);
  } finally {
    clearTimeout(timer);
  }
}
