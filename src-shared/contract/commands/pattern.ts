import { z } from "zod";
import type { DiffedLine, PatternCategory, PatternKind } from "../../domain/patterns/pattern.ts";
import type { PatternContexts, TaskType } from "../../domain/patterns/pattern-context.ts";
import type { FittingRuns, PatternUses } from "../../domain/patterns/pattern-record.ts";
import { line } from "../fields.ts";
import { activeRunCommand, answers, nothing, repositoryCommand, type Written, written } from "./command.ts";

const id = line(200).min(1);
const markdown = z.string().min(1).max(20_000);
const version = z.number().int().min(1).max(100_000);
const ofPattern = { id };

/** One pattern of the library. */
export interface PatternView {
  /** `<category>/<name>`: commands take it. */
  readonly id: string;
  readonly name: string;
  readonly category: PatternCategory;
  /** How it was found. */
  readonly kind: PatternKind;
  /** 0 to 1; above 0.6 it is suggested and added to prompts. */
  readonly confidence: number;
  readonly title: string;
  /** Markdown without front matter. */
  readonly body: string;
  /** The whole file. */
  readonly text: string;
  /** What kind of work it is for; empty: any. */
  readonly taskTypes: readonly TaskType[];
  readonly contexts: PatternContexts;
  readonly evidence: PatternEvidence | null;
  /**
   * `approved`: the user approved exactly this text here. `not-approved`: it is on the branch without an
   * approval here, and is in no prompt. `retired`: it was approved once, and is no longer on the branch.
   */
  readonly state: "approved" | "not-approved" | "retired";
  /** Why it is in no prompt, in a sentence for the user; null if it is approved. */
  readonly whyNotTrusted: string | null;
  /** Which approved text this is, from 1; null while this text is not approved. */
  readonly version: number | null;
  /** Texts that were approved here, the oldest first. */
  readonly versions: readonly PatternVersionView[];
  /** Of the present version (ms since 1970); null for one that is not approved. */
  readonly approvedAt: number | null;
  readonly sourceRun: SourceRunView | null;
  readonly uses: PatternUses;
}

export interface PatternVersionView {
  /** From 1. */
  readonly version: number;
  readonly at: number;
  /** The run whose card was answered; null where it was approved in the library. */
  readonly run: string | null;
  readonly text: string;
}

interface SourceRunView {
  readonly id: string;
  /** Null where the run is not of this repository's own record. */
  readonly goal: string | null;
}

/** The figures by which it can be recognised, and what they say of the runs recorded here. */
export interface PatternEvidence {
  readonly claims: readonly {
    /** As in `agents >= 2`. */
    readonly text: string;
    /** The figure in the run it was learned from; null where that is not recorded here. */
    readonly value: number | null;
  }[];
  /** Other recorded runs that all claims hold for. */
  readonly fitting: FittingRuns;
}

/** What changed from one text to another, line by line. */
export interface PatternDiff {
  readonly id: string;
  /** "version 1", or what else is compared. */
  readonly from: string;
  readonly to: string;
  readonly lines: readonly DiffedLine[];
}

/** A text as it would be approved, with what the automatic gate says of it. */
export interface PatternPreview {
  readonly id: string;
  /** The file as it would be written. */
  readonly text: string;
  /** The version that it would be. */
  readonly version: number;
  readonly gates: readonly { readonly name: string; readonly passed: boolean; readonly detail: string }[];
  /** Against the version that was approved last; null where none was. */
  readonly diff: PatternDiff | null;
  /** An approval names it: it identifies this text and the state of branch and record, and counts once. */
  readonly shown: string;
}

/** An approved pattern that fits a goal. */
export interface PatternSuggestion {
  readonly id: string;
  readonly name: string;
  readonly category: PatternCategory;
  readonly title: string;
  readonly confidence: number;
  /** Its first paragraph, cut. */
  readonly gist: string;
  /** Why it fits, a few words each: "the same kind of work: fix". */
  readonly why: readonly string[];
  readonly uses: PatternUses;
}

/** What came with a pull. */
export interface PatternPull {
  readonly remote: string;
  /** New patterns on the branch that are not approved here, by id. */
  readonly received: readonly string[];
  /** Those of them that replaced a text which was approved here: not active until the user decides. */
  readonly replaced: readonly string[];
  /** Patterns that both sides changed: what was here stays. */
  readonly kept: readonly string[];
}

/** The library of what earlier runs taught. A pattern is named by `<category>/<name>`. */
export const patternCommands = {
  /** All: approved ones, what stands on the branch and nobody here approved, and retired ones. Best confidence first. */
  "pattern.list": repositoryCommand({}, answers<readonly PatternView[]>()),
  /**
   * All: approved ones, those on the branch that were not approved here, and retired ones. Highest confidence
   * first.
   */
  "pattern.diff": repositoryCommand(
    { ...ofPattern, from: version.optional(), to: version.optional() },
    answers<PatternDiff>(),
  ),
  /** A text as it would be approved, with the automatic gate. Omitted: the branch's text. */
  "pattern.preview": repositoryCommand(
    { ...ofPattern, markdown: markdown.optional() },
    answers<PatternPreview>(),
  ),
  /** Approves exactly what a preview showed: with the same text, and its `shown`. Writes the next version. */
  "pattern.approve": repositoryCommand(
    { ...ofPattern, markdown: markdown.optional(), shown: line(100).min(1) },
    answers<{ version: number } & Written>(),
  ),
  /** From the branch; its versions stay in the record, and no prompt holds it any more. */
  "pattern.retire": repositoryCommand({ ...ofPattern, reason: z.string().trim().max(1_000) }, written),
  /** A text that was approved here is in force again. Left out: the version that was last. */
  "pattern.restore": repositoryCommand(
    { ...ofPattern, version: version.optional() },
    answers<{ version: number } & Written>(),
  ),
  /** Approved patterns that fit a goal, the best first. */
  "pattern.suggest": repositoryCommand(
    { goal: z.string().max(20_000) },
    answers<readonly PatternSuggestion[]>(),
  ),
  /** Edits the text on a pattern's card: gates run again, and the card shows the results. */
  "pattern.editCard": activeRunCommand({ card: line(400).min(1), markdown }, nothing),
  /** From the remote. What comes in is not approved. */
  "pattern.pull": repositoryCommand({}, answers<PatternPull & Written>()),
};
