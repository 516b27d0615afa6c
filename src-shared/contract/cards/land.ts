import { z } from "zod";
import { bookmarkNameProblem } from "../../domain/change-metadata/address.ts";
import {
  type LandingHistory,
  landingHistories,
  landingHistoryLabels,
} from "../../domain/change-metadata/landing-text.ts";
import type { CheckResult } from "../../domain/conversation/conversation.ts";
import { lineCounts } from "../../domain/files/diff.ts";
import { type ForgeKind, forgeNames } from "../../domain/forge/forge-facts.ts";
import { withoutMarks } from "../../domain/forge/pull-request-text.ts";
import { type LandingForm, landingForms, type PublishedForm } from "../../domain/landing/publication.ts";
import { type MissingWork, missingLine } from "../../domain/missing-work/missing-work.ts";
import { outcomeText } from "../../domain/project/preflight.ts";
import { counted } from "../../domain/text/format-text.ts";
import { block, shownLine, shownName } from "../../domain/text/shown-text.ts";
import type { SeatView, ValidationView } from "../../domain/validation/panel.ts";
import { line } from "../fields.ts";
import { approve, type CardBase, type CardKind, decisionKeys, isNo, isYes, reject } from "./card.ts";

/** A pull request that would be opened, with the title and text that would be pushed. Both are inert. */
export interface LandDraft {
  readonly branch: string;
  readonly title: string;
  readonly text: string;
}

/** In each form, the bottom first; each goes to the branch of the one before, the first to the bookmark. */
export type LandDrafts = Readonly<Record<PublishedForm, readonly LandDraft[]>>;

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
  /** Of those files, the protected ones. */
  readonly protectedPaths: readonly string[];
  /** No check ran on it. */
  readonly isUnchecked: boolean;
  /** Names of checks that fail on it as they did before the run. */
  readonly baselineFailures: readonly string[];
  /** Names of checks that fail on it and did not before. */
  readonly failedChecks: readonly string[];
  /** The branch that the user is on in Git. */
  readonly standsOn: string | null;
  /** Where it can be published. Absent: nowhere. */
  readonly forge?: {
    readonly kind: ForgeKind;
    readonly repository: string;
    /** As what it lands by default. */
    readonly form: LandingForm;
    readonly drafts: LandDrafts;
    /** The issue on which Hox comments once, when the drafts are open. Absent: none. */
    readonly linksIssue?: number;
  };
  /** What lands by default. */
  readonly history: LandingHistory;
  /** The commits that land in each form, the lowest first, each with who wrote it. */
  readonly commits: Readonly<
    Record<LandingHistory, readonly { readonly title: string; readonly worker: string | null }[]>
  >;
  /** The branch moved on since the run began, and the result was brought onto it. */
  readonly brought: {
    readonly branch: string;
    readonly commits: readonly string[];
    readonly commitCount: number;
    readonly checks: readonly CheckResult[];
    /** Commits that the run was built on and that left the branch. Absent where none did. */
    readonly left?: readonly { readonly commitId: string; readonly title: string }[];
  } | null;
  /** The branch that the run was for, where there is none of that name any more. */
  readonly goneBranch?: string;
  /** Why the user lands it against the verdict. Absent if nothing was overridden. */
  readonly overruled?: string;
  /** The panel's verdict; null if no panel voted. */
  readonly validation: ValidationView | null;
  /** What the checks say of exactly this commit. */
  readonly checks: readonly CheckResult[];
  /** Work of tasks that is not in it: landing asks for a reason, or has it repaired. */
  readonly missing: readonly MissingWork[];
  /** What keeps the branch from moving now, and what to do. */
  readonly inTheWay: string | null;
}

const answer = z.discriminatedUnion("kind", [
  approve.extend({
    bookmark: line(200).optional(),
    /** As what it lands, where it is not what the card says: the bookmark is then the branch that it is to be merged into. */
    form: z.enum(landingForms).optional(),
    /** Titles of pull requests, where they are not what the card says, by branch. */
    titles: z
      .record(line(300), line(200).trim().min(1))
      .refine((titles) => Object.keys(titles).length <= 100, "are too many titles")
      .optional(),
    /** What lands, where it is not what the card says. */
    history: z.enum(landingHistories).optional(),
    /** Why it lands although work of tasks is missing from it, or a check proves nothing. It is kept on the change. */
    without: z.string().trim().min(1).max(2_000).optional(),
  }),
  // The integrator adds what is missing, and the result is judged again.
  z.strictObject({ kind: z.literal("repair"), words: z.string().trim().max(20_000).optional() }),
  reject,
]);
type LandAnswer = z.infer<typeof answer>;

