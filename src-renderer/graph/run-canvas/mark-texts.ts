/** Marks of a timeline in words, a sign and a tone. */

import { shownLine } from "#shared/domain/text/shown-text.ts";
import type { TrackMark } from "#shared/domain/timeline/timeline.ts";
import { clockTime } from "../../features/run/stages.ts";

export type MarkTone = "plain" | "good" | "danger";

/** One line, with when it was. */
export const markLabel = (mark: TrackMark): string => `${words(mark)} at ${clockTime(mark.at)}`;

function words(mark: TrackMark): string {
  switch (mark.kind) {
    case "began":
      return `${mark.worker} started`;
    case "iteration":
      return `${mark.worker}, iteration ${mark.iteration}${checksOf(mark.failed)}`;
    case "contracts":
      return "contracts written";
    case "phase":
      return `phase ${mark.phase} started`;
    case "offered":
      return `${mark.worker} opened a merge request`;
    case "sent-back":
      return `the work of ${mark.worker} was sent back`;
    case "merged":
      return `the work of ${mark.worker} was merged`;
    case "done":
      return `${mark.worker} is done`;
    case "abandoned":
      return `${mark.worker} was abandoned`;
    case "undone":
      return `the work of ${mark.worker} was undone`;
    case "conflict":
      return `${mark.worker} has a conflict${mark.cause ? `: ${shownLine(mark.cause.description)}` : ""}`;
    case "contradiction":
      return `${mark.worker} contradicts a decision`;
    case "reassigned":
      return `${mark.worker} took over from ${mark.from}`;
    case "integrated":
      return "integrated";
    case "landed":
      return "landed";
    case "landing-undone":
      return "landing undone";
    case "landing-redone":
      return "landed again";
    case "judged":
      return `judged: ${mark.verdict}`;
    case "ended":
      return `ended: ${shownLine(mark.by)}`;
  }
}

const checksOf = (failed: readonly string[] | null): string =>
  failed === null
    ? ""
    : failed.length === 0
      ? ", checks passed"
      : `, failed: ${failed.map((name) => shownLine(name)).join(", ")}`;

/** Beside the bead, where there is room. */
export function markSign(mark: TrackMark): string | null {
  switch (mark.kind) {
    case "iteration":
      return mark.failed === null ? null : mark.failed.length === 0 ? "✓" : "✕";
    case "conflict":
    case "contradiction":
      return "✕";
    case "sent-back":
    case "undone":
      return "↩";
    default:
      return null;
  }
}

export function toneOfMark(mark: TrackMark): MarkTone {
  switch (mark.kind) {
    case "iteration":
      return mark.failed === null ? "plain" : mark.failed.length === 0 ? "good" : "danger";
    case "judged":
      return mark.verdict === "approved" ? "good" : "danger";
    case "conflict":
    case "contradiction":
    case "abandoned":
      return "danger";
    case "merged":
    case "done":
    case "landed":
    case "landing-redone":
    case "integrated":
      return "good";
    default:
      return "plain";
  }
}
