/**
 * The conditions of workflow stages that only finished work shows, decided without a model: whether a task needs a review
 * of its own, whether merged tasks need an integrator, how many validators judge the result, and whether the run taught
 * anything. (docs/decisions/0012, 0059)
 */

import { type DiffFile, filesOfDiff } from "../files/diff.ts";
import { asGlob, fitsGlob } from "../files/glob.ts";
import { languageOf } from "../imports/import-graph.ts";
import { type FileEdit, mentionedSignature, sharedChange } from "../symbols/changed-symbols.ts";
import { counted } from "../text/format-text.ts";
import { shownName } from "../text/shown-text.ts";
import type { StageDecision } from "./workflow.ts";

interface MergedTask {
  readonly task: string;
  readonly files: ReadonlySet<string>;
  /** Of source files that another task changed too, as far as both versions could be parsed. */
  readonly edits: ReadonlyMap<string, FileEdit>;
  /** All lines that it added. */
  readonly addedCode: string;
}

export interface MergedResult {
  /** Names of the checks that did not pass on it. */
  readonly failed: readonly string[];
  readonly tasks: readonly MergedTask[];
  /** Whether one task was built on the other, so that its agent saw the other's work. */
  readonly isBuiltOn: (task: string, other: string) => boolean;
}

/**
 * Why tasks that merged without a conflict need an integrator; null when nothing is left to do. Files that are not source
 * code do not count: text that two tasks changed and that merged is complete. Nor do different symbols of one file, unless
 * one task uses what the other changed for its users.
 */
export function integratorCondition({ failed, tasks, isBuiltOn }: MergedResult): string | null {
  if (failed.length > 0) return `${listed(failed)} did not pass on the merged result.`;
  for (const [index, one] of tasks.entries())
    for (const other of tasks.slice(index + 1)) {
      if (isBuiltOn(one.task, other.task) || isBuiltOn(other.task, one.task)) continue;
      for (const file of one.files) {
        const met = other.files.has(file) && languageOf(file) !== null ? meetingIn(file, one, other) : null;
        if (met !== null) return met;
      }
    }
  return null;
}

/** How two tasks meet in a source file that both changed; null if they do not. */
function meetingIn(file: string, one: MergedTask, other: MergedTask): string | null {
  const [mine, theirs] = [one.edits.get(file), other.edits.get(file)];
  const both = `"${one.task}" and "${other.task}" both changed`;
  if (mine === undefined || theirs === undefined) return `${both} ${shownName(file)}.`;
  const shared = sharedChange(mine, theirs);
  if (shared !== null) return `${both} ${shownName(shared)} in ${shownName(file)}.`;
  const uses = (user: MergedTask, owner: MergedTask, edit: FileEdit): string | null => {
    const name = mentionedSignature(edit, user.addedCode);
    return name === null
      ? null
      : `"${owner.task}" changed the signature of ${shownName(name)} in ${shownName(file)}, which "${user.task}" uses.`;
  };
  return uses(other, one, mine) ?? uses(one, other, theirs);
}

/** A result with more changed lines or files gets a panel. */
export const largeLines = 400;
export const largeFiles = 20;

/** A task's work that passed its checks. */
export interface FinishedTask {
  /** Git-format. */
  readonly diff: string;
  /** Files of its task: paths, folders or globs. */
  readonly claims: readonly string[];
  /** Files that it changes although they are not, or not only, its task's. */
  readonly beyond: readonly string[];
  /** Checks that passed on it. */
  readonly checks: number;
  /** Whether it would conflict, or did, with other work. */
  readonly hasMet: boolean;
  /** Whether somebody asked for changes before, or has something to say about it. */
  readonly isDisputed: boolean;
  readonly decisions: number;
  /** Whether it lacks what other tasks brought. */
  readonly isMissingWork: boolean;
  /** Protected files that it changes, as the user allowed. */
  readonly protectedFiles: readonly string[];
}

