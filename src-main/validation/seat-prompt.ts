import { createHash } from "node:crypto";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import {
  type PromptText,
  pathLines,
  prompt,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import { systemPrompt } from "../config/system-prompt.ts";
import type { ValidationEvidence } from "./validation-interface.ts";

/** What the seats look at, in order; a larger panel begins again from the start. */
export const evidenceKinds = ["specification", "diff", "tests", "attacker"] as const;
/** `result`: all that there is to judge by, for a seat that sits alone. */
export type EvidenceKind = (typeof evidenceKinds)[number] | "result";

export interface Seat {
  /** `validator-1` and so on: also the role in the system prompt. */
  readonly name: string;
  readonly evidence: EvidenceKind;
}

export const panel = (seats: number): readonly Seat[] =>
  Array.from({ length: seats }, (_, index) => ({
    name: `validator-${index + 1}`,
    evidence: seats === 1 ? "result" : (evidenceKinds[index % evidenceKinds.length] ?? "specification"),
  }));

export interface SeatPrompt {
  readonly system: string;
  readonly prompt: PromptText;
  /** Binds a vote to exactly what the seat was shown. */
  readonly hash: string;
}

export interface Subject {
  readonly commit: string;
  readonly run: string;
  readonly attempt: number;
  readonly evidence: ValidationEvidence;
  readonly checks: readonly CheckResult[];
  readonly instructions: PromptText;
  readonly learned: PromptText;
}

/** Blind: no seat is shown another's vote, and each is shown its own part of the evidence only. (HOX-7.2) */
export function seatPrompt(seat: Seat, subject: Subject): SeatPrompt {
  const system = systemPrompt("validator", seat.name, {});
  const text = prompt(
    promptLine`[VALIDATE]`,
    promptLine`Seat: ${seat.name}, evidence: ${seat.evidence}\nCommit: ${subject.commit}\nRun: ${subject.run}, attempt ${subject.attempt}`,
    section("Goal", [quoteText(subject.evidence.goal)]),
    ...sectionsOf(seat.evidence, subject),
    section("Failed before the run began", knownFailures(subject.checks)),
    subject.learned,
    promptLine`Look for yourself in the checkout, then call cast_vote with the commit ${subject.commit}.`,
  );
  // Times and output of checks differ from run to run of the same commit; a vote stays bound to the rest.
  const stable = createHash("sha256").update(system).update("\0").update(seat.evidence).update("\0");
  stable.update(
    JSON.stringify([
      ...[subject.commit, subject.run, subject.attempt, subject.evidence],
      ...[subject.instructions, subject.learned],
    ]),
  );
  return { system, prompt: text, hash: stable.digest("hex") };
}

/** A seat that runs a check itself finds it red, and it is no fault of the work. */
const knownFailures = (checks: readonly CheckResult[]): readonly PromptText[] =>
  checks
    .filter(({ outcome }) => outcome === "known-failure")
    .map(
      (one) =>
        promptLine`- \`${one.command}\` is red as it was before the work, and nothing more fails. That is no reason to reject: ${one.output.split("\n")[0] ?? ""}`,
    );

function sectionsOf(kind: EvidenceKind, { evidence, checks, instructions }: Subject): readonly PromptText[] {
  const decisions = section(
    "Decisions that bind everyone",
    evidence.decisions.map((one) => promptLine`- ${one.title}: ${one.reason}`),
  );
  const plan = section("Plan", planLines(evidence));
  const diff = section("Diff against what the run was built on", [quoteText(cut(evidence.diff, 120_000))]);
  const ran = section(
    "Checks in a fresh checkout",
    checks.map((one) => promptLine`- ${one.name}: ${one.outcome} (\`${one.command}\`)`),
  );
  switch (kind) {
    case "result":
      return [instructions, plan, decisions, ran, diff];
    case "specification":
      return [plan, decisions];
    case "diff":
      return [instructions, decisions, diff];
    case "tests":
      return [
        ran,
        section(
          "What the agents say that they did and checked",
          Object.entries(evidence.summaries).map(
            ([worker, summary]) => promptLine`- ${worker}: ${cut(summary, 10_000)}`,
          ),
        ),
      ];
    case "attacker":
      return [decisions, section("Changed files", pathLines(changedFiles(evidence.diff)))];
  }
}

function planLines({ plan, abandoned }: ValidationEvidence): readonly PromptText[] {
  if (!plan) return [];
  const gone = plan.tasks.filter((task) => abandoned.includes(task.id));
  return [
    quoteText(plan.summary),
    promptLine`Contracts: ${plan.contracts.description}`,
    ...pathLines(plan.contracts.files),
    promptLine`Tasks:`,
    ...plan.tasks
      .filter((task) => !abandoned.includes(task.id))
      .map((task) => promptLine`- ${task.title}: ${task.description}`),
    ...(gone.length === 0
      ? []
      : [
          promptLine`Abandoned on the way, so that nothing of them has to be there:`,
          ...gone.map((task) => promptLine`- ${task.title}`),
        ]),
  ];
}

const changedFiles = (diff: string): readonly string[] => filesOfDiff(diff).map(({ path }) => path);

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const shown = startOf(text, most);
  return `${shown}\n(${text.length - shown.length} more characters; read the files)`;
}
