import { createHash } from "node:crypto";
import type { CheckResult } from "#shared/domain/conversation/conversation.ts";
import { filesOfDiff } from "#shared/domain/files/diff.ts";
import { outcomeText } from "#shared/domain/project/preflight.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import {
  type PromptText,
  pathLines,
  prompt,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import type { EvidenceKind, Seat } from "#shared/domain/validation/panel.ts";
import { systemPrompt } from "../config/resources-folder.ts";
import type { PeerEvidence, ValidationEvidence } from "./validation-interface.ts";

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
    ...(seat.peer === null ? sectionsOf(seat.evidence, subject) : sectionsOfPeer(seat.peer, subject)),
    missingOf(subject.evidence),
    ...sectionsOfComparison(seat, subject),
    section("Failed before the run began", baselineFailures(subject.checks)),
    section("Checks that prove nothing", unproven(subject.checks)),
    subject.learned,
    promptLine`Check the files in the checkout, then call cast_vote with the commit ${subject.commit}.`,
  );
  // Times and output of checks differ from run to run of the same commit; a vote stays bound to the rest.
  const stable = createHash("sha256").update(system).update("\0").update(seat.evidence).update("\0");
  // What a peer is shown belongs to one agent: its vote is no vote of another one's.
  if (seat.peer !== null) stable.update(seat.peer).update("\0");
  stable.update(
    JSON.stringify([
      ...[subject.commit, subject.run, subject.attempt, subject.evidence],
      ...[subject.instructions, subject.learned],
    ]),
  );
  return { system, prompt: text, hash: stable.digest("hex") };
}

/** A seat that runs a check itself finds it red, and it is no fault of the work. */
const baselineFailures = (checks: readonly CheckResult[]): readonly PromptText[] =>
  checks
    .filter(({ outcome }) => outcome === "known-failure")
    .map(
      (one) =>
        promptLine`- \`${one.command}\` is red as it was before the work, and nothing more fails. That is no reason to reject: ${one.output.split("\n")[0] ?? ""}`,
    );

/** What the tasks did and the commit does not hold; a seat that reads the diff alone cannot see it. */
const missingOf = ({ missing = [] }: ValidationEvidence): PromptText =>
  section(
    "Missing from the result",
    missing.length === 0
      ? []
      : [
          promptLine`Hox compared what each task added and deleted with this commit. Reject it unless there is a reason for what is missing:`,
          ...missing.map((line) => promptLine`- ${line}`),
        ],
  );

/** Nobody may take such a check for a sign that the work is right. */
const unproven = (checks: readonly CheckResult[]): readonly PromptText[] =>
  checks
    .filter(({ outcome }) => outcome === "unproven")
    .map(
      (one) =>
        promptLine`- \`${one.command}\`: ${one.why ?? ""} It shows neither that the work is right nor that it is wrong: check what it would have tested.`,
    );

const maxDiffLength = 120_000;

const decisionsOf = ({ decisions }: ValidationEvidence): PromptText =>
  section(
    "Decisions that bind everyone",
    decisions.map((one) => promptLine`- ${one.title}: ${one.reason}`),
  );

const diffOf = ({ diff }: ValidationEvidence): PromptText =>
  section("Diff against what the run was built on", [quoteText(cut(diff, maxDiffLength))]);

const changedFilesOf = ({ diff }: ValidationEvidence): PromptText =>
  section("Changed files", pathLines(changedFiles(diff)));

function sectionsOf(kind: EvidenceKind, { evidence, checks, instructions }: Subject): readonly PromptText[] {
  const decisions = decisionsOf(evidence);
  const plan = section("Plan", planLines(evidence));
  const diff = diffOf(evidence);
  const ran = section(
    "Checks in a fresh checkout",
    checks.map((one) => promptLine`- ${one.name}: ${outcomeText[one.outcome]} (\`${one.command}\`)`),
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
          "What the agents report to have done and checked",
          Object.entries(evidence.summaries).map(
            ([worker, summary]) => promptLine`- ${worker}: ${cut(summary, 10_000)}`,
          ),
        ),
      ];
    case "attacker":
      return [decisions, changedFilesOf(evidence)];
    case "decisions":
      return [decisions, changedFilesOf(evidence)];
    // Only its own judge sees the others' work.
    case "others":
      return [];
  }
}

/** For an agent of the run as judge: which one it was, and the others' work. */
function sectionsOfPeer(peer: string, { evidence, instructions }: Subject): readonly PromptText[] {
  const shown: PeerEvidence | undefined = evidence.peers?.[peer];
  if (shown === undefined) throw new Error(`Nothing is known of what ${peer} did not write.`);
  const share = Math.floor(maxDiffLength / Math.max(1, shown.works.length));
  return [
    instructions,
    section("Your own work, which you do not judge", [
      promptLine`You were ${peer} in this run. Your task was: ${shown.title}`,
      quoteText(cut(shown.description, 4_000)),
      promptLine`Your report: ${cut(shown.summary, 4_000)}`,
      promptLine`Files that you wrote in:`,
      ...pathLines(shown.ownFiles),
    ]),
    decisionsOf(evidence),
    section("Work of the others, which you judge", [
      ...shown.works.flatMap(({ by, title, diff }) => [
        promptLine`- ${by}: ${title}`,
        quoteText(cut(diff, share)),
      ]),
    ]),
  ];
}

/** Earlier results of the repository next to this one; every seat sees the diff with them. */
function sectionsOfComparison(seat: Seat, { evidence }: Subject): readonly PromptText[] {
  const { comparison } = evidence;
  if (comparison === undefined) return [];
  const hasDiff = seat.evidence === "diff" || seat.evidence === "result";
  return [
    section("Earlier runs of this repository", [
      promptLine`This run: ${figures(comparison.current)}`,
      ...comparison.earlier.flatMap((one) => [
        promptLine`- ${one.run}, ${one.outcome}, ${one.verdict}: ${cut(one.goal.replace(/\s+/gu, " "), 300)}`,
        promptLine`  ${figures(one.figures)}`,
        ...one.failed.map((line) => promptLine`  went wrong: ${cut(line, 300)}`),
      ]),
    ]),
    ...(hasDiff ? [] : [diffOf(evidence)]),
  ];
}

const figures = (all: Readonly<Record<string, number>>): string =>
  Object.entries(all)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${Math.round(value * 100) / 100}`)
    .join(", ");

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
          promptLine`Abandoned, so that the result need not contain them:`,
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
