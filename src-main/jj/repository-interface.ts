import type { DryRuns } from "./ports/dry-runs.ts";
import type { GitInterop } from "./ports/git-interop.ts";
import type { ContentReader, GraphReader } from "./ports/graph-reader.ts";
import type { GraphWriter } from "./ports/graph-writer.ts";
import type { RunRemains } from "./ports/run-remains.ts";
import type { Watcher } from "./ports/watcher.ts";
import type { WorkingCopies } from "./ports/working-copies.ts";

/**
 * The door to one jj repository. Everything else in the host talks to jj through this interface and nothing
 * else starts jj. Reads are pinned to an operation and never publish one; writes go through one queue.
 *
 * Every failure is a `JjError` (see `errors.ts`): it carries the arguments, the exit code, jj's own words and
 * a remedy.
 */
export interface Repository
  extends GraphReader,
    RunRemains,
    ContentReader,
    GraphWriter,
    GitInterop,
    WorkingCopies,
    DryRuns,
    Watcher {
  /** Absolute path of the workspace that the user opened. */
  readonly root: string;
  readonly name: string;
  close(): Promise<void>;
}
