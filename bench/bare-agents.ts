import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createTestRepository } from "../src-main/jj/testing/create-test-repository.ts";

export interface BareAgents {
  readonly tasks: number;
  /** Iterations of each, two requests each. */
  readonly iterations: number;
  /** What a request takes. */
  readonly latencyMs: number;
  /** Files of the repository. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Milliseconds that tasks take which all begin at once when there is nothing but jj, in its queue, and the model: no
 * conversations, sandboxes, journal, window. A workspace each, and each iteration recorded and counted.
 * @returns from the first request to the end of the last
 */
export async function bareAgents({ tasks, iterations, latencyMs, files }: BareAgents): Promise<number> {
  const repo = await createTestRepository({ files });
  const { repository, folder } = repo;
  let first = 0;
  const ask = async (): Promise<void> => {
    first ||= performance.now();
    await pause(latencyMs);
  };
  async function work(change: string, at: number): Promise<void> {
    const name = `agent-${at}`;
    const place = join(folder, name);
    const { workspace } = await repository.addWorkspace({ name, folder: place, change, edit: true });
    for (let iteration = 1; iteration <= iterations; iteration++) {
      await ask();
      await writeFile(join(place, `${name}-${iteration}.txt`), "written\n");
      await ask();
      if (iteration < iterations)
        await workspace.describe(change, `Task ${at}\n\nHox-Iteration: ${iteration}\n`);
    }
  }
  try {
    const changes: string[] = [];
    for (let at = 0; at < tasks; at++)
      changes.push((await repository.newChange({ parents: ["@-"], description: `Task ${at}\n` })).changeId);
    await Promise.all(changes.map(work));
    return performance.now() - first;
  } finally {
    await repo.remove();
  }
}
