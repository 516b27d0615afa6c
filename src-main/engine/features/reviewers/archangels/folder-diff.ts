/** What a user's folder has beyond what an archangel knows of it. Read only: jj would record the folder. */
import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import { quotedByGit } from "#shared/domain/files/diff.ts";
import { mayHoldSecrets } from "#shared/domain/files/protected-files.ts";
import { ToolFailure } from "../../../../tools/tool-interface.ts";
import type { Run } from "../../../ports.ts";

/** Texts of files, by path. */
export type Texts = ReadonlyMap<string, string>;

/** Longer files are named, and not compared. */
const maxTextLength = 400_000;

/** Of comparing one file; agents and the window wait meanwhile. */
const maxDurationMs = 200;

/**
 * Diff of files in the folder, and their texts.
 *
 * @param seen as the archangel saw them last; the others are compared with the run's first commit
 */
export async function folderDiff(
  run: Pick<Run, "facts" | "repository" | "workspaces">,
  files: readonly string[],
  seen: Texts,
): Promise<{ readonly diff: string; readonly texts: Texts }> {
  const base = run.facts.onto?.commitId;
  const unseen = files.filter((path) => !seen.has(path));
  const recorded: Texts =
    base === undefined || unseen.length === 0 ? new Map() : await run.repository.readTexts(base, unseen);
  const access = run.workspaces.home().files();
  const texts = new Map<string, string>();
  const parts: string[] = [];
  for (const path of files.filter((one) => !mayHoldSecrets(one))) {
    const text = await access.readText(path).then(
      (file) => file.text,
      (error: unknown) => {
        // Not text, or not readable: only its name is reported.
        if (error instanceof ToolFailure) return null;
        throw error;
      },
    );
    const before = seen.get(path) ?? recorded.get(path) ?? "";
    if (text === null || Math.max(text.length, before.length) > maxTextLength) continue;
    texts.set(path, text);
    if (text !== before) parts.push(fileDiff(path, before, text));
  }
  return { diff: parts.join(""), texts };
}

/** Nothing where it takes too long. */
function fileDiff(path: string, before: string, text: string): string {
  const hunks = createTwoFilesPatch("", "", before, text, "", "", {
    context: 3,
    headerOptions: OMIT_HEADERS,
    timeout: maxDurationMs,
  });
  if (hunks === undefined) return "";
  const [from, to] = [quotedByGit(`a/${path}`), quotedByGit(`b/${path}`)];
  return `diff --git ${from} ${to}\n--- ${before === "" ? "/dev/null" : from}\n+++ ${to}\n${hunks}`;
}
