import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { CheckResult } from "#shared/domain/conversation.ts";
import { resourcePath } from "../config/resources-folder.ts";
import type { ValidationEvidence } from "./validation-interface.ts";

/** What the seats look at, in order; a larger panel begins again from the start. */
export const evidenceKinds = ["specification", "diff", "tests", "attacker"] as const;
export type EvidenceKind = (typeof evidenceKinds)[number];

export interface Seat {
  /** `validator-1` and so on: also the role in the system prompt. */
  readonly name: string;
  readonly evidence: EvidenceKind;
}

export const panel = (seats: number): readonly Seat[] =>
  Array.from({ length: seats }, (_, index) => ({
    name: `validator-${index + 1}`,
    evidence: evidenceKinds[index % evidenceKinds.length] ?? "specification",
  }));

export interface SeatPrompt {
  readonly system: string;
  readonly prompt: string;
  /** Binds a vote to exactly what the seat was shown. */
  readonly hash: string;
}

export interface Subject {
  readonly commit: string;
  readonly run: string;
  readonly attempt: number;
  readonly evidence: ValidationEvidence;
  readonly checks: readonly CheckResult[];
  readonly learned: string;
}

/** Blind: no seat is shown another's vote, and each is shown its own part of the evidence only. (HOX-7.2) */
export async function seatPrompt(seat: Seat, subject: Subject): Promise<SeatPrompt> {
  const text = await readFile(resourcePath("prompts", "validator.md"), "utf8");
  const system = `${text.replaceAll("{{name}}", seat.name).trimEnd()}\n\nHox-Role: ${seat.name}`;
  const prompt = [
    `[VALIDATE]\n\nSeat: ${seat.name}, evidence: ${seat.evidence}\nCommit: ${subject.commit}\nRun: ${subject.run}, attempt ${subject.attempt}`,
    section("Goal", subject.evidence.goal),
    ...sectionsOf(seat.evidence, subject),
    subject.learned.trim(),
    `Look for yourself in the checkout, then call cast_vote with the commit ${subject.commit}.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
  // Times and output of checks differ from run to run of the same commit; a vote stays bound to the rest.
  const stable = createHash("sha256").update(system).update("\0").update(seat.evidence).update("\0");
  stable.update(
    JSON.stringify([subject.commit, subject.run, subject.attempt, subject.evidence, subject.learned]),
  );
  return { system, prompt, hash: stable.digest("hex") };
}

function sectionsOf(kind: EvidenceKind, { evidence, checks }: Subject): readonly string[] {
  const decisions = section(
    "Decisions that bind everyone",
    evidence.decisions.map((one) => `- ${one.title}\n  ${one.reason.replaceAll("\n", "\n  ")}`).join("\n"),
  );
  switch (kind) {
    case "specification":
      return [section("Plan", planText(evidence)), decisions];
    case "diff":
      return [
        decisions,
        section("Diff against what the run was built on", fence(cut(evidence.diff, 120_000))),
      ];
    case "tests":
      return [
        section(
          "Checks in a fresh checkout",
          checks.map((one) => `- ${one.name}: ${one.outcome} (\`${one.command}\`)`).join("\n"),
        ),
        section(
          "What the agents say that they did and checked",
          Object.entries(evidence.summaries)
            // Fenced: a summary that goes on like this prompt would pass for it.
            .map(([worker, summary]) => `- ${worker}:\n\n${fence(cut(summary, 10_000))}`)
            .join("\n"),
        ),
      ];
    case "attacker":
      return [
        decisions,
        section(
          "Changed files",
          changedFiles(evidence.diff)
            .map((path) => `- ${path}`)
            .join("\n"),
        ),
      ];
  }
}

function planText({ plan, abandoned }: ValidationEvidence): string {
  if (!plan) return "";
  const tasks = plan.tasks
    .filter((task) => !abandoned.includes(task.id))
    .map((task) => `- ${task.title}: ${task.description.replaceAll("\n", "\n  ")}`);
  const gone = plan.tasks.filter((task) => abandoned.includes(task.id)).map((task) => `- ${task.title}`);
  return [
    plan.summary,
    `Contracts: ${plan.contracts.description}`,
    ...plan.contracts.files.map((file) => `- ${file}`),
    "Tasks:",
    ...tasks,
    ...(gone.length === 0 ? [] : ["Abandoned on the way, so that nothing of them has to be there:", ...gone]),
  ]
    .filter((line) => line !== "")
    .join("\n");
}

const section = (title: string, body: string): string => (body === "" ? "" : `## ${title}\n\n${body}`);

const changedFiles = (diff: string): readonly string[] => [
  ...new Set([...diff.matchAll(/^diff --git .* "?b\/(.+?)"?$/gmu)].map((match) => match[1] ?? "")),
];

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most)}\n(${text.length - most} more characters; read the files)`;
}

/** Longer than any run of backticks inside, so that text from outside cannot end it. */
function fence(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([ticks]) => ticks.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}\n${text}\n${ticks}`;
}
