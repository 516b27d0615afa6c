/** Checks the same files in a fresh checkout once. */
import { createHash } from "node:crypto";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { isRepeatable } from "#shared/domain/project/checked-files.ts";
import { outcomeText } from "#shared/domain/project/preflight.ts";
import type { CheckRunnerOptions } from "../../checks/check-runner.ts";
import type { Run } from "../ports.ts";
import { installedPackages } from "./installed-packages.ts";
import { labelOf } from "./place-requests.ts";
import { cacheStamps } from "./set-up-checkouts.ts";
import { packagePaths } from "./set-up-workspace.ts";

/** What is checked, and for whom the transcript says that it was checked before. */
export interface FilesToCheck {
  readonly worker: string;
  readonly commit: string;
  /** Those of the check runner, as they are now. */
  readonly options: () => Pick<CheckRunnerOptions, "fastChecks" | "slowChecks" | "base">;
}

/**
 * The results that an earlier fresh checkout of the same files had in this run, or those of `check`, which runs every check
 * in one. Never an agent's own results.
 */
export async function checkOnce(
  run: Run,
  files: FilesToCheck,
  check: () => Promise<readonly CheckResult[]>,
): Promise<readonly CheckResult[]> {
  const key = await keyOf(run, files);
  const known = run.facts.checkedFiles.find((one) => one.key === key);
  if (known) {
    const { at, results } = known;
    const time = `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
    if (results.length > 0)
      run.appendTranscript(files.worker, {
        kind: "notice",
        text: `Same files as checked at ${time}. The checks did not run again: ${results.map(({ name, outcome }) => `${name} ${outcomeText[outcome]}`).join(", ")}.`,
      });
    return results;
  }
  const results = await check();
  // Settings or packages may have changed meanwhile.
  if (key !== null && isRepeatable(results) && key === (await keyOf(run, files)))
    run.append({ kind: "FilesChecked", key, results, at: run.now() });
  return results;
}

/** All on which the results depend and that can be seen without running anything; null: unknown. */
async function keyOf(run: Run, { commit, options: optionsNow }: FilesToCheck): Promise<string | null> {
  const tree = await run.repository.treeOf(commit);
  if (tree === null) return null;
  const { config, repository } = run;
  const options = optionsNow();
  const isGiven = options.fastChecks !== null && options.slowChecks !== null;
  const [found, caches] = await Promise.all([
    isGiven ? null : run.workspaces.home().foundChecks(options.base?.chosen),
    packagePaths(repository.root, config.workspace.caches).then((names) => cacheStamps(repository, names)),
  ]);
  const parts = [
    tree,
    options,
    found,
    caches,
    config.workspace,
    config.sandbox,
    installedPackages(run)?.id,
    labelOf(run),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
