/** A short-lived judge that reads finished work before its parent does; the agent answers it alone. (HYLO-6) */

import { realpath } from "node:fs/promises";
import { z } from "zod";
import { type PromptText, prompt, promptLine } from "#shared/domain/prompt-text.ts";
import { systemPrompt } from "../../config/system-prompt.ts";
import { isMetByEverybody } from "../../model/model-error.ts";
import { readingTools } from "../../tools/agent-tools.ts";
import { structuredTool } from "../../tools/structured-tool.ts";
import { untilReleased } from "../agents/hold-worker.ts";
import { beginAnew, goOn, leftOpen } from "../agents/open-conversation.ts";
import { conversationsOf, endWords } from "../agents/talking.ts";
import { askForWorkerBudget, spentBudgetOf } from "../agents/worker-limits.ts";
import { explain, Interrupted } from "../engine-errors.ts";
import { forgetConversation } from "../kernel/forget-conversation.ts";
import { parentOf } from "../orchestrators/chain-of-command.ts";
import { showChangesTool } from "../orchestrators/work-tools.ts";
import type { Run } from "../ports.ts";
import { freshCheckouts } from "../workspaces/checkout.ts";
import { foldOf, tellFold } from "./fold.ts";
import { firstReviewerOf } from "./fold-feedback.ts";
import { foldText } from "./fold-review.ts";

const remarksShape = z.strictObject({
  verdict: z.enum(["ready", "changes"]),
  remarks: z
    .string()
    .max(10_000)
    .describe("What has to change: file, what happens, what should happen. Empty when it is ready."),
});

/** How often it is reminded of its tool before the work goes on without it. */
const reminders = 2;

/**
 * It sees the files of the offered commit and nothing of the agent's folder, reads them, and says what has to change or
 * that nothing has. Its conversation goes on after a restart.
 */
export async function reviewFirst(run: Run, worker: string, wanted: AbortSignal): Promise<void> {
  const { state, round } = foldOf(run, worker);
  if (state.stage !== "review" || state.by !== "first") return;
  const name = firstReviewerOf(worker);
  run.addWorker({
    name,
    role: "reviewer",
    parent: parentOf(run, worker),
    title: `Reads the work of ${worker} first`,
    status: "in_progress",
  });
  run.show(worker, "waiting", "waits for the first reviewer");
  const gone = AbortSignal.any([wanted, run.ending.signal]);
  await untilAffordable(run, worker, gone);
  const places = await freshCheckouts(run, state.commit, { signal: gone });
  try {
    const folder = await realpath((await places.checkout()).folder);
    const heard = await remarksOf(run, worker, name, folder, gone);
    if (heard.kind === "none") passOver(run, worker, name, heard.error);
    else {
      const { verdict, remarks } = heard;
      const words = remarks.trim() === "" && verdict === "changes" ? "It names nothing." : remarks;
      tellFold(run, worker, {
        kind: "Reviewed",
        voice: { round, by: "first", verdict: verdict === "ready" ? "approved" : "changes", words },
      });
      run.append({ kind: "WorkFinished", worker: name, summary: remarks });
    }
    run.show(name, "done", "");
  } finally {
    await places.remove();
  }
}

/** It is an advice and no gate: without it the work goes on to whoever judges it, and a person can see why. */
function passOver(run: Run, worker: string, name: string, error: Error): void {
  const { round } = foldOf(run, worker);
  const { message } = explain(error);
  forgetConversation(run, name);
  run.append({ kind: "WorkFinished", worker: name });
  run.emit({
    kind: "notice",
    level: "warning",
    text: `The work of ${worker} goes on without a first review: ${message}`,
    remedy: "Name another model in fold.first_reviewer of .hox/config.toml, or none.",
  });
  tellFold(run, worker, {
    kind: "Reviewed",
    voice: { round, by: "first", verdict: "passed-on", words: message },
  });
}

/** Where the budget of somebody above is spent, one card asks for more, and the work waits for it without a process. */
async function untilAffordable(run: Run, worker: string, wanted: AbortSignal): Promise<void> {
  for (;;) {
    const holder = spentBudgetOf(run, firstReviewerOf(worker));
    if (holder === null) return;
    await askForWorkerBudget(run, holder, worker);
    await untilReleased(run, worker, wanted);
  }
}

type Heard =
  | ({ readonly kind: "remarks" } & z.infer<typeof remarksShape>)
  | { readonly kind: "none"; readonly error: Error };

async function remarksOf(
  run: Run,
  worker: string,
  name: string,
  folder: string,
  signal: AbortSignal,
): Promise<Heard> {
  const { round } = foldOf(run, worker);
  const key = `first-review/${worker}/${round}`;
  const begin = await conversationsOf(run, name, {
    system: systemPrompt("reviewer", name, {}),
    tools: [
      ...readingTools(),
      showChangesTool(run, parentOf(run, worker)),
      structuredTool(
        "give_remarks",
        "Says what has to change, or that nothing has. Ends the review.",
        remarksShape,
      ),
    ],
    folder,
  });
  const told = prompt(promptLine`[REVIEW]`, await foldText(run, worker));
  let next: PromptText | null = leftOpen(run, name, key) ? null : told;
  for (let wrong = 0; ; ) {
    await untilAffordable(run, worker, signal);
    if (run.held() || signal.aborted) throw new Interrupted();
    const left = leftOpen(run, name, key);
    const conversation = left ? goOn(run, name, left, begin) : beginAnew(run, name, key, begin);
    const end = await conversation.run(next, signal);
    next = null;
    run.worker(name).recorder.flush();
    if (end.kind === "signal" && end.signal.kind === "structured") {
      forgetConversation(run, name);
      return { kind: "remarks", ...remarksShape.parse(end.signal.value) };
    }
    if (end.kind === "gate" && end.gate === "budget") run.dispatch({ kind: "BudgetExhausted" });
    if (end.kind === "gate" && !run.held() && spentBudgetOf(run, name) !== null) continue;
    if (end.kind === "gate" || end.kind === "aborted") throw new Interrupted();
    if (end.kind === "failed" && isMetByEverybody(end.error)) throw end.error;
    if (end.kind === "failed") return { kind: "none", error: end.error };
    if (wrong === reminders)
      return { kind: "none", error: new Error(`${name} was asked to review, but ${endWords(end)}.`) };
    wrong += 1;
    if (end.kind === "cut") forgetConversation(run, name);
    next = end.kind === "cut" ? told : promptLine`Answer with give_remarks.`;
  }
}
