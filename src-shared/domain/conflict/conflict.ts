/** The operation that caused a conflict without a decision, and who made it. (HOX-5.1) */
export interface ConflictCause {
  /** Full id of jj's operation. */
  readonly operation: string;
  /** jj's own words for it: "rebase commit …". */
  readonly description: string;
  /** An agent or orchestrator, `hox` for the user's actions in the app, `terminal` for anyone else. */
  readonly actor: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Merged work of a sibling that finished work conflicts with. */
export interface MergedSide {
  readonly worker: string;
  /** Conflicted files that it changed, in order of their names. */
  readonly files: readonly string[];
}

// A file in conflict as jj writes it out: what is settled, and every place where sides meet.

/** One side of a place, or what sides began with. */
export interface ConflictTerm {
  readonly kind: "side" | "base";
  /** jj's words for where it comes from, such as `qusvskxm 45496dff "task 1" (rebased revision)`. */
  readonly label: string;
  readonly text: string;
}

export type ConflictPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "conflict"; readonly terms: readonly ConflictTerm[] };

const begin = /^(<{7,}) conflict \d+ of \d+$/;
const unended = " (no terminating newline)";

/**
 * Reads what jj writes with `ui.conflict-marker-style=snapshot`. Of one side without a newline at its end jj says so and
 * gives all of the place one more, so that none is lost: here it is taken off again.
 * @returns the parts in order; one text, or none, where nothing is in conflict
 */
export function conflictParts(content: string): readonly ConflictPart[] {
  const lines = content.split("\n");
  // jj makes its markers longer than anything in the file that looks like one.
  const length = lines.reduce((most, line) => Math.max(most, begin.exec(line)?.[1]?.length ?? 0), 0);
  if (length === 0) return content === "" ? [] : [{ kind: "text", text: content }];
  const [opening = "", side = "", base = "", closing = ""] = ["<", "+", "-", ">"].map(
    (sign) => `${sign.repeat(length)} `,
  );
  const parts: ConflictPart[] = [];
  let text: string[] = [];
  let terms: ConflictTerm[] | null = null;
  let term: { readonly kind: ConflictTerm["kind"]; readonly label: string; readonly lines: string[] } | null =
    null;
  const endTerm = (): void => {
    if (term) terms?.push({ kind: term.kind, label: term.label, text: ended(term.lines) });
    term = null;
  };
  const endText = (isLast: boolean): void => {
    const joined = isLast ? text.join("\n") : ended(text);
    if (joined !== "") parts.push({ kind: "text", text: joined });
    text = [];
  };
  for (const line of lines) {
    if (terms === null) {
      if (line.startsWith(opening) && begin.test(line)) {
        endText(false);
        terms = [];
      } else text.push(line);
    } else if (line.startsWith(closing)) {
      endTerm();
      parts.push({ kind: "conflict", terms: terms.some(isUnended) ? terms.map(withoutAddedEnd) : terms });
      terms = null;
    } else if (line.startsWith(side) || line.startsWith(base)) {
      endTerm();
      term = { kind: line.startsWith("+") ? "side" : "base", label: line.slice(length + 1), lines: [] };
    } else term?.lines.push(line);
  }
  // After the last marker comes the newline that ends its line, or nothing if a side had none.
  endText(true);
  return parts;
}

const ended = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
const isUnended = ({ label }: ConflictTerm): boolean => label.endsWith(unended);
const withoutAddedEnd = (term: ConflictTerm): ConflictTerm => ({
  kind: term.kind,
  label: isUnended(term) ? term.label.slice(0, -unended.length) : term.label,
  text: term.text.replace(/\n$/u, ""),
});

/** The author of a side, as far as jj's label tells. */
export interface TermOrigin {
  /** Beginning of a change id, and of a commit id; null where the words name none. */
  readonly change: string | null;
  readonly commit: string | null;
  /** First line of its description. */
  readonly title: string;
  /** What jj did with it: `rebased revision`. Empty where it says nothing. */
  readonly part: string;
}

const labelForm = /^([k-z]+(?:\/\d+)?) ([0-9a-f]+)(?: "(.*)")?(?: \(([^()]*)\))?$/su;

/** Parses the label of a term. */
export function originOf(label: string): TermOrigin {
  const [, change, commit, title = "", part = ""] = labelForm.exec(label) ?? [];
  return change === undefined || commit === undefined
    ? { change: null, commit: null, title: label, part: "" }
    : { change: change.replace(/\/\d+$/u, ""), commit, title, part };
}

/** The whole file as one side or base has it: what is settled, and its text at each place. @param nth place of the term */
export const textOfTerm = (parts: readonly ConflictPart[], nth: number): string =>
  parts.map((part) => (part.kind === "text" ? part.text : (part.terms[nth]?.text ?? ""))).join("");

/** The label of a worker's conflict: users know mutations as decisions. */
export const conflictLabel = (kind: "mutation" | "merge"): string =>
  kind === "mutation" ? "decision conflict" : "merge conflict";