/** Why work needs a review of its own; null where it is enough that validators see it with the result. */
export function reviewCondition(task: FinishedTask, riskyFiles: readonly string[]): string | null {
  const files = filesOfDiff(task.diff);
  const risky = riskyFile(files, riskyFiles);
  const [beyond] = task.beyond;
  const [protectedFile] = task.protectedFiles;
  if (files.length === 0) return "It changes no file.";
  if (task.claims.length === 0) return "Its task names no files.";
  if (beyond !== undefined) return `It changes ${shownName(beyond)}, which is not its own.`;
  if (risky !== null) return `It changes ${shownName(risky)}, which matches workflow.risky_files.`;
  if (protectedFile !== undefined) return `It changes ${shownName(protectedFile)}, which is protected.`;
  if (task.hasMet) return "It met other work.";
  if (task.isMissingWork) return "It lacks work of another task.";
  if (task.isDisputed) return "It was commented on.";
  if (task.decisions > 0) return "A decision binds it.";
  if (task.checks === 0) return "No check passed on it.";
  return null;
}

/** Whether all that is merged without a review stays as small as what one validator judges. */
export const staysSmall = (unreviewedLines: number): boolean => unreviewedLines <= largeLines;

/** Lines that a diff adds or removes. */
export const changedLines = (diff: string): number => linesOf(filesOfDiff(diff));

const linesOf = (files: readonly DiffFile[]): number =>
  files.reduce((sum, { added, removed }) => sum + added.length + removed, 0);

/** The first file that matches a glob; null without one. */
function riskyFile(files: readonly DiffFile[], riskyFiles: readonly string[]): string | null {
  const globs = riskyFiles.map((glob) => fitsGlob(asGlob(glob)));
  return files.find(({ path }) => globs.some((fits) => fits(path)))?.path ?? null;
}

/** The result that validators judge. */
export interface Result {
  /** Git-format, against what the run was built on. */
  readonly diff: string;
  /** Checks that ran on exactly this result. */
  readonly checks: number;
  /** How often it was rejected. */
  readonly rejected: number;
  /** Whether a model resolved a conflict. */
  readonly hadConflict: boolean;
  readonly decisions: number;
  /** Workers whose work the user accepted over a failed check. */
  readonly overridden: readonly string[];
  /** Protected files that it changes, as the user allowed. */
  readonly protectedFiles: readonly string[];
}

/** How many validators judge a result, and why. */
export function validatorsFor(
  panel: StageDecision,
  result: Result,
  { count, riskyFiles }: { readonly count: number; readonly riskyFiles: readonly string[] },
): { readonly seats: number; readonly reason: string } {
  const all = Math.max(1, count);
  if (panel.mode === "on") return { seats: all, reason: panel.reason };
  if (panel.mode === "off" && result.rejected === 0) return { seats: 1, reason: panel.reason };
  const why = panelCondition(result, riskyFiles);
  return why === null
    ? { seats: 1, reason: "The result is small and changes nothing risky." }
    : { seats: all, reason: why };
}

function panelCondition(result: Result, riskyFiles: readonly string[]): string | null {
  const files = filesOfDiff(result.diff);
  const lines = linesOf(files);
  const risky = riskyFile(files, riskyFiles);
  const [overridden] = result.overridden;
  const [protectedFile] = result.protectedFiles;
  if (result.rejected > 0) return "It was rejected before.";
  if (lines > largeLines) return `It is large: ${lines} changed lines.`;
  if (files.length > largeFiles) return `It is large: ${files.length} changed files.`;
  if (risky !== null) return `It changes ${shownName(risky)}, which matches workflow.risky_files.`;
  if (protectedFile !== undefined) return `It changes ${shownName(protectedFile)}, which is protected.`;
  if (result.hadConflict) return "A conflict was resolved.";
  if (result.decisions > 0) return "A decision bound several agents.";
  if (overridden !== undefined) return `The work of ${overridden} was accepted despite a failed check.`;
  if (result.checks === 0) return "No check ran on it.";
  return null;
}

/** Events of a run that later runs could learn from. */
export interface Lessons {
  readonly conflicts: number;
  readonly repairs: number;
  readonly questions: number;
  readonly overrides: number;
  readonly rejectedReviews: number;
}

/** What a run taught, in a few words; null when it went as planned. */
export function learningCondition(lessons: Lessons): string | null {
  const named: readonly (readonly [number, string])[] = [
    [lessons.conflicts, "conflict"],
    [lessons.repairs, "repair"],
    [lessons.questions, "question"],
    [lessons.overrides, "override"],
    [lessons.rejectedReviews, "rejected review"],
  ];
  const met = named.filter(([count]) => count > 0);
  return met.length === 0 ? null : met.map(([count, name]) => counted(count, name)).join(", ");
}

const listed = (names: readonly string[]): string =>
  names.length <= 3 ? names.join(", ") : `${names.slice(0, 3).join(", ")} and ${names.length - 3} more`;