export const landKind: CardKind<LandCard, LandAnswer> = {
  title: "Result",
  tone: "success",
  gate: "land",
  answer,
  headline: (item) => {
    const { missing } = item;
    const unproven = unprovenChecks(item).length;
    if (missing.length > 0) return `Work of ${counted(missing.length, "task")} is missing from the result`;
    return unproven > 0 ? `${counted(unproven, "check")} proved nothing about the result` : "Ready to land";
  },
  from: () => null,
  options: (item) => [
    ...(item.missing.length === 0 && unprovenChecks(item).length > 0
      ? [
          {
            key: decisionKeys.approve,
            typed: "without I ran the tests myself",
            does: "lands it although these checks prove nothing; your reason is recorded on the change",
          },
        ]
      : item.missing.length === 0
        ? [
            { key: decisionKeys.approve, typed: "y", does: "lands on the suggested bookmark" },
            { key: null, typed: "release", does: "lands on the bookmark with that name" },
            ...(item.forge === undefined
              ? []
              : [
                  {
                    key: null,
                    typed: "pull request",
                    does: `opens a draft pull request on ${forgeNames[item.forge.kind]}`,
                  },
                  { key: null, typed: "stack", does: "opens one for each task, each upon the one below" },
                ]),
          ]
        : [
            {
              key: decisionKeys.approve,
              typed: "repair",
              does: "has the integrator restore the missing work; text after it is passed on",
            },
            {
              key: null,
              typed: "without the task was dropped",
              does: "lands it without that work; your reason is recorded on the change",
            },
          ]),
    { key: decisionKeys.reject, typed: "n", does: "does not land the result" },
  ],
  lines: (item) => [
    `Land ${item.commitId.slice(0, 12)} on ${item.suggested === null ? "a branch" : shownName(item.suggested)}${item.suggested !== null && item.suggested === item.standsOn ? ", where you are" : ""}, ${landingHistoryLabels[item.history]}`,
    ...(item.goneBranch === undefined ? [] : [`  ${goneBranchText(item)}`]),
    ...draftLines(item),
    ...broughtLines(item),
    ...(item.inTheWay ? [`  blocked: ${shownLine(item.inTheWay)}`] : []),
    ...item.commits[item.history].map(
      ({ title, worker }) =>
        `  commit: ${shownLine(title)}${worker === null ? "" : ` (${shownName(worker)})`}`,
    ),
    ...item.diffStat.map((file) => `  ${shownName(file.path)} ${lineCounts(file)}`),
    ...item.protectedPaths.map((path) => `  protected: ${shownName(path)}`),
    ...(item.overruled === undefined
      ? []
      : [`  overriding the verdict. Reason: ${shownLine(item.overruled)}`]),
    ...item.missing.map((work) => `  missing: ${missingLine(work)}`),
    ...votesLines(item),
    ...(item.isUnchecked ? ["  unchecked: no check ran"] : []),
    ...unprovenChecks(item).map(
      ({ name, why = "" }) => `  proves nothing: ${shownLine(name)}. ${shownLine(why)}`,
    ),
    ...item.failedChecks.map((name) => `  fails: ${shownLine(name)}`),
    ...item.baselineFailures.map((name) => `  already failing before the run: ${shownLine(name)}`),
    `  bookmarks: ${item.bookmarks.map(shownName).join(", ")}${item.suggested ? ` (suggested: ${shownName(item.suggested)})` : ""}`,
  ],
  question: (item) => {
    const { suggested, missing } = item;
    if (missing.length === 0 && unprovenChecks(item).length > 0)
      return `Checks prove nothing about it. How do you want to continue? [${suggested === null ? "<branch> " : ""}without <why>, or n]`;
    return missing.length > 0
      ? `Work is missing from it. How do you want to continue? [repair, repair <instructions>, ${suggested === null ? "<branch> " : ""}without <why>, or n]`
      : `Branch${suggested ? ` [${suggested}]` : ""}, then ${landingHistories.join(", ")} (optional); or n:`;
  },
  understand(item, typed) {
    if (isNo(typed)) return { kind: "reject", reason: "Not landed." };
    const isMissing = item.missing.length > 0;
    const [, repair] = /^repair\b[\s,:]*(.*)$/isu.exec(typed) ?? [];
    if (isMissing && repair !== undefined)
      return { kind: "repair", ...(repair === "" ? {} : { words: repair }) };
    const asksWhy = isMissing || unprovenChecks(item).length > 0;
    const [, where = "", without] = (asksWhy && /^(?:(.*?)\s+)?without[\s,:]+(.+)$/isu.exec(typed)) || [];
    if (asksWhy && without === undefined) return null;
    const { name, history, form } = parseLandingInput(asksWhy ? where : typed, item);
    const bookmark = name === "" || isYes(name) ? item.suggested : name;
    if (bookmark !== null && !item.bookmarks.includes(bookmark) && bookmarkNameProblem(bookmark)) return null;
    if (bookmark === null) return null;
    return {
      ...{ kind: "approve", bookmark },
      ...(history ? { history } : {}),
      ...(form ? { form } : {}),
      ...(without === undefined ? {} : { without }),
    };
  },
  whyNot: (item, typed) =>
    item.missing.length === 0 && unprovenChecks(item).length > 0
      ? `${unprovenNames(item)} proved nothing about the result. Give a reason to land it anyway: without <why>.`
      : item.missing.length > 0
        ? "Work of tasks is missing from the result. Type repair, or give a reason to land it without that work: without <why>."
        : (bookmarkNameProblem(typed) ?? "Not a valid bookmark name."),
  refusal(item, { kind, ...decision }) {
    const { missing } = item;
    if (kind === "approve" && missing.length > 0 && !("without" in decision))
      return {
        message: `Work of ${counted(missing.length, "task")} is missing from the result: ${missing.map(({ title }) => shownLine(title)).join(", ")}.`,
        remedy: "Have it repaired, or give a reason to land it without that work.",
      };
    if (kind === "approve" && unprovenChecks(item).length > 0 && !("without" in decision))
      return {
        message: `${unprovenNames(item)} proved nothing about the result.`,
        remedy: "Give a reason to land it anyway, or do not land it.",
      };
    const drafts = Object.values(item.forge?.drafts ?? {}).flat();
    const [unknown] = Object.keys(("titles" in decision && decision.titles) || {}).filter(
      (branch) => !drafts.some((draft) => draft.branch === branch),
    );
    if (unknown !== undefined)
      return {
        message: `No pull request opens from ${shownName(unknown)}.`,
        remedy: "Give titles by the branches that the card lists.",
      };
    if (kind === "repair" && missing.length === 0)
      return {
        message: "No work is missing from this result.",
        remedy: "Land it, or do not land it.",
      };
    return null;
  },
  answerInAdvance(item) {
    const { suggested, bookmarks, missing, failedChecks, overruled, goneBranch, forge } = item;
    // What others will see, the user sees first.
    if (forge !== undefined && forge.form !== "branch") return null;
    // The branch was not chosen yet.
    if (goneBranch !== undefined) return null;
    // Whoever opened the gate meant a whole result, and one that checks speak for.
    if (missing.length > 0 || unprovenChecks(item).length > 0) return null;
    if (failedChecks.length > 0 && overruled === undefined) return null;
    const bookmark = suggested ?? bookmarks[0];
    return bookmark === undefined ? null : { kind: "approve", bookmark };
  },
};

