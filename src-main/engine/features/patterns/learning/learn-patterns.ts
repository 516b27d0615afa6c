/** After a complete run: what may be worth knowing in later ones, through both gates. (HOX-8.2, PLAN-9) */

import { createHash } from "node:crypto";
import { z } from "zod";
import type { AnswerTo, ItemOf } from "#shared/contract/cards.ts";
import { figureKinds, lineDiff, patternCategories } from "#shared/domain/patterns/pattern.ts";
import { type PatternRecord, versionInForce } from "#shared/domain/patterns/pattern-record.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { type PromptText, prompt, promptLine, quoteText, section } from "#shared/domain/text/prompt-text.ts";
import { approvalsNeeded, maySayNothing, type Vote } from "#shared/domain/validation/panel.ts";
import { askForTool } from "../../../../agent/ask-for-tool.ts";
import { systemPrompt } from "../../../../config/resources-folder.ts";
import { afterActiveTime } from "../../../../model/rate-limit.ts";
import { contextFields, extractPatterns } from "../../../../patterns/extract-patterns.ts";
import { createPatternStore } from "../../../../patterns/pattern-store.ts";
import {
  keptKeys,
  patternHash,
  patternId,
  proposalOf,
  renderPattern,
  splitFrontMatter,
} from "../../../../patterns/pattern-text.ts";
import {
  type GateResult,
  type PatternProposal,
  PatternRefused,
  type RecordedRun,
} from "../../../../patterns/patterns-interface.ts";
import { structuredTool } from "../../../../tools/tool-interface.ts";
import {
  conversationFactory,
  describeTurnEnd,
  openOrStart,
} from "../../../conversations/conversation-factory.ts";
import { explain, Interrupted } from "../../../engine-errors.ts";
import { bestEffort } from "../../../kernel/best-effort.ts";
import { warn } from "../../../kernel/notify.ts";
import { askIfPossible } from "../../../orchestrators/orchestrator.ts";
import { doAsAnswered, reply } from "../../../orchestrators/orchestrator-replies.ts";
import type { Card, Run, Withdrawn } from "../../../ports.ts";
import { recordedRun, recordedRuns, runFiguresOf } from "../../../run/recorded-runs.ts";
import { rootOf } from "../../../workers/hierarchy.ts";
import { gateOf } from "../../../workers/worker-limits.ts";

/** Every pattern that the run bears out. May begin again at any point: what was answered stays answered. */
export async function learnPatterns(run: Run): Promise<void> {
  const runs = recordedRuns(run);
  const proposals = await proposePatterns(run, runs);
  const gated: { readonly proposal: PatternProposal; readonly gates: readonly GateResult[] }[] = [];
  for (const proposal of proposals) {
    const gates = await automaticGate(run, proposal, runs);
    const failed = gates.filter((gate) => !gate.passed);
    if (failed.length === 0) gated.push({ proposal, gates });
    else
      notice(
        run,
        `The pattern "${proposal.name}" failed the automatic checks: ${failed.map((gate) => `${gate.name}: ${gate.detail}`).join("; ")}`,
      );
  }
  // In parallel, so that the user sees all of them.
  await Promise.all(gated.map(({ proposal, gates }) => putBeforeUser(run, proposal, gates, runs)));
}

/** What judges cost is spent only on what nothing else has anything against. */
export async function automaticGate(
  run: Run,
  proposal: PatternProposal,
  runs: readonly RecordedRun[],
): Promise<readonly GateResult[]> {
  const gates = await createPatternStore(run).gate(proposal, runs);
  return run.config.patterns.judgedBySeats && gates.every(({ passed }) => passed)
    ? [...gates, await judgedBySeats(run, proposal, runs)]
    : gates;
}

const voteShape = z.strictObject({
  vote: z.enum(["approve", "reject", "abstain"]),
  reason: z.string().min(1).max(2_000),
});
type PatternVote = Pick<Vote, "answer" | "reason">;

/** Patterns are optional, so spending the budget on one does not ask for more. */
class BudgetSpent extends Error {
  override readonly name = "BudgetSpent";
}

/**
 * Validator agents at the automatic gate, where `[patterns] judged_by_seats` asks for them. (HOX-8.4b)
 *
 * Votes are stored for exactly this text, so a restart repeats none. An abstention never becomes an approval,
 * and seats that could not change the verdict are not asked.
 * @throws Interrupted if the run is paused
 */
const judgedBySeats = (
  run: Run,
  proposal: PatternProposal,
  runs: readonly RecordedRun[],
): Promise<GateResult> =>
  // One text after another, because a seat sits in one conversation.
  run.serial.run("pattern-judges", () => judge(run, proposal, runs));

