import type { Change } from "#shared/graph/change.ts";
import type { RunChoice, RunRemains } from "./ports/run-remains.ts";
import type { Reader } from "./reader.ts";
import { ofKinds, ofRun, ofRuns } from "./run-revsets.ts";

/** It may be changed, and nobody's files stand on it. */
const disposable = "(mutable() ~ working_copies())";
const branchesOfPeople = 'bookmarks() ~ bookmarks(glob:"O-*")';

/** Makes the finder of what runs have left. */
export function createRunRemains(reader: Pick<Reader, "query">): RunRemains {
  const query = async (runs: RunChoice, more: string): Promise<readonly Change[]> => {
    const changes = await reader.query(`${revsetOf(runs)} & ${more}`);
    return changes.filter(({ metadata }) => isOf(runs, metadata.run));
  };
  return {
    messagesOf: (runs) => query(runs, `${disposable} & ${ofKinds("message")} & empty() ~ parents(all())`),
    unlandedOf: (run, landed) => query({ only: run }, `${disposable} ~ ::${landed} ~ ::bookmarks()`),
    workOf: (runs) =>
      query(runs, `mutable() ~ empty() ~ ::(${branchesOfPeople}) ~ ${ofKinds("message", "pattern")}`),
  };
}

function revsetOf(runs: RunChoice): string {
  if ("only" in runs) return ofRun(runs.only);
  return runs.except === null ? ofRuns : `(${ofRuns} ~ ${ofRun(runs.except)})`;
}

function isOf(runs: RunChoice, run: string | undefined): boolean {
  if (run === undefined) return false;
  return "only" in runs ? run === runs.only : run !== runs.except;
}
