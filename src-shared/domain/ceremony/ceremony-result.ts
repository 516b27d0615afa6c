/**
 * What only the result of a run shows, said without a model: whether bringing its tasks together left something to do,
 * how many seats judge it, and whether the run taught anything. (docs/decisions/0012)
 */

import { codeLines, reservedWords } from "../decision/code-lines.ts";
import { asGlob, fitsGlob } from "../files/claims.ts";
import { filesOfDiff } from "../files/diff.ts";
import { languageOf } from "../imports/import-graph.ts";
import { startOf } from "../text/cut-text.ts";
import { shownName } from "../text/shown-text.ts";
import type { Ceremony } from "./ceremony-parts.ts";

/** One task's own change as it was merged, or the contracts'. */
export interface MergedDiff {
  /** Id in the plan; null for the contracts, which every task builds on. */
  readonly task: string | null;
  /** Git-format. */
  readonly diff: string;
}

/** What the merged result says about itself. */
export interface MergedResult {
  /** Paths in conflict. */
  readonly conflicts: readonly string[];
  /** Names of the checks that did not pass on it. */
  readonly failed: readonly string[];
  readonly diffs: readonly MergedDiff[];
  /** Whether one task was built on the other, so that whoever did it saw the other's work. */
  readonly builtOn: (task: string, other: string) => boolean;
}

/**
 * Why an agent has to bring tasks together although nobody wants one in any case; null when nothing is left to do.
 *
 * A file of prose that two tasks wrote in and that holds no conflict is together already.
 */
export function leftToIntegrate({ conflicts, failed, diffs, builtOn }: MergedResult): string | null {
  if (conflicts.length > 0)
    return `${listed(conflicts.map(shownName))} ${conflicts.length === 1 ? "is" : "are"} in conflict.`;
  if (failed.length > 0) return `On the merged result ${listed(failed)} did not pass.`;
  const read = diffs.map(({ task, diff }) => ({ task, ...namesOf(diff) }));
  const tasks = read.filter(({ task }) => task !== null);
  for (const [index, one] of tasks.entries())
    for (const other of tasks.slice(index + 1)) {
      const [a, b] = [one.task ?? "", other.task ?? ""];
      if (builtOn(a, b) || builtOn(b, a)) continue;
      const file = [...one.files].find((path) => other.files.has(path) && languageOf(path) !== null);
      if (file !== undefined) return `"${a}" and "${b}" both changed ${shownName(file)}.`;
      const name = usedBy(one, other) ?? usedBy(other, one);
      if (name !== null)
        return `"${a}" and "${b}" meet in ${shownName(name)}, and neither saw the other's work.`;
    }
  for (const { task, declared } of read) {
    if (task !== null) continue;
    for (const name of declared) {
      const users = tasks.filter(({ uses }) => uses.has(name)).map(({ task: id }) => id ?? "");
      const apart = users.find((id) =>
        users.some((other) => other !== id && !builtOn(id, other) && !builtOn(other, id)),
      );
      if (apart !== undefined)
        return `${listed(users.map((id) => `"${id}"`))} meet in ${shownName(name)} of the contracts.`;
    }
  }
  return null;
}

interface Names {
  readonly files: ReadonlySet<string>;
  /** What it gives others to use. */
  readonly declared: ReadonlySet<string>;
  readonly uses: ReadonlySet<string>;
}

/** A name that one declares for others and the other uses without declaring one of its own. */
const usedBy = (owner: Names, user: Names): string | null =>
  [...owner.declared].find((name) => user.uses.has(name) && !user.declared.has(name)) ?? null;

/** A declaration stands at the beginning; the expression takes the square of a line. */
const longestDeclaration = 300;
/** What others can use begins its line, or says that it is for others; one expression over the languages that we know. */
const declaration =
  /^(?:\s*(?:export|pub(?:\([^)]*\))?|public)\s+(?:default\s+|async\s+|abstract\s+|static\s+|final\s+|unsafe\s+|declare\s+)*(?:function\*?|class|interface|type|enum|const|let|var|fn|struct|trait|mod|record|def|val|fun|object)?|(?:async\s+)?def|class|func|fn|struct|trait|interface|enum|module|type|defmodule)\s+([\p{L}_$][\p{L}\p{N}_$]*)/u;

