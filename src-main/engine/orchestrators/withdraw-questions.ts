import type { Run } from "../run/run.ts";

/** Nobody needs an answer any more to what this worker asked; what stands on the table is taken away. */
export function withdrawQuestions(run: Run, worker: string, reason: string): void {
  run.update(worker, { exchange: null });
  run.note({
    exchanges: run.facts.exchanges.map((one) =>
      one.from === worker && one.answer === null ? { ...one, answer: reason } : one,
    ),
  });
  run.inbox.withdraw((item) => item.kind === "align-request" && item.from === worker, reason);
}