async function judge(run: Run, proposal: PatternProposal, runs: readonly RecordedRun[]): Promise<GateResult> {
  const { validatorCount, consensusThreshold } = run.config.validation;
  const seats = Array.from({ length: validatorCount }, (_, at) => `pattern-judge-${at + 1}`);
  const needed = approvalsNeeded(seats.length, consensusThreshold);
  const hash = patternHash(proposal);
  const text = questionOf(proposal, runs);
  const votes: (PatternVote & { readonly seat: string })[] = [];
  const approvals = (): number => votes.filter(({ answer }) => answer === "approve").length;
  const isOpen = (): boolean =>
    approvals() < needed && votes.length - approvals() <= maySayNothing(seats.length, needed);
  let isSpent = false;
  for (const seat of seats) {
    if (!isOpen()) break;
    const step = `pattern/${createHash("sha256").update(`${hash} ${seat}`).digest("hex").slice(0, 24)}`;
    try {
      votes.push({ seat, ...(await run.step(step, () => voteOf(run, seat, step, text))) });
    } catch (error) {
      if (!(error instanceof BudgetSpent)) throw error;
      isSpent = true;
      break;
    }
  }
  const passed = approvals() >= needed;
  const against = votes.filter(({ answer }) => answer !== "approve");
  return {
    name: "validator votes",
    passed,
    detail: [
      `${approvals()} of ${seats.length} validators approved, ${needed} required.`,
      ...(passed ? [] : against.map(({ seat, reason }) => `${seat}: ${reason}`)),
      ...(isSpent
        ? [
            `${votes.length === 0 ? "No validator" : "No other validator"} was asked: the budget of the run is spent.`,
          ]
        : []),
    ].join(" "),
  };
}

/** @throws BudgetSpent, Interrupted: no vote was cast, and the same seat is asked on resume */
async function voteOf(run: Run, seat: string, key: string, text: PromptText): Promise<PatternVote> {
  run.addWorker({
    name: seat,
    role: "validator",
    parent: rootOf(run),
    title: "Judges a pattern",
    status: "in_progress",
  });
  const start = await conversationFactory(run, seat, {
    system: systemPrompt("pattern-judge", seat, {}),
    tools: [
      structuredTool(
        "judge_pattern",
        "Votes on whether the pattern may be shown to the user. Use it once, after you have read it.",
        voteShape,
      ),
    ],
    place: run.workspaces.home(),
    gate: gateOf(run, null),
  });
  const limit = run.config.validation.seatTimeoutSeconds * 1000;
  const late = new AbortController();
  // Time spent waiting for the provider does not count.
  const stopTimer = afterActiveTime(limit, (await run.driver()).scheduler, () => late.abort());
  try {
    const asked = await askForTool({
      prompt: text,
      reminder: promptLine`Answer with one call of judge_pattern.`,
      reminders: 1,
      isWorthReminder: (end) => end.kind === "ended",
      signal: AbortSignal.any([run.runEnded.signal, late.signal]),
      answerOf: (signal) => (signal.kind === "structured" ? voteShape.parse(signal.value) : null),
      open: async () => openOrStart(run, seat, key, start),
    });
    if (late.signal.aborted && !run.runEnded.signal.aborted)
      return { answer: "timed-out", reason: `No vote within ${counted(limit / 1000, "second")}.` };
    if (asked.kind === "answer") return { answer: asked.answer.vote, reason: asked.answer.reason };
    if (asked.kind === "stopped") throw asked.by === "budget" ? new BudgetSpent() : new Interrupted();
    const reason = asked.kind === "failed" ? explain(asked.error).message : `${describeTurnEnd(asked.end)}.`;
    return { answer: "error", reason };
  } finally {
    stopTimer();
    run.worker(seat).recorder.flush();
    run.setActivity(seat, "done", "");
  }
}

function questionOf(proposal: PatternProposal, runs: readonly RecordedRun[]): PromptText {
  const own = runs.find(({ run }) => run === proposal.run);
  return prompt(
    promptLine`[JUDGE PATTERN] ${proposal.name}`,
    section("The pattern", [quoteText(renderPattern(proposal))]),
    section(
      "Figures of the run that it came from",
      Object.entries(own?.figures ?? {}).map(([name, value]) => promptLine`- ${name} = ${value}`),
    ),
  );
}

const cardOf = (run: Run, proposal: PatternProposal): string => `${run.id}/pattern/${proposal.name}`;

/** What a card shows of a proposal. */
export function patternCard(
  run: Run,
  proposal: PatternProposal,
  gates: readonly GateResult[],
): Card & { readonly kind: "pattern" } {
  const markdown = renderPattern(proposal);
  const record = run.journal.patternRecords()[patternId(proposal)];
  const before = record?.versions.at(-1);
  return {
    kind: "pattern",
    name: proposal.name,
    category: proposal.category,
    markdown,
    confidence: proposal.confidence,
    gates,
    version: (before?.version ?? 0) + 1,
    changes: before ? lineDiff(before.text, markdown) : [],
  };
}

