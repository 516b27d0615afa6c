import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { toolPath } from "../../config/tools.ts";
import { runProgram } from "../../processes/run-program.ts";
import { initPlain } from "../init.ts";
import { openRepository } from "../open.ts";
import type { Repository } from "../repository-interface.ts";

export interface TestRepository {
  readonly repository: Repository;
  /** The folder that holds everything of this test; the repository is `<folder>/repo`. */
  readonly folder: string;
  /** Runs jj as a person in a terminal does, in the repository or in `cwd`; answers standard output. */
  terminal(args: readonly string[], options?: { cwd?: string; input?: string }): Promise<string>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Replaces the person's own jj configuration. */
  configure(toml: string): Promise<void>;
  remove(): Promise<void>;
}

/** The identity of every test, and a configuration file that belongs to the test alone. */
const identity = '[user]\nname = "Test"\nemail = "test@example.org"\n';

/**
 * Makes a small repository in a temporary folder for tests: fixed identity, no configuration of the person who
 * runs them (`JJ_CONFIG` is set for this process). `files` make its first change, described "first", with an
 * empty working copy on top.
 */
export async function createTestRepository({
  files = { "readme.md": "# Example\n" },
  colocate = true,
}: {
  files?: Readonly<Record<string, string | Uint8Array>>;
  colocate?: boolean;
} = {}): Promise<TestRepository> {
  const made = await emptyFolder();
  await mkdir(made.root);
  await initPlain(made.root, { colocate });
  for (const [path, content] of Object.entries(files)) await made.write(path, content);
  await made.terminal(["commit", "-m", "first", "--quiet"]);
  return opened(made);
}

/** Folders of repositories that were made in this process, by their files. */
const templates = new Map<string, Promise<string>>();

/**
 * The same with `main` at its first change, as a copy of one that was made before with these files: for tests that keep
 * their state apart, for to Hox all of them are one repository. To copy one takes a quarter of the time of making it.
 */
export async function copyTestRepository(files: Readonly<Record<string, string>>): Promise<TestRepository> {
  const key = JSON.stringify(files);
  const template = templates.get(key) ?? createTemplate(files);
  templates.set(key, template);
  const made = await emptyFolder();
  await copyFolder(await template, made.root);
  return opened(made);
}

async function createTemplate(files: Readonly<Record<string, string>>): Promise<string> {
  const { folder, repository, terminal } = await createTestRepository({ files });
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await terminal(["bookmark", "set", "main", "-r", "@-"]);
  await repository.close();
  return repository.root;
}

/** By the system's own program where there is one: Node's takes ten times as long for so many small files. */
async function copyFolder(from: string, to: string): Promise<void> {
  if (process.platform === "win32") return cp(from, to, { recursive: true, preserveTimestamps: true });
  const call = { program: "/bin/cp", args: ["-a", from, to], cwd: dirname(to), env: {}, timeoutMs: 60_000 };
  const { exitCode, stderr } = await runProgram(call, () => undefined);
  if (exitCode !== 0) throw new Error(`cp ended with ${exitCode}: ${stderr}`);
}

type MadeFolder = Omit<TestRepository, "repository" | "remove"> & { readonly root: string };

async function emptyFolder(): Promise<MadeFolder> {
  const folder = await mkdtemp(join(tmpdir(), "hox-test-"));
  const root = join(folder, "repo");
  const config = join(folder, "config.toml");
  await writeFile(config, identity);
  process.env.JJ_CONFIG = config;
  return {
    ...{ folder, root },
    async write(path, content) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    async terminal(args, { cwd = root, input } = {}) {
      const stdout: Uint8Array[] = [];
      const { exitCode, stderr } = await runProgram(
        {
          program: toolPath("jj"),
          args: ["--no-pager", "--color=never", ...args],
          cwd,
          // Without a width jj starts `tput` twice to find one.
          env: { ...(process.env as Record<string, string>), COLUMNS: "80", JJ_CONFIG: config },
          input,
          timeoutMs: 120_000,
        },
        (bytes) => void stdout.push(bytes),
      );
      if (exitCode !== 0) throw new Error(`jj ${args.join(" ")} ended with ${exitCode}: ${stderr}`);
      return Buffer.concat(stdout).toString("utf8").replace(/\n$/u, "");
    },
    configure: (toml) => writeFile(config, identity + toml),
  };
}

async function opened({ root, ...made }: MadeFolder): Promise<TestRepository> {
  const repository = await openRepository(root);
  return {
    ...made,
    repository,
    async remove() {
      await repository.close();
      await rm(made.folder, { recursive: true, force: true });
    },
  };
}
