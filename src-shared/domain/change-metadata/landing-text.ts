/** The form of a landed result: its commits, their descriptions and contributors. */

import { trailerKeys } from "./metadata.ts";
import { parseDescription } from "./trailers.ts";
import { addTrailers, trailerLine, withoutHoxTrailers } from "./write-trailers.ts";

/** `changes` as they are, one commit for each of the `tasks`, or `one` for all. */
export const landingHistories = ["changes", "tasks", "one"] as const;
export type LandingHistory = (typeof landingHistories)[number];

/** For the user to choose. */
export const landingHistoryLabels: Readonly<Record<LandingHistory, string>> = {
  changes: "all changes, unmodified",
  tasks: "one commit per task",
  one: "one commit",
};

/** Somebody other than the author who had a part in it. Nobody has this address: `.invalid` is kept for that. */
export const coAuthor = (worker: string, model: string): string =>
  `${worker} (${model.replaceAll(/[<>\r\n]/gu, " ")}) <${worker.replaceAll(/[^A-Za-z0-9.-]/gu, "-")}@hox.invalid>`;

/** Always lands, so that it is in the history. */
const overruledKey = trailerKeys.overruled;

export interface LandingTextOptions {
  /** Whether the lines of Hox stay. */
  readonly keepsTrailers: boolean;
  /** Whether the figures of the run stay where the other lines go. */
  readonly keepsMetrics: boolean;
  /** As `coAuthor` writes them. */
  readonly coAuthors: readonly string[];
}

/**
 * A description for landing.
 * @param description as on the graph
 * @returns without Hox's metadata unless wanted, and with the contributors
 */
export function landingText(
  description: string,
  { keepsTrailers, keepsMetrics, coAuthors }: LandingTextOptions,
): string {
  const text = keepsTrailers
    ? description
    : withoutHoxTrailers(description, [overruledKey, ...(keepsMetrics ? ["Hox-Metrics"] : [])]);
  return addTrailers(text, "Co-authored-by", coAuthors);
}

/**
 * The description of one commit for several changes.
 * @param subject its first line
 * @param parts descriptions of the changes, in order; their subjects become a list
 * @param kept metadata of the result that lands, the reasons of overridden verdicts, the decision record of
 *   contracts, and whose metadata is kept
 */
export function landingTextOfSeveral(
  subject: string,
  parts: readonly string[],
  words: LandingTextOptions,
  kept: {
    readonly metrics?: string | undefined;
    readonly overruled?: readonly string[];
    readonly record?: string | null;
    /** Descriptions whose lines of Hox stay where they are wanted; of one key the last one counts. */
    readonly lines?: readonly string[];
  } = {},
): string {
  const line = (subject.split("\n")[0] ?? "").trim();
  const titles = [...new Set(parts.map((part) => parseDescription(part).subject))].filter(
    (title) => title !== "" && title !== line,
  );
  const body = titles.length === 0 ? "" : `\n${titles.map((title) => `- ${title}\n`).join("")}`;
  const { metrics, overruled = [], record = null, lines = [] } = kept;
  const written = `${line}\n${body}${record === null ? "" : `\n${record}\n`}`;
  const text = addTrailers(written, "Co-authored-by", words.coAuthors);
  const own = words.keepsTrailers
    ? lines.flatMap((description) =>
        parseDescription(description).trailers.filter(({ key }) => key.startsWith("Hox-")),
      )
    : [];
  const described = addTrailers(
    own.reduce((all, { key, value }) => addTrailers(all, key, [trailerLine(value)]), text),
    overruledKey,
    overruled,
  );
  return metrics !== undefined && (words.keepsMetrics || words.keepsTrailers)
    ? addTrailers(described, "Hox-Metrics", [metrics])
    : described;
}