/** Checks that could not be compared with their results before the run: landing asks for a reason. */
export const unprovenChecks = ({ checks }: LandCard): readonly CheckResult[] =>
  checks.filter(({ outcome }) => outcome === "unproven");

const unprovenNames = (item: LandCard): string =>
  unprovenChecks(item)
    .map(({ name }) => shownName(name))
    .join(", ");

/** The verdict, and who rejects it for what reason. */
function votesLines({ validation }: LandCard): readonly string[] {
  if (!validation || validation.seats.length === 0) return [];
  const counts = (wanted: SeatView["vote"]) => validation.seats.filter(({ vote }) => vote === wanted);
  return [
    `  votes: ${counts("approve").length} of ${validation.seats.length} approve`,
    ...counts("reject").map(({ seat, reason }) => `  ${shownName(seat)} rejects: ${shownLine(reason)}`),
  ];
}

/**
 * A branch, followed by what lands: `main tasks`. A branch with such a name is meant if nothing comes before
 * it.
 */
function parseLandingInput(
  typed: string,
  { forge }: Pick<LandCard, "forge">,
): { readonly name: string; readonly history?: LandingHistory; readonly form?: LandingForm } {
  const form = /^(?:pull request|pr|stack)$/iu.exec(typed.trim())?.[0].toLowerCase();
  if (forge !== undefined && form !== undefined)
    return { name: "", form: form === "stack" ? "stack" : "pull_request" };
  const [, name = "", word = ""] = /^(.*?)\s+(\S+)$/u.exec(typed) ?? [];
  const history = landingHistories.find((one) => one === word);
  return history === undefined ? { name: typed } : { name: name.trim(), history };
}

