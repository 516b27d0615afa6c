/** What there is to look at in a review: the files that changed since the archangel looked, as far as it watches them. */

import type { Archangel } from "#shared/domain/archangel/archangel.ts";
import {
  type DueReview,
  type SeenWork,
  seenBy,
  wholeWakes,
  workWakes,
} from "#shared/domain/archangel/archangel-records.ts";
import { diffOfFiles, filesOfDiff } from "#shared/domain/files/diff.ts";
import { globMatcher } from "#shared/domain/files/glob.ts";
import { filesSince } from "#shared/domain/sessions/outside-session.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { shownName } from "#shared/domain/text/shown-text.ts";
import { roles } from "#shared/domain/worker/roles.ts";
import { reassignedTo } from "#shared/domain/worker/worker-record.ts";
import { JjError } from "../../../../jj/errors.ts";
import { readChange } from "../../../graph-sync/read-change.ts";
import type { Run, RunGraph, RunReader } from "../../../ports.ts";
import { isWatch } from "../../../workers/hierarchy.ts";
import { sessionsOf } from "../outside-sessions/feature.ts";
import { folderDiff, type Texts } from "./folder-diff.ts";

/** Somebody's work as it is now. */
export interface WorkToSee extends SeenWork {
  /** Of its files, cut. */
  readonly diff: string;
  /** Its files as they are, where they are the user's own. */
  readonly texts?: Texts;
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
async function workOf(
  run: RunReader & RunGraph,
  archangel: Archangel,
  who: string,
): Promise<WorkToSee | null> {
  const { commitId: commit } = await readChange(run, run.worker(who).record.changeId ?? "");
  const before = seenBy(run.facts.archangels, archangel.name)[who];
  if (before === commit) return null;
  const { diff, files } = await newIn(run, who, commit, before);
  const watched = files.filter(watches(archangel));
  return { who, commit, files: watched, diff: cut(diffOfFiles(diff, new Set(watched))) };
}

/** What the work does that it did not do before; what was rewritten below it meanwhile is not of it. */
async function newIn(
  run: RunReader & RunGraph,
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
