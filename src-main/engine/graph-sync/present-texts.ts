import type { Run } from "../ports.ts";

/** The texts of those of some files that a commit has; jj refuses to show one that is not there. */
export async function presentTexts(
  run: Run,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const all = new Set(await run.repository.listFiles(commit));
  return run.repository.readTexts(
    commit,
    paths.filter((path) => all.has(path)),
  );
}
