import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { judgeSnapshot } from "../../src-main/engine/features/environment/protected-files/feature.ts";
import { runToJudge } from "../../src-main/engine/features/environment/protected-files/testing/run-to-judge.ts";
import type { Repository } from "../../src-main/jj/ports/repository-interface.ts";
import type { Workspace } from "../../src-main/jj/ports/working-copies.ts";
import { createTestRepository } from "../../src-main/jj/testing/create-test-repository.ts";
import { defaultProtectedFiles } from "../../src-shared/domain/files/protected-files.ts";
import { swapping } from "./programs.ts";
import type { TestBed } from "./test-bed.ts";

/** What a snapshot of the agent's workspace records, read from the commit and from nowhere else. */
export interface Recorder {
  readonly repository: Repository;
  readonly workspace: Workspace;
  /** Records the files, and has the engine judge their paths before they count. */
  changed(): Promise<Changed>;
}

interface Changed {
  /** Paths that the agent's change touches, as the commit has them, after the engine's second line. */
  readonly paths: readonly string[];
  /** The same before it. */
  readonly snapshot: readonly string[];
  /** Why nothing could be recorded. */
  readonly refusal: string | null;
}

const recorders = new WeakMap<TestBed, Recorder>();

/**
 * Makes the ground's workspace a real one of a real repository, with the same files in its first change. `laterRules`
 * become the ignore rules when those files are recorded already, which stay recorded then.
 */
export async function plantRepository(testBed: TestBed, laterRules?: string): Promise<void> {
  const names = execFileSync("find", [".", "-type", "f", "-not", "-path", "./.jj/*", "-printf", "%P\\0"], {
    cwd: testBed.workspace,
    encoding: "utf8",
  });
  const files = Object.fromEntries(
    names
      .split("\0")
      .filter((name) => name !== "")
      .map((name) => [name, readFileSync(testBed.inside(name))]),
  );
  execFileSync("rm", ["-rf", testBed.workspace]);
  const repo = await createTestRepository({ files, colocate: false });
  testBed.after(() => repo.remove());
  if (laterRules !== undefined) {
    await repo.write(".gitignore", laterRules);
    await repo.terminal(["commit", "-m", "second", "--quiet"]);
  }
  const [first] = await repo.repository.query("@-");
  if (!first) throw new Error("The repository has no first change.");
  const { changeId } = await repo.repository.newChange({ parents: [first.changeId], description: "task\n" });
  const { workspace } = await repo.repository.addWorkspace({
    name: "agent-1",
    folder: testBed.workspace,
    change: changeId,
    edit: true,
    actor: "agent-1",
  });
  const { repository } = repo;
  const { run } = runToJudge(
    { repository, workspace, folder: testBed.workspace, changeId, protectedFiles: defaultProtectedFiles },
    "reject",
  );
  recorders.set(testBed, {
    repository,
    workspace,
    async changed() {
      const read = async (): Promise<readonly string[]> => {
        const messages = await repo.terminal([
          ...["--ignore-working-copy", "log", "--no-graph", "-r", changeId],
          ...["-T", 'self.diff().files().map(|file| file.path().display() ++ "\\0")'],
        ]);
        return messages.split("\0").flatMap((path) => path.trim() || []);
      };
      try {
        const recorded = await workspace.snapshot({ actor: "agent-1" });
        const snapshot = await read();
        const { commitId } = await judgeSnapshot(run, "agent-1", workspace, recorded);
        return {
          paths: commitId === recorded.commitId ? snapshot : await read(),
          snapshot,
          refusal: null,
        };
      } catch (error) {
        return { paths: [], snapshot: [], refusal: error instanceof Error ? error.message : String(error) };
      }
    },
  });
}

export function recorderOf(testBed: TestBed): Recorder {
  const recorder = recorders.get(testBed);
  if (!recorder) throw new Error("This ground has no repository: plant it with plantRepository.");
  return recorder;
}

/** A real workspace with a folder and a file, each with a link that leads out, about to change places. */
export async function plantExchanges(testBed: TestBed): Promise<void> {
  for (const folder of ["workspace/d", "secrets"])
    for (let at = 0; at < 200; at++)
      testBed.put(`${folder}/${at}`, folder === "secrets" ? testBed.canary : "x");
  await plantRepository(testBed);
  symlinkSync(testBed.outside("secrets"), testBed.inside("l"));
  symlinkSync(testBed.outside("secret"), testBed.inside("m"));
}

/** Exchanges them without end. */
export const exchanges = ({ marker }: TestBed): string =>
  `${swapping(marker, "d", "l", 4)} & ${swapping(marker, "a.txt", "m", 2)} &`;

/** Has jj record the workspace again and again, and shows what it recorded. */
export async function showSnapshots(testBed: TestBed, count: number): Promise<void> {
  const { workspace, repository } = recorderOf(testBed);
  for (let at = 0; at < count; at++) {
    // Where it meets an exchange it may fail.
    const recorded = await workspace.snapshot({ actor: "agent-1" }).catch(() => null);
    const { commitId, paths } = recorded ?? { commitId: "", paths: [] };
    for (const path of paths.filter((one) => /^(?:[dlm]|a\.txt)/u.test(one)).slice(0, 20)) {
      const bytes = await repository.readFile(commitId, path).catch(() => new Uint8Array());
      testBed.see(Buffer.from(bytes).toString("latin1"));
    }
  }
}
