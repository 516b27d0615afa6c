import { z } from "zod";
import {
  type JudgedFiles,
  judgingTool,
  lineRemarksInput,
  remarksOnLines,
} from "../../../../tools/line-remarks.ts";
import type { Tool } from "../../../../tools/tool-interface.ts";
import type { Run } from "../../../ports.ts";
import { foldOf } from "../../../workers/fold.ts";

const reason = z.string().min(1).max(10_000);
const changesShape = z.strictObject({ reason, lines: lineRemarksInput });

/** The answer as it is kept. */
export const requestedShape = z.object({ reason, lines: remarksOnLines });

/** Key of the prompt in which an orchestrator judges one round of work; later prompts begin with it. */
export const reviewKey = (worker: string, round: number): string => `fold/${worker}/${round}`;

const workerIn = (key: string): string | null => /^fold\/([^/]+)\//u.exec(key)?.[1] ?? null;

/** An orchestrator sends back the work that it is asked about. */
export const requestChangesTool = (run: Run, _: string, key: string): Tool =>
  judgingTool(
    "request_changes",
    "Sends an agent's finished work back to it, with what has to change and why. Use it when the work misses its task, a contract or a decision.",
    changesShape,
    () => offeredFiles(run, workerIn(key)),
  );

function offeredFiles(run: Run, worker: string | null): JudgedFiles | null {
  if (worker === null || !run.workers.has(worker)) return null;
  const { state } = foldOf(run, worker);
  if (state.stage !== "review") return null;
  return {
    commit: state.commit,
    textOf: async (path) => (await run.repository.readTexts(state.commit, [path])).get(path) ?? null,
  };
}
