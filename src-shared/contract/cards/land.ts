import { z } from "zod";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import { lineCounts } from "../../domain/files/line-counts.ts";
import { bookmarkNameProblem } from "../../domain/graph-words/bookmark-name.ts";
import {
  type LandingHistory,
  landingHistories,
  landingHistoryWords,
} from "../../domain/graph-words/landing-text.ts";
import { shownLine, shownName } from "../../domain/text/shown-text.ts";
import { line } from "../fields.ts";
import { decisionKeys } from "./answer-options.ts";
import type { CardBase, CardKind } from "./card.ts";
import { approve, isNo, isYes, reject } from "./yes-or-no.ts";

export interface LandCard extends CardBase {
  readonly kind: "land";
  readonly changeId: string;
  readonly commitId: string;
  readonly diffStat: readonly {
    readonly path: string;
    readonly added: number;
    readonly removed: number;
  }[];
  readonly bookmarks: readonly string[];
  readonly suggested: string | null;
  /** Of those files, the protected ones. Absent on cards of earlier versions. */
  readonly protectedPaths?: readonly string[];
  /** No check ran on it. Absent on cards of earlier versions. */
  readonly isUnchecked?: boolean;
  /** Names of checks that fail on it as they did before the run. Absent on cards of earlier versions. */
  readonly knownFailures?: readonly string[];
  /** Names of checks that fail on it and did not before. Absent on cards of earlier versions. */
  readonly failedChecks?: readonly string[];
  /** The branch that the person stands on with Git. This and what follows is absent on cards of earlier versions. */
  readonly standsOn?: string | null;
  /** What lands where nothing else is said. */
  readonly history?: LandingHistory;
  /** The branch moved on since the run began, and the result was brought onto it. */
  readonly brought?: {
    readonly branch: string;
    readonly commits: readonly string[];
    readonly commitCount: number;
    readonly checks: readonly CheckResult[];
  } | null;
  /** Why a person lets it land against the verdict. Absent where nobody had to. */
  readonly overruled?: string;
  /** What keeps the branch from moving now, and what to do. */
  readonly inTheWay?: string | null;
}

const answer = z.discriminatedUnion("kind", [
  approve.extend({
    bookmark: line(200).optional(),
    /** What lands, where it is not what the card says. */
    history: z.enum(landingHistories).optional(),
  }),
  reject,
]);

export const landKind: CardKind<LandCard, z.infer<typeof answer>> = {
  title: "Result",
  tone: "success",
  gate: "land",
  answer,
  headline: () => "Ready to land",
  from: () => null,
  options: () => [
    { key: decisionKeys.approve, typed: "y", does: "lands on the suggested bookmark" },
    { key: null, typed: "release", does: "lands on the bookmark of that name" },
    { key: decisionKeys.reject, typed: "n", does: "leaves the result where it is" },
  ],
  lines: (item) => [
    `Land ${item.commitId.slice(0, 12)} on ${item.suggested === null ? "a branch" : shownName(item.suggested)}${item.suggested !== null && item.suggested === item.standsOn ? ", where you stand" : ""}, ${landingHistoryWords[item.history ?? "changes"]}`,
    ...broughtLines(item),
    ...(item.inTheWay ? [`  in the way: ${shownLine(item.inTheWay)}`] : []),
    ...item.diffStat.map((file) => `  ${shownName(file.path)} ${lineCounts(file)}`),
    ...(item.protectedPaths ?? []).map((path) => `  protected: ${shownName(path)}`),
    ...(item.overruled === undefined
      ? []
      : [`  against the verdict, because you said: ${shownLine(item.overruled)}`]),
    ...(item.isUnchecked === true ? ["  unchecked: no check ran on it"] : []),
    ...(item.failedChecks ?? []).map((name) => `  fails: ${shownLine(name)}`),
    ...(item.knownFailures ?? []).map((name) => `  fails as before the run: ${shownLine(name)}`),
    `  bookmarks: ${item.bookmarks.map(shownName).join(", ")}${item.suggested ? ` (suggested: ${shownName(item.suggested)})` : ""}`,
  ],
  question: ({ suggested }) =>
    `Branch${suggested ? ` [${suggested}]` : ""}, then ${landingHistories.join(", ")} if you like; or n:`,
  understand(item, typed) {
    if (isNo(typed)) return { kind: "reject", reason: "Not now." };
    const { name, history } = landingWords(typed);
    const bookmark = name === "" || isYes(name) ? item.suggested : name;
    if (bookmark !== null && !item.bookmarks.includes(bookmark) && bookmarkNameProblem(bookmark)) return null;
    return bookmark === null ? null : { kind: "approve", bookmark, ...(history ? { history } : {}) };
  },
  whyNot: (_, typed) => bookmarkNameProblem(typed) ?? "That names no bookmark.",
  answerInAdvance({ suggested, bookmarks }) {
    const bookmark = suggested ?? bookmarks[0];
    return bookmark === undefined ? null : { kind: "approve", bookmark };
  },
};

/** A branch, and behind it what lands: `main tasks`. A branch of such a name is one where nothing stands before it. */
function landingWords(typed: string): { readonly name: string; readonly history?: LandingHistory } {
  const [, name = "", word = ""] = /^(.*?)\s+(\S+)$/u.exec(typed) ?? [];
  const history = landingHistories.find((one) => one === word);
  return history === undefined ? { name: typed } : { name: name.trim(), history };
}

/** What came to the branch since the run began, and what the checks say to both together. */
function broughtLines({ brought }: LandCard): readonly string[] {
  if (!brought) return [];
  const { branch, commits, commitCount, checks } = brought;
  return [
    `  ${shownName(branch)} got ${commitCount} ${commitCount === 1 ? "commit" : "commits"} meanwhile; the result was brought onto ${commitCount === 1 ? "it" : "them"}`,
    ...commits.map((title) => `    ${shownLine(title)}`),
    ...checks.map((check) => `  ${check.outcome} with that: ${shownLine(check.name)}`),
  ];
}
