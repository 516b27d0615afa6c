/** A run whose verdict fails, in a terminal of which nobody is at the keyboard: `hox` is called as a script calls it. */
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { trustRepositoryConfig } from "../../config/write-settings.ts";
import { createTestRepository, type TestRepository } from "../../jj/testing/create-test-repository.ts";
import type { Script } from "../../model/stand-in/script.ts";
import { type StandIn, startStandIn } from "../../model/stand-in/stand-in.ts";

const entry = fileURLToPath(new URL("../../cli.ts", import.meta.url));

/** Every gate that can be opened in advance: none of them answers for a verdict that failed. */
const everyGate = ["--approve", "preflight,plan,questions,mutations,merge_requests,land"];

export interface StepOutput {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

export interface VerdictWalk {
  readonly repository: TestRepository;
  readonly standIn: StandIn;
  hox(...args: readonly string[]): Promise<StepOutput>;
  begin(...more: readonly string[]): Promise<StepOutput>;
  goOn(...more: readonly string[]): Promise<StepOutput>;
  /** What somebody was told by the model's wire, last. */
  lastPromptTo(role: string): string;
  /** Puts a file into a change by plain jj, while no Hox is there. */
  edit(change: string, path: string, text: string): Promise<void>;
  remove(): Promise<void>;
}

export async function createVerdictWalk(
  files: Readonly<Record<string, string>>,
  script: Script,
): Promise<VerdictWalk> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hox-verdict-")));
  const repository = await createTestRepository({ files });
  await repository.terminal(["bookmark", "set", "main", "-r", "@-"]);
  await trustRepositoryConfig(join(folder, "state"), repository.repository.root);
  const standIn = await startStandIn({ script });
  const hox = async (...args: readonly string[]): Promise<StepOutput> => {
    const { exitCode, stdout, stderr } = await execa(process.execPath, [entry, ...args], {
      cwd: repository.repository.root,
      reject: false,
      stdin: "ignore",
      env: {
        HOX_STATE: join(folder, "state"),
        ANTHROPIC_API_KEY: standIn.apiKey,
        ANTHROPIC_BASE_URL: standIn.url,
        npm_lifecycle_event: "",
        NO_COLOR: "1",
      },
    });
    return { code: exitCode, stdout, stderr };
  };
  return {
    repository,
    standIn,
    hox,
    begin: (...more) => hox("run", "--goal", "Keep users", ...everyGate, ...more),
    goOn: (...more) => hox("run", ...everyGate, ...more),
    lastPromptTo: (role) =>
      standIn
        .requests()
        .map(({ seen }) => seen)
        .findLast((seen) => seen.role === role)?.prompt ?? "",
    async edit(change, path, text) {
      const workspace = join(repository.folder, "beside");
      await repository.terminal(["workspace", "add", workspace, "-r", change]);
      await writeFile(join(workspace, path), text);
      await repository.terminal(["-R", workspace, "squash", "--into", change, "-m", "By hand"]);
    },
    async remove() {
      await standIn.close();
      await repository.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** The last of the values that a command printed with `--json`. */
export const lastValue = ({ stdout }: StepOutput): Record<string, unknown> =>
  JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