function namesOf(diff: string): Names {
  const files = new Set<string>();
  const declared = new Set<string>();
  const uses = new Set<string>();
  for (const { path, added } of filesOfDiff(diff)) {
    files.add(path);
    if (
      languageOf(path) === null &&
      !/\.(?:go|java|kt|kts|rb|cs|php|ex|exs|c|h|cc|cpp|hpp|swift|scala)$/u.test(path)
    )
      continue;
    for (const line of codeLines(path, added.map(({ text }) => text).join("\n"))) {
      const name = declaration.exec(startOf(line, longestDeclaration))?.[1];
      if (name !== undefined && name.length >= 3 && !reservedWords.has(name)) declared.add(name);
      for (const [word] of line.matchAll(/[\p{L}_$][\p{L}\p{N}_$]{2,}/gu))
        if (!reservedWords.has(word)) uses.add(word);
    }
  }
  return { files, declared, uses };
}

/** `[ceremony]` and `[validation]` as far as they say how many seats a result gets. */
interface SeatRules {
  /** All seats there are. */
  readonly all: number;
  /** Changed lines, and changed files, from which a result is large. */
  readonly largeLines: number;
  readonly largeFiles: number;
  /** Paths and globs whose change is a risk. */
  readonly riskyFiles: readonly string[];
}

/** What the seats are asked to judge. */
export interface Result {
  /** Git-format, against what the run was built on. */
  readonly diff: string;
  /** Checks that ran on exactly this result. */
  readonly checks: number;
  /** How often it was rejected before. */
  readonly rejected: number;
  /** Whether a model resolved a conflict on the way. */
  readonly hadConflict: boolean;
  readonly decisions: number;
  /** Workers whose work a person accepted over a failed check. */
  readonly overridden: readonly string[];
  /** Protected files that it changes, as a person allowed. */
  readonly protectedFiles: readonly string[];
}

/** How many seats judge a result, and why; 0 where a person looks at it and nobody else. */
export function seatsFor(
  seats: Ceremony["seats"],
  result: Result,
  rules: SeatRules,
): { readonly seats: number; readonly reason: string } {
  const all = Math.max(1, rules.all);
  if (seats.value === "none") return { seats: 0, reason: seats.reason };
  if (seats.value === "all") return { seats: all, reason: seats.reason };
  if (seats.value === "one" && result.rejected === 0) return { seats: 1, reason: seats.reason };
  const why = riskOf(result, rules);
  return why === null
    ? { seats: 1, reason: "The result is small, and nothing about it is a risk." }
    : { seats: all, reason: why };
}

function riskOf(result: Result, rules: SeatRules): string | null {
  const files = filesOfDiff(result.diff);
  const lines = files.reduce((sum, { added, removed }) => sum + added.length + removed, 0);
  const globs = rules.riskyFiles.map((glob) => fitsGlob(asGlob(glob)));
  const risky = files.find(({ path }) => globs.some((fits) => fits(path)));
  const [overridden] = result.overridden;
  const [protectedFile] = result.protectedFiles;
  if (result.rejected > 0) return "It was rejected before.";
  if (lines > rules.largeLines) return `It is large: ${lines} changed lines.`;
  if (files.length > rules.largeFiles) return `It is large: ${files.length} changed files.`;
  if (risky !== undefined)
    return `It changes ${shownName(risky.path)}, which is a risk by ceremony.risky_files.`;
  if (protectedFile !== undefined) return `It changes ${shownName(protectedFile)}, which is protected.`;
  if (result.hadConflict) return "A conflict was resolved on the way.";
  if (result.decisions > 0) return "A decision bound several agents on the way.";
  if (overridden !== undefined) return `The work of ${overridden} was accepted over a failed check.`;
  if (result.checks === 0) return "No check says anything about it.";
  return null;
}

/** What happened in a run from which others could learn. */
export interface Lessons {
  readonly conflicts: number;
  readonly repairs: number;
  readonly questions: number;
  readonly overrides: number;
  readonly rejectedReviews: number;
}

/** What a run taught, in a few words; null when nothing happened that the plan did not say. */
export function taughtBy({
  conflicts,
  repairs,
  questions,
  overrides,
  rejectedReviews,
}: Lessons): string | null {
  const all = [
    counted(conflicts, "conflict"),
    counted(repairs, "repair"),
    counted(questions, "question"),
    counted(overrides, "override"),
    counted(rejectedReviews, "rejected review"),
  ].filter((one) => one !== null);
  return all.length === 0 ? null : all.join(", ");
}

const counted = (count: number, one: string): string | null =>
  count === 0 ? null : `${count} ${one}${count === 1 ? "" : "s"}`;

const listed = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
