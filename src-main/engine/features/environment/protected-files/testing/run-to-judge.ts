/** Of a run only what judging protected files asks of it: kept facts, and a user who answers at once. jj and its files are real. */

import type { RunEvent } from "#shared/run/events.ts";
import { reduceRun } from "#shared/run/reduce.ts";
import { emptyRun } from "#shared/run/state.ts";
import type { Repository } from "../../../../../jj/ports/repository-interface.ts";
import type { Workspace } from "../../../../../jj/ports/working-copies.ts";
import type { Run } from "../../../../ports.ts";
import { localWorkspace } from "../../../../workspaces/local-checkout.ts";

interface AgentsChange {
  readonly repository: Repository;
  readonly workspace: Workspace;
  readonly folder: string;
  readonly changeId: string;
  /** As the configuration lists them; default: those that are always protected. */
  readonly protectedFiles?: readonly string[];
}

/** @returns the run, and the questions that it has asked */
export function runToJudge(
  { repository, workspace, folder, changeId, protectedFiles = [] }: AgentsChange,
  answer: "approve" | "reject",
): { readonly run: Run; readonly asked: readonly string[] } {
  let facts = emptyRun;
  const asked: string[] = [];
  const worker = { record: { changeId, folder, control: { kind: "worker" } } };
  const run: Run = {
    id: "run",
    repository,
    config: { protectedFiles },
    runEnded: new AbortController(),
    workspaces: { of: () => localWorkspace(run, workspace) },
    worker: () => worker,
    appendTranscript() {},
    setActivity() {},
    inbox: {
      async ask(id: string, card: () => Promise<{ worker: string; paths: readonly string[] }>) {
        const { worker, paths } = await card();
        if (!asked.includes(`${id} ${worker} ${paths}`)) asked.push(`${id} ${worker} ${paths}`);
        return { kind: answer };
      },
    },
    get facts() {
      return facts;
    },
    append(...events: readonly RunEvent[]) {
      for (const event of events) facts = reduceRun(facts, event, 0);
    },
  } as unknown as Run;
  return { run, asked };
}