async function putBeforeUser(
  run: Run,
  proposal: PatternProposal,
  gates: readonly GateResult[],
  runs: readonly RecordedRun[],
): Promise<void> {
  const card = cardOf(run, proposal);
  const decision: AnswerTo<"pattern"> | Withdrawn = await run.inbox.ask<"pattern">(card, () =>
    patternCard(run, proposal, gates),
  );
  const id = patternId(proposal);
  if (decision.kind !== "approve") {
    const { confidence } = proposal;
    if (!run.journal.patternRecords()[id]?.declinedAt)
      run.journal.addPatternEvent({ kind: "PatternDeclined", id, confidence, at: run.now() });
    return;
  }
  await bestEffort(run, `The pattern "${proposal.name}" was not saved`, async () => {
    const item = run.journal.inboxItem(card)?.item;
    if (item?.kind !== "pattern") return;
    try {
      await keepShown(run, item, runs);
    } catch (error) {
      // The branch may have got a pattern of that name meanwhile: to ask again changes nothing.
      if (!(error instanceof PatternRefused)) throw error;
      notice(run, `The pattern "${proposal.name}" was not saved: ${error.message}`);
    }
  });
}

/** The approved text is the one that was shown, possibly edited by the user. */
async function keepShown(run: Run, item: ItemOf<"pattern">, runs: readonly RecordedRun[]): Promise<void> {
  const shown = proposalOf(`${item.category}/${item.name}`, item.markdown, false);
  await createPatternStore(run).approve(shown, runs, {
    nonce: item.nonce,
    shown: patternHash(shown),
    at: run.now(),
    run: run.id,
  });
}

const notice = (run: Run, text: string): void => warn(run, text, "No action needed: the run continues.");

/** The orchestrator's proposals and those derived from figures. */
async function proposePatterns(run: Run, runs: readonly RecordedRun[]): Promise<readonly PatternProposal[]> {
  const own = recordedRun(run, "complete");
  const proposed = await proposedByOrchestrator(run);
  const records = run.journal.patternRecords();
  const found = figuresSaySomething(run)
    ? extractPatterns(own, runs).filter((one) => isWorthAsking(one, records[patternId(one)]))
    : [];
  const all = proposed ? [withContext(proposed, own), ...found] : found;
  return all.filter((one, at) => all.findIndex(({ name }) => name === one.name) === at);
}

/** A change of confidence that makes a figures-based pattern worth asking about again. */
const worthAsking = 0.1;

/** Figures differ a little with every run: the user is asked again only about a relevant difference. */
function isWorthAsking({ confidence }: PatternProposal, record: PatternRecord | undefined): boolean {
  if (record === undefined) return true;
  if (record.retired !== null) return false;
  if (record.declinedAt !== null) return confidence >= record.declinedAt + worthAsking;
  const text = versionInForce(record)?.text;
  if (text === undefined) return true;
  const before = Number(splitFrontMatter(text).fields?.get("confidence"));
  return !(Math.abs(confidence - before) < worthAsking);
}

/** Where it does not say itself what it is for, the run that it came from does. */
function withContext(proposal: PatternProposal, own: RecordedRun): PatternProposal {
  const { fields, body } = splitFrontMatter(proposal.markdown);
  if (fields === null) return proposal;
  const lines = [...fields].map(([key, value]) => `${key}: ${value}`);
  const hasWorkKind = ["task_types", "languages", "folders", "words"].some((key) => fields.has(key));
  const more = hasWorkKind
    ? []
    : contextFields(own.goal, own.files).filter((line) => keptKeys.includes(keyOf(line)));
  // A name of figures says that figures found it.
  const name = figureKinds.some((kind) => kind === proposal.name)
    ? `${proposal.name}-proposed`
    : proposal.name;
  const named = lines.map((line) => (keyOf(line) === "name" ? `name: ${name}` : line));
  return { ...proposal, name, markdown: `---\n${[...named, ...more].join("\n")}\n---\n\n${body}\n` };
}

const keyOf = (line: string): string => line.slice(0, line.indexOf(":"));

async function proposedByOrchestrator(run: Run): Promise<PatternProposal | null> {
  const answer = await askIfPossible(
    run,
    rootOf(run),
    "learn",
    "learn",
    prompt(
      section(
        "How the run went",
        Object.entries(runFiguresOf(run)).map(([name, value]) => promptLine`- ${name} = ${value}`),
      ),
      section(
        "Decisions",
        run.facts.decisions.map((one) => promptLine`- ${one.title}: ${one.reason}`),
      ),
      promptLine`The run is ${run.id}.`,
    ),
  );
  return (
    answer &&
    doAsAnswered<PatternProposal | null>(answer, {
      propose_pattern: reply(patternShape, async (pattern) => ({ ...pattern, run: run.id })),
      report_done: async () => null,
    })
  );
}

/** What an orchestrator says of a pattern that it proposes. */
export const patternShape = z.strictObject({
  name: z.string().min(1).max(100),
  category: z.enum(patternCategories),
  confidence: z.number().min(0).max(1),
  markdown: z.string().min(1).max(20_000),
});

/** Complete runs before figures alone are worth a question, and agents in the one that is over. */
const [runsThatTeach, agentsThatTeach] = [3, 2];

/** One run, or one agent, proves nothing: what would be kept for every run to come has to be more than an accident. */
const figuresSaySomething = (run: Run): boolean =>
  runFiguresOf(run).agents >= agentsThatTeach &&
  recordedRuns(run).filter(({ outcome }) => outcome === "complete").length >= runsThatTeach;
