import { rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onPath, toolPath } from "../../config/tools.ts";
import { runProgram } from "../../processes/run-program.ts";
import { initPlain } from "../init.ts";
import { openRepository } from "../open.ts";
import type { Repository } from "../ports/repository-interface.ts";

export interface TestRepository {
  readonly repository: Repository;
  /** The folder that holds everything of this test; the repository is `<folder>/repo`. */
  readonly folder: string;
  /** Runs jj as a user in a terminal does, in the repository or in `cwd`; answers standard output. */
  terminal(args: readonly string[], options?: { cwd?: string; input?: string }): Promise<string>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Replaces the user's own jj configuration. */
  configure(toml: string): Promise<void>;
  remove(): Promise<void>;
}

/** The identity of every test, and a configuration file that belongs to the test alone. */
const identity = '[user]\nname = "Test"\nemail = "test@example.org"\n';

interface TestRepositoryOptions {
  /** Of its first change. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly colocate?: boolean;
  /** It shares no operation with another one: needed where one state folder knows several. */
  readonly isUnique?: boolean;
  /** Whether `main` is at its first change. Default: there is no bookmark. */
  readonly hasMain?: boolean;
}

/** Repositories that were made in this process, by what is in them. */
const templates = new Map<string, Promise<string>>();
/** Where they are: a test may have its own repositories on a disk that goes with it. */
const templatesIn = tmpdir();
/** To remove when the process ends. */
const templateFolders: string[] = [];

/**
 * Makes a small repository in a temporary folder for tests: fixed identity, no configuration of the user who
 * runs them (`JJ_CONFIG` is set for this process). `files` make its first change, described "first", with an
 * empty working copy on top. It is a copy of one that was made before in the same way, unless it has to be unique:
 * to copy one takes a third of the time.
 */
export async function createTestRepository(options: TestRepositoryOptions = {}): Promise<TestRepository> {
  const { files = { "readme.md": "# Example\n" }, colocate = true, hasMain = false } = options;
  const make = async (made: MadeFolder): Promise<void> => {
    await mkdir(made.root);
    await initPlain(made.root, { colocate });
    for (const [path, content] of Object.entries(files)) await made.write(path, content);
    await made.terminal(["commit", "-m", "first", "--quiet"]);
    if (hasMain) await made.terminal(["bookmark", "set", "main", "-r", "@-"]);
  };
  if (options.isUnique) {
    const made = await emptyFolder();
    await make(made);
    return opened(made);
  }
  const key = JSON.stringify({ files, colocate, hasMain });
  const template = templates.get(key) ?? createTemplate(make);
  templates.set(key, template);
  const from = await template;
  const made = await emptyFolder();
  await copyFolder(from, made.root);
  return opened(made);
}

async function createTemplate(make: (made: MadeFolder) => Promise<void>): Promise<string> {
  const made = await emptyFolder(templatesIn);
  if (templateFolders.push(made.folder) === 1)
    process.once("exit", () => {
      for (const folder of templateFolders) rmSync(folder, { recursive: true, force: true });
    });
  await make(made);
  return made.root;
}

/** By the system's own program where there is one: Node's takes ten times as long for so many small files. */
async function copyFolder(from: string, to: string): Promise<void> {
  const program = process.platform === "win32" ? undefined : onPath(["cp"]);
  if (program === undefined) return cp(from, to, { recursive: true, preserveTimestamps: true });
  const call = { program, args: ["-a", from, to], cwd: dirname(to), env: {}, timeoutMs: 60_000 };
  const { exitCode, stderr } = await runProgram(call, () => undefined);
  if (exitCode !== 0) throw new Error(`cp ended with ${exitCode}: ${stderr}`);
}

type MadeFolder = Omit<TestRepository, "repository" | "remove"> & { readonly root: string };

async function emptyFolder(parent = tmpdir()): Promise<MadeFolder> {
  const folder = await mkdtemp(join(parent, "hox-test-"));
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
