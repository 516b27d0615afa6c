/** Archives as the registries carry them, had by their own clients and the machine's configuration, and kept. */
import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { aptConfiguration, debianCodename, sourcesFor } from "../../build/setup/debian.mjs";
import { onPath, run } from "../../build/setup/run-program.mjs";
import { type Archive, NotPossible, type Registry } from "./project.ts";

interface Client {
  readonly program: string;
  readonly remedy: string;
  /** Puts the archive into a folder. Answers with its name there, or with what went wrong. */
  fetch(archive: Archive, folder: string): Promise<{ readonly file: string } | { readonly problem: string }>;
}

const limitMs = 5 * 60_000;
/** What a client said went wrong, in one line. */
function problemIn(output: string): string {
  const lines = output.trim().split("\n");
  return (lines.find((line) => /\berror\b(?!.*\blog\b)|^E:/iu.test(line)) ?? lines.at(-1) ?? "").trim();
}

async function call(program: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  return run(program, args, { cwd, env: { ...process.env, ...env }, limitMs });
}

/** The one file that a client left in a folder that was empty. */
const only = (folder: string, ending: RegExp, output: string) => {
  const file = readdirSync(folder).find((name) => ending.test(name));
  return file === undefined ? { problem: problemIn(output) } : { file };
};

const clients: Readonly<Record<Registry, Client>> = {
  npm: {
    program: "npm",
    remedy: "Install Node.js with npm.",
    async fetch({ name, version }, folder) {
      const { output } = await call("npm", ["pack", "--loglevel=error", `${name}@${version}`], folder);
      return only(folder, /\.tgz$/u, output);
    },
  },
  pypi: {
    program: "python3",
    remedy: "Install Python 3 with pip: apt-get install python3-pip python3-venv",
    async fetch({ name, version }, folder) {
      // What it takes to read the archive comes as it is built; that alone comes as source.
      const args = ["--quiet", "--no-deps", "--no-binary", name, `${name}==${version}`];
      const { output } = await call("python3", ["-m", "pip", "download", ...args], folder);
      return only(folder, /\.(?:tar\.gz|zip)$/u, output);
    },
  },
  crates: {
    program: "cargo",
    remedy: "Install Rust (rustup).",
    async fetch({ name, version }, folder) {
      const asking = join(folder, "asking");
      mkdirSync(join(asking, "src"), { recursive: true });
      writeFileSync(join(asking, "src", "lib.rs"), "");
      writeFileSync(
        join(asking, "Cargo.toml"),
        `[package]\nname = "asking"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\n${name} = "=${version}"\n`,
      );
      // A separate cache would hold the archive and nothing else, but the settings are next to the default one.
      const { output } = await call("cargo", ["fetch", "--quiet"], asking);
      const home = process.env.CARGO_HOME ?? join(process.env.HOME ?? "", ".cargo");
      const cache = join(home, "registry", "cache");
      const file = `${name}-${version}.crate`;
      const found = (existsSync(cache) ? readdirSync(cache) : [])
        .map((registry) => join(cache, registry, file))
        .find((path) => existsSync(path));
      if (found === undefined) return { problem: problemIn(output) };
      copyFileSync(found, join(folder, file));
      return { file };
    },
  },
  debian: {
    program: "apt-get",
    remedy: "Debian's source packages are had on Debian.",
    async fetch({ name, version }, folder) {
      const codename = debianCodename();
      const sources = codename === undefined ? [] : sourcesFor(codename, codename);
      if (sources.length === 0) return { problem: "no archive of a Debian is configured here" };
      const apt = join(folder, "apt");
      for (const part of ["lists/partial", "archives/partial"])
        mkdirSync(join(apt, part), { recursive: true });
      const lines = sources.map((line) => line.replace(/^deb /u, "deb-src "));
      writeFileSync(join(apt, "sources.list"), `${lines.join("\n")}\n`);
      writeFileSync(join(apt, "apt.conf"), aptConfiguration(apt));
      const env = { APT_CONFIG: join(apt, "apt.conf"), LC_ALL: "C" };
      const update = await call("apt-get", ["-q", "update"], folder, env);
      if (update.code !== 0) return { problem: problemIn(update.output) };
      const { output } = await call(
        "apt-get",
        ["-q", "--download-only", "--only-source", "source", `${name}=${version}`],
        folder,
        env,
      );
      return only(folder, /\.orig\.tar\.\w+$/u, output);
    },
  },
};

const checksumOf = (path: string): string => createHash("sha256").update(readFileSync(path)).digest("hex");

/**
 * The archive, from the cache or its registry. Throws `NotPossible` where it cannot be had, and an error where what was
 * had is not what is meant.
 */
export async function archiveFile(archive: Archive, cache: string): Promise<string> {
  const { registry, name, version, sha256 } = archive;
  const folder = join(cache, "archives");
  const kept = join(folder, `${name.replaceAll(/[^\w.-]+/gu, "-")}-${version}-${sha256.slice(0, 12)}`);
  if (existsSync(kept) && checksumOf(kept) === sha256) return kept;
  const client = clients[registry];
  if (onPath([client.program]) === undefined)
    throw new NotPossible(`there is no ${client.program} to fetch ${name} ${version} with`, client.remedy);
  mkdirSync(folder, { recursive: true });
  const draft = mkdtempSync(join(folder, "draft-"));
  try {
    const answer = await client.fetch(archive, draft);
    if ("problem" in answer)
      throw new NotPossible(
        `${name} ${version} could not be had from ${registry}: ${answer.problem}`,
        "Connect to a network in which this registry answers, or set its client up for a mirror.",
      );
    const path = join(draft, answer.file);
    const found = checksumOf(path);
    if (found !== sha256)
      throw new Error(`${name} ${version} of ${registry} has the checksum ${found}; meant is ${sha256}.`);
    renameSync(path, kept);
    return kept;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Unpacks an archive into a folder, without its top folder. */
export async function unpack({ folder = "" }: Archive, file: string, into: string): Promise<void> {
  const draft = mkdtempSync(join(into, "..", "unpack-"));
  try {
    const { code, output } = await call("tar", ["-xf", file, "-C", draft, "--strip-components=1"], draft);
    if (code !== 0) throw new Error(`${file} could not be unpacked: ${output.trim()}`);
    rmSync(into, { recursive: true });
    renameSync(join(draft, folder), into);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
