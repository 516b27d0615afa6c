/** The work that a review is about: whose it is, its files, and a line of it. */

import type { SeenWork } from "#shared/domain/archangel/archangel-records.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import type { ToolErrorKind, ToolOutcome } from "../../../../tools/tool-interface.ts";
import type { Run } from "../../../ports.ts";

/** An archangel in a review. */
export interface Reviewer {
  readonly run: Run;
  readonly archangel: string;
  readonly work: readonly SeenWork[];
}

export const refused = (output: string, error: ToolErrorKind = "not-found"): ToolOutcome => ({
  ok: false,
  error,
  output,
});

export const workerOrNull = (run: Run, name: string): string | null => (run.workers.has(name) ? name : null);

/** @returns its worker or session; what the archangel is told where that is not clear */
export function whoseWork(
  { run, work }: Reviewer,
  worker: string | undefined,
  change: string | undefined,
): string | ToolOutcome {
  const names = work.map((one) => one.who);
  const known = [...run.workers.values()].map(({ record }) => record);
  const there = `There are: ${[...new Set([...names, ...known.flatMap(({ name, changeId }) => (changeId === null ? [] : [name]))])].join(", ")}.`;
  if (worker !== undefined)
    return names.includes(worker) || known.some((one) => one.name === worker && one.changeId !== null)
      ? worker
      : refused(`No worker named ${worker} has work in this run. ${there}`);
  if (change !== undefined)
    return (
      known.find(({ changeId }) => changeId?.startsWith(change))?.name ??
      refused(`No work of this run has the change ${change}. ${there}`)
    );
  const [only, ...more] = names;
  return only !== undefined && more.length === 0
    ? only
    : refused(`Say whose work it is about. ${there}`, "invalid-input");
}

type Anchor = { readonly commit: string | null; readonly lineText: string | null };

/** The line as it stands in the work; what is not there cannot be spoken about. */
export async function anchorOf(
  reviewer: Reviewer,
  worker: string,
  file: string | undefined,
  line: number | undefined,
): Promise<Anchor | ToolOutcome> {
  const commit = commitOf(reviewer, worker);
  if (file === undefined)
    return line === undefined
      ? { commit, lineText: null }
      : refused("A line needs a file: give its path too, or leave the line out.", "invalid-input");
  const text = await textIn(reviewer, worker, file);
  if (text === null)
    return refused(
      `${shownName(file)} is no text file in the work of ${worker}. Give a path from the root of the repository.`,
    );
  if (line === undefined) return { commit, lineText: null };
  const lines = text.replace(/\n$/u, "").split("\n");
  const words = lines[line - 1];
  return words === undefined
    ? refused(
        `${shownName(file)} has ${lines.length} lines in the work of ${worker}, and no line ${line}. Read it with read_work, or leave the line out.`,
        "invalid-input",
      )
    : { commit, lineText: words };
}

const commitOf = ({ run, work }: Reviewer, worker: string): string | null => {
  const changeId = run.workers.get(worker)?.record.changeId ?? "";
  return work.find((one) => one.who === worker)?.commit ?? run.changes.get(changeId)?.commitId ?? null;
};

/** A file of somebody's work as the archangel sees it. */
export async function textIn(reviewer: Reviewer, worker: string, file: string): Promise<string | null> {
  const { run, work } = reviewer;
  const commit = commitOf(reviewer, worker);
  if (commit !== null) return (await run.repository.readTexts(commit, [file])).get(file) ?? null;
  const files = work.find((one) => one.who === worker)?.files;
  return files?.includes(file) ? (await run.workspaces.home().files().readText(file)).text : null;
}
