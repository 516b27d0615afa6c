import { rootOrchestrator } from "#shared/domain/graph-words/address.ts";
/** One short question to a model, about one decision and one agent that a search found suspicious. (HOX-5.2) */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { NameUse } from "#shared/domain/decision/compliance.ts";
import type { DecisionRecord } from "#shared/domain/decision/decision-events.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { askForTool, type ToolAnswer } from "../../../../agent/ask-for-tool.ts";
import { systemPrompt } from "../../../../config/system-prompt.ts";
import { isMetByEverybody } from "../../../../model/model-error.ts";
import { structuredTool } from "../../../../tools/structured-tool.ts";
import { conversationFactory, describeTurnEnd } from "../../../conversations/conversation-factory.ts";
import { EngineRefusal, explain, Interrupted } from "../../../engine-errors.ts";
import type { Run, RunWriter } from "../../../ports.ts";
import { parentOf } from "../../../workers/hierarchy.ts";
import { gateOf } from "../../../workers/run-budget.ts";

/** Each orchestrator has a separate judge, so that it pays its costs: `compliance`, `compliance-b-1`. */
const judgeOf = (orchestrator: string): string =>
  orchestrator === rootOrchestrator
    ? "compliance"
    : `compliance-${orchestrator.replace(/^O-/u, "").toLowerCase()}`;

const verdictShape = z.strictObject({
  complies: z.boolean(),
  reason: z.string().min(1).max(2_000),
  places: z
    .array(z.strictObject({ file: z.string().min(1).max(500), line: z.number().int().min(1) }))
    .max(50)
    .default([]),
});
export type ComplianceVerdict = z.infer<typeof verdictShape>;

const shownDiff = 24_000;
const shownUses = 40;

/**
 * The verdict on exactly this evidence is kept, so the same work is asked about once.
 * @throws Interrupted when the run is held or its budget spent; EngineRefusal when no model answers
 */
export function askCompliance(
  run: Run,
  worker: string,
  decision: DecisionRecord,
  uses: readonly NameUse[],
  diff: string,
): Promise<ComplianceVerdict> {
  const text = questionOf(worker, decision, uses, diff);
  const evidence = createHash("sha256").update(text).digest("hex").slice(0, 16);
  return run.step(`compliance/${decision.changeId}/${worker}/${evidence}`, () =>
    // One after another, because a judge says all in one conversation.
    run.serial.run("compliance", () => ask(run, worker, text)),
  );
}

async function ask(run: Run, worker: string, text: PromptText): Promise<ComplianceVerdict> {
  const parent = parentOf(run, worker);
  const judge = judgeOf(parent);
  run.addWorker({
    name: judge,
    role: "validator",
    parent,
    title: "Checks work against decisions",
    status: "in_progress",
  });
  const start = await conversationFactory(run, judge, {
    system: systemPrompt("compliance", judge, {}),
    tools: [
      structuredTool(
        "judge_compliance",
        "Says whether the work follows the decision. Use it once, after you have read both.",
        verdictShape,
      ),
    ],
    place: run.workspaces.of(worker) ?? run.workspaces.home(),
    gate: gateOf(run, null),
  });
  const conversation = start();
  let hasBegun = false;
  try {
    const asked = await askForTool({
      prompt: text,
      reminder: promptLine`Answer with one call of judge_compliance.`,
      reminders: 1,
      isWorthReminder: (end) => end.kind === "ended",
      signal: run.runEnded.signal,
      answerOf: (signal) => (signal.kind === "structured" ? verdictShape.parse(signal.value) : null),
      async open() {
        const isResumed = hasBegun;
        hasBegun = true;
        return { conversation, isResumed };
      },
    });
    if (asked.kind === "answer") return asked.answer;
    throw whyUnanswered(run, worker, asked);
  } finally {
    run.worker(judge).recorder.flush();
    run.setActivity(judge, "done", "");
  }
}

function whyUnanswered(
  run: RunWriter,
  worker: string,
  asked: Exclude<ToolAnswer<ComplianceVerdict>, { kind: "answer" }>,
): Error {
  if (asked.kind === "stopped") {
    if (asked.by === "budget") run.dispatch({ kind: "BudgetExhausted" });
    return new Interrupted();
  }
  if (asked.kind === "failed" && isMetByEverybody(asked.error)) return asked.error;
  const found =
    asked.kind === "failed"
      ? explain(asked.error)
      : { message: `${describeTurnEnd(asked.end)}.`, remedy: "Retry." };
  return new EngineRefusal(
    `Could not check whether ${worker} follows a decision: ${found.message}`,
    `${found.remedy} Or set gates.compliance = "text" in .hox/config.toml to use only the text search.`,
  );
}

function questionOf(
  worker: string,
  decision: DecisionRecord,
  uses: readonly NameUse[],
  diff: string,
): PromptText {
  const edits = (decision.edits ?? []).flatMap(({ path, added, removed }) => [
    path,
    ...removed.map((line) => `- ${line}`),
    ...added.map((line) => `+ ${line}`),
  ]);
  const more = uses.length - shownUses;
  return prompt(
    promptLine`[COMPLY] ${worker} and the decision "${decision.title}"`,
    section("Decision", [quoteText(decision.reason), promptLine``, quoteText(edits.join("\n"))]),
    section("Lines that may not follow it", [
      ...uses
        .slice(0, shownUses)
        .map(
          ({ path, line, text, name, kind }) =>
            promptLine`- ${shownName(path)}:${line}: \`${startOf(text, 300)}\` (${name} was ${kind === "suspected" ? "removed" : "redeclared"})`,
        ),
      ...(more > 0 ? [promptLine`- and ${more} more`] : []),
    ]),
    section("What the agent wrote in these files", [
      quoteText(diff.length > shownDiff ? `${startOf(diff, shownDiff)}\n… cut` : diff),
    ]),
  );
}
