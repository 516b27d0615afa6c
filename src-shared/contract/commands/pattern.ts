import { z } from "zod";
import { line } from "../fields.ts";
import type {
  PatternDiff,
  PatternPreview,
  PatternPull,
  PatternSuggestion,
  PatternView,
} from "../views/pattern.ts";
import { activeRunCommand, answers, nothing, repositoryCommand, type Written, written } from "./command.ts";

const id = line(200).min(1);
const markdown = z.string().min(1).max(20_000);
const version = z.number().int().min(1).max(100_000);
const ofPattern = { id };

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
