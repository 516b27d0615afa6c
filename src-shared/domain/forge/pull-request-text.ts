/** Title and text of a pull request, from what a run came to. Pure: the same report gives the same text. */
import { contentHash } from "../text/content-hash.ts";
import { shortened } from "../text/format-text.ts";
import { inertLine, inertText, inertTitle } from "./forge-text.ts";

/** What a pull request says. Every text may be an agent's. */
export interface PullRequestReport {
  readonly title: string;
  readonly goal: string;
  /** What changed and why. */
  readonly summary: string;
  readonly decisions: readonly { readonly title: string; readonly reason: string }[];
  readonly tasks: readonly string[];
  readonly checks: readonly { readonly name: string; readonly outcome: string }[];
  /** Null: nobody voted. */
  readonly votes: { readonly approved: number; readonly seats: number } | null;
  readonly microDollars: number | null;
  /** What is left to do or to look at. */
  readonly open: readonly string[];
  /** Files or tasks that no reviewer and no validator was shown. */
  readonly unreviewed: readonly string[];
  /** The issue that the run began from, by `issueReference`; whether merging closes it is for the user to say. */
  readonly issue: { readonly reference: string; readonly closes: boolean } | null;
  /** Its place in a stack, 1 is the bottom. */
  readonly part: { readonly position: number; readonly size: number } | null;
}

export interface PullRequestText {
  readonly title: string;
  readonly text: string;
}

/** The text that a forge holds, or what it would hold after an update. */
const limits = { text: 6_000, item: 300, items: 50, whole: 60_000 };

const end = "<!-- hox:end -->";
const beginLine = /^<!-- hox:begin text=([0-9a-f]{16}) title=([0-9a-f]{16}) -->$/u;

const isBegin = (line: string): boolean => beginLine.test(line);

/**
 * A new pull request. Hox's part is between two marks, with which a later round finds it again.
 */
export function newPullRequestText(report: PullRequestReport): PullRequestText {
  const title = inertTitle(report.title);
  return { title, text: ownPart(bodyOf(report), title) };
}

const ownPart = (body: string, title: string): string =>
  `<!-- hox:begin text=${contentHash(body)} title=${contentHash(title)} -->\n${body}\n${end}`;

/** The same under a title that the user gave it. A later round leaves that title as it is. */
export const retitled = ({ title, text }: PullRequestText, given: string): PullRequestText =>
  given === title
    ? { title, text }
    : { title: given, text: text.replace(/(?<=^<!-- hox:begin [^\n]*title=)[0-9a-f]{16}/u, contentHash("")) };

/** The text as a page shows it: without the marks. */
export const withoutMarks = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !isBegin(line) && line !== end)
    .join("\n");

export interface TextUpdate extends PullRequestText {
  /** What a user edited, so that it stays as it is. */
  readonly kept: readonly ("title" | "text")[];
}

/**
 * The text after a later round. Only what Hox wrote and nobody edited since is replaced.
 *
 * @param current as the forge has it now
 */
export function updatedPullRequestText(current: PullRequestText, report: PullRequestReport): TextUpdate {
  const lines = current.text.split(/\r?\n/u);
  const begin = lines.findIndex(isBegin);
  const last = lines.indexOf(end, begin + 1);
  const marks = beginLine.exec(lines[begin] ?? "");
  const isOne = lines.filter(isBegin).length === 1 && lines.filter((line) => line === end).length === 1;
  const own = begin < 0 || last < 0 || !marks || !isOne ? null : lines.slice(begin + 1, last).join("\n");
  if (own === null || contentHash(own) !== marks?.[1]) return { ...current, kept: ["title", "text"] };
  const isOwnTitle = contentHash(current.title) === marks[2];
  const title = isOwnTitle ? inertTitle(report.title) : current.title;
  const part = ownPart(bodyOf(report), isOwnTitle ? title : "");
  const text = [...lines.slice(0, begin), part, ...lines.slice(last + 1)].join("\n");
  return { title, text, kept: isOwnTitle ? [] : ["title"] };
}

function bodyOf(report: PullRequestReport): string {
  const { goal, summary, decisions, tasks, checks, votes, microDollars, open, unreviewed, issue, part } =
    report;
  const sections = [
    ["Goal", [inertText(goal, limits.text)]],
    ["What changed and why", [inertText(summary, limits.text)]],
    [
      "Decisions",
      items(decisions.map(({ title, reason }) => `${title}${reason === "" ? "" : `: ${reason}`}`)),
    ],
    ["Tasks", items(tasks)],
    ["Checks", items(checks.map(({ name, outcome }) => `${name}: ${outcome}`))],
    ["Votes", votes === null ? [] : [`${votes.approved} of ${votes.seats} validators approved.`]],
    ["Open", items(open)],
    ["Not reviewed by anyone", items(unreviewed)],
  ] as const;
  const place =
    part === null ? [] : [`Part ${part.position} of ${part.size}; the parts below are merged first.`];
  const origin = issue === null ? [] : [`${issue.closes ? "Closes" : "For"} ${issue.reference}.`];
  const cost = microDollars === null ? "" : ` Models cost $${(microDollars / 1e6).toFixed(2)}.`;
  const body = [
    ...place,
    ...origin,
    ...sections.flatMap(([name, lines]) => {
      const text = lines.join("\n");
      return text.trim() === "" ? [] : [`### ${name}\n\n${text}`];
    }),
    `_Written by coding agents with Hox.${cost} Hox updates this part and leaves the rest of the text alone._`,
  ];
  return fitting(body);
}

/** Whole sections up to what the smaller of the forges accepts; the last one always stays. */
function fitting(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  let room = limits.whole - last.length;
  const kept = parts.slice(0, -1).filter((part) => {
    if (part.length > room) return false;
    room -= part.length;
    return true;
  });
  return [...kept, last].join("\n\n");
}

function items(texts: readonly string[]): readonly string[] {
  const lines = texts
    .slice(0, limits.items)
    .map((text) => `- ${inertLine(shortened(text.trim(), limits.item))}`);
  const rest = texts.length - limits.items;
  return rest > 0 ? [...lines, `- and ${rest} more`] : lines;
}
