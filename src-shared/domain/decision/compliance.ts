/**
 * Whether work follows a decision where no text conflict can show it: a name that the decision replaced lives on in
 * a file that it never touched. (HOX-5.2, design section 4)
 */

import type { AddedLine } from "../files/diff.ts";
import { languageOf } from "../imports/import-graph.ts";
import { shownName } from "../text/shown-text.ts";
import { codeLines, reservedIdentifiers } from "./code-lines.ts";
import { decisionEdit, type EditedFile } from "./decision-edit.ts";

/** Names that a decision touched. Plain JSON; it is kept in the journal. */
export interface DecisionNames {
  /** Names that it removed: work that still uses one is suspect. */
  readonly removed: readonly string[];
  /** Names that stay and whose declaration changed: whether a use still fits cannot be seen by their text. */
  readonly changed: readonly string[];
  /**
   * Extensions of its files, with the dot: uses are searched in files of these in addition to source files.
   */
  readonly extensions: readonly string[];
}

/** A use of such a name in a line that an agent added. */
export interface NameUse {
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly text: string;
  readonly name: string;
  readonly kind: "suspected" | "unclear";
}

const shortestName = 3;

/** Which names a decision's edits removed and which they declared. */
export function namesTouched(files: readonly EditedFile[]): DecisionNames {
  const left = new Set(files.flatMap(({ path, after }) => namesIn(codeLines(path, after ?? "").join("\n"))));
  const removed = new Set<string>();
  const changed = new Set<string>();
  for (const file of files) {
    const { path, before, after } = file;
    const edit = decisionEdit(file);
    const gone = changedCode(path, before, edit.removed);
    const come = changedCode(path, after, edit.added);
    for (const name of namesIn(gone)) if (!left.has(name)) removed.add(name);
    const now = new Set(declaredIn(come));
    for (const name of declaredIn(gone)) if (now.has(name)) changed.add(name);
  }
  return {
    removed: [...removed],
    changed: [...changed],
    extensions: [...new Set(files.map(({ path }) => extensionOf(path)).filter((one) => one !== ""))],
  };
}

/**
 * Names that an agent used in the decision's place: its line equals the decision's except for a few words.
 * They are neither in the decision's files nor were they, so the decision's own edits do not show them.
 * (HOX-5.2)
 * @param own lines that the agent had added to files that the decision edits
 */
export function guessedNames(files: readonly EditedFile[], own: readonly AddedLine[]): readonly string[] {
  const guessed = new Set<string>();
  for (const file of files) {
    const { path, before, after } = file;
    const known = new Set(namesIn(codeLines(path, `${before ?? ""}\n${after ?? ""}`).join("\n")));
    const decided = changedCode(path, after, decisionEdit(file).added).split("\n").map(tokenize);
    for (const line of own) {
      if (line.path !== path) continue;
      const mine = tokenize(codeOf(path, line.text));
      for (const theirs of decided)
        for (const name of namesIn(between(mine, theirs).join(" "))) if (!known.has(name)) guessed.add(name);
    }
  }
  return [...guessed];
}

/** What one line has in the place where another has something else; nothing when they are not alike. */
function between(mine: readonly string[], theirs: readonly string[]): readonly string[] {
  const most = Math.min(mine.length, theirs.length);
  let head = 0;
  while (head < most && mine[head] === theirs[head]) head += 1;
  let tail = 0;
  while (tail < most - head && mine.at(-1 - tail) === theirs.at(-1 - tail)) tail += 1;
  const different = mine.slice(head, mine.length - tail);
  const longest = Math.max(different.length, theirs.length - head - tail);
  return head + tail >= 2 && longest <= maxShortContext ? different : [];
}
const maxShortContext = 3;

const tokenize = (code: string): readonly string[] => code.match(/[\p{L}\p{N}_$]+|[^\p{L}\p{N}_$\s]/gu) ?? [];

