/** Prompts of an archangel: everything in the first, then only what is new. (AX-10) */

import { createTwoFilesPatch, OMIT_HEADERS } from "diff";
import type { Archangel, ArchangelWake } from "#shared/domain/archangel/archangel.ts";
import type {
  CommentRecord,
  Moment,
  ReviewedMaterial,
  SeenWork,
} from "#shared/domain/archangel/archangel-records.ts";
import {
  type DueReview,
  deliveryTo,
  newReplies,
  seenBy,
  wholeWakes,
  workWakes,
} from "#shared/domain/archangel/archangel-records.ts";
import { diffOfFiles, filesOfDiff, quotedByGit } from "#shared/domain/files/diff.ts";
import { globMatcher } from "#shared/domain/files/glob.ts";
import { mayHoldSecrets } from "#shared/domain/files/protected-files.ts";
import { type Orientation, planText, todosText } from "#shared/domain/orientation/run-orientation.ts";
import { filesSince } from "#shared/domain/sessions/outside-session.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import {
  type PromptText,
  pathLines,
  prompt,
  promptLine,
  quoteText,
  section,
} from "#shared/domain/text/prompt-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { reassignedTo } from "#shared/domain/worker/worker-record.ts";
import { JjError } from "../../../../jj/process/errors.ts";
import { ToolFailure } from "../../../../tools/tool-interface.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { isWatch } from "../../../workers/hierarchy.ts";
import { orientationOf } from "../../agents/orientation/feature.ts";
import { sessionsOf } from "../outside-sessions/feature.ts";

export function reviewPrompt(
  run: Run,
  archangel: string,
  due: DueReview,
  work: readonly WorkToSee[],
): { readonly text: PromptText; readonly delivered: ReviewedMaterial } {
  const delivery = deliveryTo(run.facts.archangels, archangel);
  const oriented = orientationOf(run, null);
  const { plan: planHash = null, todos: todosHash = null } = oriented?.hashes ?? {};
  const isFirst = !delivery.initialized;
  const value = oriented?.value ?? null;
  const text = prompt(
    promptLine`[REVIEW]`,
    ...(value === null
      ? []
      : isFirst
        ? everything(value)
        : [
            planHash === delivery.planHash ? nothing : section("Update: the plan", planLines(value)),
            todosHash === delivery.todosHash
              ? nothing
              : section("Update: the task list", [quoteText(todosText(value.todos))]),
            due.moments.some(({ wake }) => wake === "decision_applied")
              ? section("Update: the decisions", decisionLines(value))
              : nothing,
          ]),
    section("What happened", due.moments.map(momentLine)),
    ...work.filter(({ files }) => files.length > 0).map((one) => workSection(run, one)),
    section("Answers to your comments", due.replied.flatMap(replyLines)),
    endLine,
  );
  const delivered: ReviewedMaterial = {
    upTo: due.upTo,
    planHash,
    todosHash,
    seen: seenAs(work),
    heard: Object.fromEntries(due.replied.map(({ id, replies }) => [id, replies.length])),
  };
  return { text, delivered };
}

/**
 * What there is to look at in a review: the files that changed since the archangel looked, as far as it watches them.
 *
 * Somebody's work as it is now.
 */
interface WorkToSee extends SeenWork {
  /** Of its files, cut. */
  readonly diff: string;
  /** Its files as they are, where they are the user's own. */
  readonly texts?: Texts;
}

/** Texts of files, by path. */
export type Texts = ReadonlyMap<string, string>;

/** Longer files are named, and not compared. */
const maxTextLength = 400_000;

/** Added and removed lines that are always shown, however busy the machine is. */
const surelyShownLines = 300;
/** Of comparing one file with more of them; agents and the window wait meanwhile. */
const maxDurationMs = 200;

/**
 * What a user's folder has beyond what an archangel knows of it. Read only: jj would record the folder.
 *
 * Diff of files in the folder, and their texts.
 *
 * @param seen as the archangel saw them last; the others are compared with the run's first commit
 */
async function folderDiff(
  run: Pick<Run, "facts" | "repository" | "workspaces">,
  files: readonly string[],
  seen: Texts,
): Promise<{ readonly diff: string; readonly texts: Texts }> {
  const base = run.facts.onto?.commitId;
  const unseen = files.filter((path) => !seen.has(path));
  const recorded: Texts =
    base === undefined || unseen.length === 0 ? new Map() : await run.repository.readTexts(base, unseen);
  const access = run.workspaces.home().files();
  const texts = new Map<string, string>();
  const parts: string[] = [];
  for (const path of files.filter((one) => !mayHoldSecrets(one))) {
    const text = await access.readText(path).then(
      (file) => file.text,
      (error: unknown) => {
        // Not text, or not readable: only its name is reported.
        if (error instanceof ToolFailure) return null;
        throw error;
      },
    );
    const before = seen.get(path) ?? recorded.get(path) ?? "";
    if (text === null || Math.max(text.length, before.length) > maxTextLength) continue;
    texts.set(path, text);
    if (text !== before) parts.push(fileDiff(path, before, text));
  }
  return { diff: parts.join(""), texts };
}

