import { isBlocking, outcomeText } from "../project/first-look.ts";
import { shortened } from "../text/cut-text.ts";
import { type FoldEvent, type FoldRules, isGreen } from "./fold.ts";

/** Maximum length of a quoted text in one line, in characters: updates accompany an event. */
const longest = 300;

/** A quoted text as part of one line. */
export function inOneLine(words: string): string {
  const line = words.trim().replaceAll(/\s+/gu, " ");
  return shortened(line, longest);
}

/**
 * A child's merge request as an update for its parent's next event, including reviews by others. (HYLO-12,
 * HYLO-14: child complete, checks, first review)
 *
 * @param child name and title of the worker, and its summary
 * @returns one line, or null for the parent's own reviews and for intermediate steps
 */
export function foldNews(
  child: { readonly name: string; readonly title: string; readonly summary: string },
  event: FoldEvent,
  rules: FoldRules,
): string | null {
  const { name, title, summary } = child;
  switch (event.kind) {
    case "Merged":
      return `${name} is done, and its work is merged (${title}): ${inOneLine(summary) || "no summary"}`;
    case "Checked":
      return isGreen(event.checks)
        ? null
        : `Checks of ${name} failed in a fresh checkout: ${event.checks
            .flatMap((check) => (isBlocking(check) ? [`${check.name} ${outcomeText[check.outcome]}`] : []))
            .join(", ")}`;
    case "Reviewed": {
      const { by, verdict, words } = event.review;
      // A reviewing parent sees earlier reviews with the work itself.
      if (by === "first" && rules.review === "parent") return null;
      // It judged in a separate conversation; what it approved is reported when it is merged.
      if (by === "parent" && verdict === "approved") return null;
      if (by === "parent" && verdict === "passed-on")
        return `You escalated the work of ${name}: ${inOneLine(words)}`;
      if (by === "parent") return `You asked ${name} for changes: ${inOneLine(words)}`;
      const who = by === "first" ? "The first reviewer" : "The user";
      return `${who} ${verdict === "approved" ? `approves the work of ${name}` : `asks ${name} for changes`}${
        words.trim() === "" ? "" : `: ${inOneLine(words)}`
      }`;
    }
    case "Offered":
    case "Reopened":
    case "Withdrawn":
      return null;
    default: {
      const never: never = event;
      return never;
    }
  }
}
