import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
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
  const folder = await mkdtemp(join(tmpdir(), "hox-test-"));
  const root = join(folder, "repo");
  const config = join(folder, "config.toml");
  await mkdir(root);
  await writeFile(config, identity);
  process.env.JJ_CONFIG = config;

  const write = async (path: string, content: string | Uint8Array): Promise<void> => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  };
  const terminal: TestRepository["terminal"] = async (args, { cwd = root, input } = {}) => {
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
  };

  await initPlain(root, { colocate });
  for (const [path, content] of Object.entries(files)) await write(path, content);
  await terminal(["commit", "-m", "first", "--quiet"]);
  const repository = await openRepository(root);
  return {
    repository,
    folder,
    terminal,
    write,
    configure: (toml) => writeFile(config, identity + toml),
    async remove() {
      await repository.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