/** A file's diff as Git writes it; nothing where it takes too long. */
export function fileDiff(path: string, before: string, text: string): string {
  const hunksWithin = (limit: { readonly maxEditLength: number } | { readonly timeout: number }) =>
    createTwoFilesPatch("", "", before, text, "", "", { context: 3, headerOptions: OMIT_HEADERS, ...limit });
  const hunks = hunksWithin({ maxEditLength: surelyShownLines }) ?? hunksWithin({ timeout: maxDurationMs });
  if (hunks === undefined) return "";
  const [from, to] = [quotedByGit(`a/${path}`), quotedByGit(`b/${path}`)];
  return `diff --git ${from} ${to}\n--- ${before === "" ? "/dev/null" : from}\n+++ ${to}\n${hunks}`;
}

/** Characters of one work's diff in a prompt. */
const maxDiffLength = 40_000;
/** Longer ones are not read to their end. */
const maxReadLength = 4_000_000;

export async function workToSee(
  run: Run,
  archangel: Archangel,
  due: DueReview,
  /** Files of the user's folder as it saw them last. */
  texts: Texts,
): Promise<readonly WorkToSee[]> {
  const work: WorkToSee[] = [];
  for (const who of workersToSee(run, due)) {
    const seen = await workOf(run, archangel, who);
    if (seen !== null) work.push(seen);
  }
  for (const { who } of due.moments.filter(({ wake }) => wake === "session_turn")) {
    const turns = run.facts.sessionTurns;
    const turn = Object.hasOwn(turns, who) ? turns[who] : undefined;
    if (turn === undefined) continue;
    const known = Number(seenBy(run.facts.archangels, archangel.name)[who] ?? 0);
    const isOthers = isReviewedByWatch(run, who);
    const files = isOthers ? [] : filesSince(turn, known).filter(watches(archangel));
    const found = await folderDiff(run, files, texts);
    work.push({ who, commit: null, turn: turn.nth, files, diff: cut(found.diff), texts: found.texts });
  }
  return work;
}

/** A watch reviews the user's folder already: no turn is paid for twice. */
const isReviewedByWatch = (run: Run, session: string): boolean =>
  !isWatch(run) && run.others().some(isWatch) && !sessionsOf(run).isInWorkspace(session);

/** The workers in the moments; all workers after some moments. */
function workersToSee(run: RunReader, { moments }: DueReview): readonly string[] {
  const isWhole = moments.some(({ wake }) => wholeWakes.includes(wake));
  const from = isWhole ? run.facts.archangels.last : moments;
  const names = new Set(from.flatMap(({ wake, who }) => (workWakes.includes(wake) ? [who] : [])));
  return [...names].filter((name) => {
    const record = run.workers.get(name)?.record;
    return (
      record && record.changeId !== null && reassignedTo(record) === null && record.status !== "abandoned"
    );
  });
}

/** @returns null where nothing is new */
async function workOf(run: Run, archangel: Archangel, who: string): Promise<WorkToSee | null> {
  const { commitId: commit } = await readChange(run, run.worker(who).record.changeId ?? "");
  const before = seenBy(run.facts.archangels, archangel.name)[who];
  if (before === commit) return null;
  const { diff, files } = await newIn(run, who, commit, before);
  const watched = files.filter(watches(archangel));
  return { who, commit, files: watched, diff: cut(diffOfFiles(diff, new Set(watched))) };
}

/** What the work does that it did not do before; what was rewritten below it meanwhile is not of it. */
async function newIn(
  run: Run,
  who: string,
  commit: string,
  before: string | undefined,
): Promise<{ readonly diff: string; readonly files: readonly string[] }> {
  if (before !== undefined)
    try {
      return await run.repository.interdiff({ from: before, to: commit });
    } catch (error) {
      // jj has garbage-collected what was seen: send everything again.
      if (!(error instanceof JjError) || error.kind !== "no-such-revision") throw error;
    }
  const base = roles[run.worker(who).record.role].isLead ? run.orchestratorFacts(who).base : null;
  const from = base === null ? {} : { from: (await readChange(run, base)).commitId };
  return {
    diff: await run.repository.diff({ commit, ...from, limit: maxReadLength }),
    files: await run.repository.diffFiles({ commit, ...from }),
  };
}