/** What would appear on the forge: in full in the form that is preset, else in a line for each. */
function draftLines({ forge, suggested }: LandCard): readonly string[] {
  if (forge === undefined) return [];
  const { drafts, form, kind, repository, linksIssue } = forge;
  const listed = (one: PublishedForm): readonly string[] =>
    drafts[one].flatMap(({ branch, title, text }, at) => [
      `    draft: ${shownLine(title)}`,
      `      ${shownName(branch)} → ${shownName(baseOfDraft(drafts[one], at, suggested ?? "the branch that you name"))}`,
      ...(one === form ? block(withoutMarks(text)).map((each) => `    ${each}`) : []),
    ]);
  return [
    `  ${form === "branch" ? "or as" : "as"} a pull request to ${shownName(repository)} on ${forgeNames[kind]}`,
    ...(form === "stack" ? [] : listed("pull_request")),
    ...(drafts.stack.length > 1 && form !== "pull_request"
      ? ["  or as a stack, each upon the one below", ...listed("stack")]
      : []),
    ...(linksIssue === undefined ? [] : [`  ${issueCommentNote(linksIssue)}`]),
  ];
}

/** The branch that a draft goes to. @param bookmark the branch that the result is for */
export const baseOfDraft = (
  drafts: readonly Pick<LandDraft, "branch">[],
  at: number,
  bookmark: string,
): string => drafts[at - 1]?.branch ?? bookmark;

/** What else appears when the drafts are open. */
export const issueCommentNote = (issue: number): string =>
  `Then Hox comments once on issue #${issue}, with links to what it opened; merging closes the issue.`;

/** That the branch of a run is gone, and where its result goes instead. */
export const goneBranchText = ({ goneBranch = "", suggested }: LandCard): string =>
  `Branch ${shownName(goneBranch)} no longer exists. ${suggested === null ? "Choose where the result lands" : `The result lands on ${shownName(suggested)} unless you choose another branch`}; ${shownName(goneBranch)} would be created again.`;

/** What became of commits that left the branch while a run was built on them, and how to keep them. */
export const leftText = (branch: string, count: number): string =>
  `${counted(count, "commit")} that this run is based on ${count === 1 ? "is" : "are"} no longer on ${shownName(branch)} and will not land. To keep ${count === 1 ? "it, add it" : "them, add them"} to ${shownName(branch)} before you land:`;

/** The branch's new commits since the run began, and the checks on both together. */
function broughtLines({ brought }: LandCard): readonly string[] {
  if (!brought) return [];
  const { branch, commits, commitCount, checks, left = [] } = brought;
  return [
    ...(commitCount === 0
      ? []
      : [
          `  ${shownName(branch)} received ${commitCount} ${commitCount === 1 ? "commit" : "commits"} during the run; the result was moved onto ${commitCount === 1 ? "it" : "them"}`,
        ]),
    ...commits.map((title) => `    ${shownLine(title)}`),
    ...(left.length === 0 ? [] : [`  ${leftText(branch, left.length)}`]),
    ...left.map(({ commitId, title }) => `    git cherry-pick ${commitId.slice(0, 12)}  ${shownLine(title)}`),
    ...checks.map((check) => `  ${outcomeText[check.outcome]} with that: ${shownLine(check.name)}`),
  ];
}