/** Lines of an agent that use a name that a decision touched. Comments, and names in prose, are no use. */
export function usesOf(
  { removed, changed, extensions }: DecisionNames,
  lines: readonly AddedLine[],
): readonly NameUse[] {
  const [gone, anew] = [new Set(removed), new Set(changed)];
  return lines.flatMap(({ path, line, text }): NameUse[] => {
    if (languageOf(path) === null && !extensions.includes(extensionOf(path))) return [];
    const names = namesIn(codeOf(path, text));
    const name = names.find((one) => gone.has(one)) ?? names.find((one) => anew.has(one));
    if (name === undefined) return [];
    return [{ path, line, text: text.trim(), name, kind: gone.has(name) ? "suspected" : "unclear" }];
  });
}

const namesIn = (code: string): readonly string[] => [
  ...new Set(
    // A hyphen joins words of a key or a class; such a word is a different one.
    [...code.matchAll(/(?<![\p{L}\p{N}_$-])[\p{L}_$][\p{L}\p{N}_$]*(?![\p{L}\p{N}_$-])/gu)]
      .map(([name]) => name)
      .filter((name) => name.length >= shortestName && !reservedIdentifiers.has(name)),
  ),
];

/** Names followed by what says their parameters or their type. */
const declaredIn = (code: string): readonly string[] =>
  [
    ...code.matchAll(
      /(?<![\p{L}\p{N}_$])([\p{L}_$][\p{L}\p{N}_$]*)(?:<[^<>()]*>)?\s*(?:\(|\??:|=\s*(?:async\s*)?(?:\(|function\b))/gu,
    ),
  ]
    .map(([, name = ""]) => name)
    .filter((name) => name.length >= shortestName && !reservedIdentifiers.has(name));

/** The code of those lines of a text, with the whole text known, so that a comment of many lines is one. */
function changedCode(path: string, text: string | null, lines: readonly string[]): string {
  const wanted = new Set(lines);
  const code = codeLines(path, text ?? "");
  return (text ?? "")
    .split("\n")
    .map((line, at) => (wanted.has(line.trim()) ? (code[at] ?? "") : ""))
    .join("\n");
}

/** A line alone: one of a block comment shows itself by its star. */
const codeOf = (path: string, text: string): string =>
  languageOf(path) !== null && /^\s*\*/u.test(text) ? "" : (codeLines(path, text)[0] ?? "");

const extensionOf = (path: string): string => /\.\w+$/u.exec(path)?.[0] ?? "";

/** A line that speaks for or against a verdict. */
export interface Place {
  readonly path: string;
  /** 1-based; null for a line that should be there and is not. */
  readonly line: number | null;
  readonly text: string;
}

/** What showed that work contradicts a decision. */
type ShownBy =
  /** jj records a conflict that the decision's own operation brought. */
  | "conflict"
  /** The work uses what the decision replaced, where no conflict can show it. */
  | "compliance"
  /** The work took lines of the decision out, or brought back what it had removed. */
  | "override";

/** How one worker's change complies with a decision that binds it. Plain JSON. (HOX-5.1, 5.2, 5.4) */
export interface ComplianceStatus {
  readonly worker: string;
  /** `unchecked`: its work as it is now was not held against the decision yet. */
  readonly state: "unchecked" | "complies" | "contradicts";
  /** Null unless it contradicts. */
  readonly shownBy: ShownBy | null;
  /** For the agent and for the user; may be empty. */
  readonly reason: string;
  readonly places: readonly Place[];
  /**
   * Names that the worker used in the decision's place: they are searched in addition to the decision's own.
   */
  readonly guessed: readonly string[];
}

/** Nothing is known of a worker and a decision yet. */
export const unchecked = (worker: string, guessed: readonly string[] = []): ComplianceStatus => ({
  worker,
  state: "unchecked",
  shownBy: null,
  reason: "",
  places: [],
  guessed,
});

/** The worker's work was held against the decision and follows it. */
export const complies = (before: ComplianceStatus, reason: string): ComplianceStatus => ({
  ...unchecked(before.worker, before.guessed),
  state: "complies",
  reason,
});

/** The worker's work contradicts the decision. */
export const contradicts = (
  before: ComplianceStatus,
  shownBy: ShownBy,
  reason: string,
  places: readonly Place[],
): ComplianceStatus => ({ ...before, state: "contradicts", shownBy, reason, places });

/** `src/api.ts:12`, or the path alone for a line that is missing. */
export const placeName = ({ path, line }: Place): string =>
  line === null ? shownName(path) : `${shownName(path)}:${line}`;