const watches = ({ paths }: Archangel): ((path: string) => boolean) => {
  const matchers = paths.map((path) => globMatcher(path));
  return (path) => matchers.length === 0 || matchers.some((isMatch) => isMatch(path));
};

function cut(diff: string): string {
  if (diff.length <= maxDiffLength) return diff;
  const rest = filesOfDiff(diff).flatMap(({ path, at }) => (at >= maxDiffLength ? [shownName(path)] : []));
  return `${startOf(diff, maxDiffLength)}\n\n… the rest is left out${rest.length === 0 ? "" : `, all of ${rest.join(", ")} among it`}. read_work shows each file.`;
}

/** Whether a review would see nothing that the archangel watches: then its model is not called. */
export const isNothingToSee = (
  { paths }: Archangel,
  { moments, replied }: DueReview,
  work: readonly WorkToSee[],
): boolean =>
  replied.length === 0 &&
  work.every(({ files }) => files.length === 0) &&
  moments.every(
    ({ wake }) =>
      workWakes.includes(wake) ||
      wake === "idle" ||
      wake === "session_turn" ||
      (wake === "phase_end" && paths.length > 0),
  );

/** As what each work counts as seen: its commit, or the turn of a session. By whose it is. */
export const seenAs = (work: readonly WorkToSee[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    work.flatMap(({ who, commit, turn }) => {
      const seen = commit ?? turn?.toString();
      return seen === undefined ? [] : [[who, seen]];
    }),
  );

const nothing: PromptText = section("", []);

/** Ends every review. */
export const endLine: PromptText = promptLine`Comment or suggest if it helps, then end with nothing_to_say.`;

const everything = (value: Orientation): readonly PromptText[] => [
  section("Goal", [quoteText(value.goal)]),
  section("Plan", value.plan === null ? [promptLine`There is none yet.`] : planLines(value)),
  section("Task list", [quoteText(todosText(value.todos))]),
  section("Decisions", decisionLines(value)),
];

/** What it has to know however much of its conversation was left out. */
export function whatArchangelKnows(run: Run): PromptText {
  const value = orientationOf(run, null)?.value;
  return value ? prompt(...everything(value)) : nothing;
}

const planLines = ({ plan }: Orientation): readonly PromptText[] =>
  plan === null ? [promptLine`There is none any more.`] : [quoteText(planText(plan))];

const decisionLines = ({ decisions }: Orientation): readonly PromptText[] =>
  decisions.map(({ title, reason }) => promptLine`- ${title}: ${reason}`);

const happened: Readonly<Record<ArchangelWake, string>> = {
  iteration_saved: "saved an iteration",
  merge_requested: "offers its work as finished",
  plan_changed: "has a plan that is new or another one",
  decision_applied: "applied a decision",
  phase_end: "finished a phase",
  idle: "waits; nothing has moved for a while",
  session_turn: "ended a turn, in the user's own terminal",
};

const momentLine = ({ who, wake }: Moment): PromptText => promptLine`- ${who}: ${happened[wake]}.`;

function workSection(run: Run, { who, commit, files, diff }: WorkToSee): PromptText {
  const oriented = commit === null ? sessionsOf(run).orientationOf(who) : orientationOf(run, who);
  const value = oriented?.value ?? null;
  const step = value?.plan?.step ?? null;
  return section(`Work of ${who}`, [
    ...(value === null ? [] : [promptLine`For the goal: ${value.goal}`]),
    ...(step === null
      ? []
      : [promptLine`It is step ${step} of the plan: ${value?.plan?.steps[step - 1]?.title ?? ""}`]),
    ...(commit === null && value?.plan ? [promptLine`Its own plan:`, ...planLines(value)] : []),
    ...(value === null || value.todos.length === 0
      ? []
      : [promptLine`Its own steps:`, quoteText(todosText(value.todos))]),
    promptLine`Files that are new to you:`,
    ...pathLines(files),
    ...(diff === "" ? [] : [promptLine`What changed in them since you looked:`, quoteText(diff)]),
  ]);
}

const replyLines = (comment: CommentRecord): readonly PromptText[] => [
  promptLine`- To ${comment.id} (${comment.path ?? "the change"}: ${comment.text})`,
  ...newReplies(comment).map(
    ({ by, text }) => promptLine`  ${by === "you" ? "the user" : by} answers: ${text}`,
  ),
];
