import { noteBlock } from "#shared/domain/change-metadata/change-note.ts";
import {
  coAuthor,
  type LandingHistory,
  type LandingTextOptions,
  landingText,
  landingTextOfSeveral,
} from "#shared/domain/change-metadata/landing-text.ts";
import { inertTitle } from "#shared/domain/forge/forge-text.ts";
import { issueGoal } from "#shared/domain/forge/issue-text.ts";
import { decisionRecordIn } from "#shared/domain/plan/decision-record.ts";
import { shortened } from "#shared/domain/text/format-text.ts";
import type { Change } from "#shared/graph/change.ts";
import type { LandingOrder } from "../../../../jj/ports/git-interop.ts";
import { rootCommit } from "../../../../jj/ports/graph-reader.ts";
import type { JjError } from "../../../../jj/process/errors.ts";
import { patternBookmark } from "../../../../patterns/patterns-interface.ts";
import { modelOf } from "../../../conversations/conversation-factory.ts";
import { EngineRefusal } from "../../../engine-errors.ts";
import { trunkOf } from "../../../graph-sync/run-base.ts";
import type { Run, RunReader } from "../../../ports.ts";
import { rootOf } from "../../../workers/hierarchy.ts";

/** What lands of a result, and the form that it takes: the wished one where that can be. */
export interface PlannedLanding {
  readonly history: LandingHistory;
  readonly order: LandingOrder;
  /** The changes of the run in it, the lowest first. */
  readonly ours: readonly Change[];
}

/** Letters that a subject should not exceed. */
const maxSubjectLength = 72;

/** Plans what lands. Changes nothing. */
export async function landingOrder(
  run: Run,
  result: Change,
  wished: LandingHistory,
): Promise<PlannedLanding> {
  const onto = run.facts.onto?.commitId ?? null;
  const series = (await run.repository.changesSince(onto, result.commitId)).toReversed();
  // Git cannot show a conflicted commit; copies drop the conflict.
  const history = wished === "changes" && series.some(({ conflict }) => conflict) ? "tasks" : wished;
  const ours = series.filter(({ metadata }) => metadata.run === run.id);
  return { history, ours, order: orderOf(run, result, onto ?? rootCommit, { ours, history }) };
}

function orderOf(
  run: Run,
  result: Change,
  onto: string,
  { ours, history }: Pick<PlannedLanding, "ours" | "history">,
): LandingOrder {
  if (history === "changes") {
    const own = ours.filter(({ immutable, divergent }) => !immutable && !divergent);
    return {
      kind: "changes",
      result: result.changeId,
      descriptions: own
        .map((change) => ({
          changeId: change.changeId,
          before: change.description,
          description: landingText(change.description, landingOptionsFor(run, [change])),
        }))
        .filter(({ before, description }) => before !== description)
        .map(({ changeId, description }) => ({ changeId, description })),
      // With trailers the changes that hold them are needed.
      dispensable: keptIn(run) === "trailers" ? [] : dispensable(run, own, result),
      ...notesOf(run, own, ({ changeId }) => changeId),
    };
  }
  return copiesOf(run, result, { onto, ours, history });
}

/** One commit for all, or one for the contracts, each task and the rest. */
function copiesOf(
  run: Run,
  result: Change,
  {
    onto,
    ours,
    history,
  }: { readonly onto: string; readonly ours: readonly Change[]; readonly history: LandingHistory },
): LandingOrder {
  const subject = subjectOf(goalLine(run));
  const { metrics, overruled } = result.metadata;
  const tasks = history === "one" ? [] : ours.filter(({ metadata }) => metadata.kind === "task");
  const contracts =
    history === "one"
      ? []
      : ours.filter(
          ({ metadata }) =>
            metadata.orchestrator === rootOf(run) &&
            (metadata.kind === "base" || metadata.kind === "mutation"),
        );
  const top = contracts.at(-1);
  return {
    kind: "copies",
    result: result.commitId,
    onto,
    commits: [
      ...(top
        ? [
            {
              commitId: top.commitId,
              description: landingTextOfSeveral(
                firstLine(contracts[0] ?? top),
                descriptionsOf(contracts),
                landingOptionsFor(run, contracts),
                {
                  record: contracts[0] ? decisionRecordIn(contracts[0].description) : null,
                  lines: descriptionsOf(contracts.toReversed()),
                },
              ),
              whole: true,
            },
          ]
        : []),
      ...tasks.map((change) => ({
        commitId: change.commitId,
        description: landingText(change.description, landingOptionsFor(run, [change])),
      })),
    ],
    keepsRest: overruled !== undefined,
    rest: (leftOut) => {
      const parts = ours.filter(({ commitId, metadata }) =>
        history === "one" ? metadata.kind === "task" : leftOut.includes(commitId),
      );
      const made = history === "one" ? ours : [...parts, result];
      return landingTextOfSeveral(
        history === "one" ? subject : firstLine(result),
        descriptionsOf(parts),
        landingOptionsFor(run, made),
        {
          metrics,
          overruled: [...new Set(made.flatMap(({ metadata }) => metadata.overruled ?? []))],
          lines: descriptionsOf([...made.filter(({ changeId }) => changeId !== result.changeId), result]),
        },
      );
    },
    ...notesOf(
      run,
      [result, ...ours.filter(({ changeId }) => changeId !== result.changeId)],
      // The contracts land as one commit.
      (change) => (contracts.includes(change) && top ? top.commitId : change.commitId),
    ),
  };
}

/** Where the metadata of what lands is kept. jj alone has no notes, so there it stays in the descriptions. */
function keptIn(run: Run): "notes" | "trailers" | "none" {
  const { metadata } = run.config.landing;
  return metadata === "notes" && !run.repository.keepsNotes() ? "trailers" : metadata;
}

const notesOf = (
  run: Run,
  changes: readonly Change[],
  keyOf: (change: Change) => string,
): Pick<LandingOrder, "notes"> =>
  keptIn(run) === "notes"
    ? {
        notes: changes.map((change) => ({
          of: keyOf(change),
          block: noteBlock(change.changeId, change.description),
        })),
      }
    : {};

/**
 * Changes without files that need not land. A run's figures, and the reason for overriding reviewers, are in
 * its result.
 */
const dispensable = (run: Run, own: readonly Change[], result: Change): readonly string[] =>
  own
    .map(({ changeId }) => changeId)
    .filter(
      (changeId) =>
        changeId !== result.changeId ||
        ((run.config.metrics.store !== "trailer" || keptIn(run) === "notes") &&
          result.metadata.overruled === undefined),
    );

const descriptionsOf = (changes: readonly Change[]): readonly string[] =>
  changes.map(({ description }) => description);

const firstLine = (change: Change): string => change.description.split("\n")[0] ?? "";

const subjectOf = (line: string): string => shortened(line, maxSubjectLength);

/** The title of the issue that a run began from, unless the user worded the goal; then null. */
export const issueTitle = ({ row: { input } }: RunReader): string | null =>
  input.issue !== undefined && input.goal.trim() === issueGoal(input.issue) ? input.issue.title : null;

/** The goal in one line. */
export function goalLine(run: RunReader): string {
  const title = issueTitle(run);
  return title === null ? (run.row.input.goal.trim().split("\n")[0] ?? "") : inertTitle(title);
}

/** Who had a part in some changes, and what of their descriptions lands. */
function landingOptionsFor(run: Run, changes: readonly Change[]): LandingTextOptions {
  const kept = keptIn(run);
  const workers = changes.flatMap(({ metadata }) => metadata.agent ?? metadata.orchestrator ?? []);
  return {
    keepsTrailers: kept === "trailers",
    keepsMetrics: kept === "none" && run.config.metrics.store === "trailer",
    coAuthors: [...new Set(workers)].map((name) =>
      coAuthor(name, run.workers.has(name) ? modelOf(run, name) : run.model),
    ),
  };
}

/** A commit that would land. */
interface PreviewedCommit {
  readonly title: string;
  /** Who wrote it. */
  readonly worker: string | null;
  /** The change that it is, or is a copy of; null: it is of several. */
  readonly changeId: string | null;
}

/** The commits that would land in each form, the lowest first. Changes nothing. */
export async function landingPreviews(
  run: Run,
  result: Change,
): Promise<Readonly<Record<LandingHistory, readonly PreviewedCommit[]>>> {
  const onto = run.facts.onto?.commitId ?? rootCommit;
  const previewOf = async (wished: LandingHistory): Promise<readonly PreviewedCommit[]> => {
    const { order, ours } = await landingOrder(run, result, wished);
    const commits = await run.repository.previewLanding(order, onto);
    return commits.map(({ description, of }) => {
      const from = of ?? result.commitId;
      const { metadata, changeId = null } =
        ours.find((one) => one.changeId === from || one.commitId === from) ?? {};
      return {
        title: description.split("\n")[0] ?? "",
        worker: metadata?.agent ?? metadata?.orchestrator ?? null,
        changeId: of === null ? null : changeId,
      };
    });
  };
  return {
    changes: await previewOf("changes"),
    tasks: await previewOf("tasks"),
    one: [{ title: subjectOf(goalLine(run)), worker: null, changeId: null }],
  };
}

/** Makes what lands. @returns the commit to land, and the change that each worker's became where it was copied */
export async function landingSeries(
  run: Run,
  result: Change,
  wished: LandingHistory,
): Promise<{
  readonly commitId: string;
  readonly changeId: string;
  readonly workers: Readonly<Record<string, string>>;
}> {
  const { order } = await landingOrder(run, result, wished);
  if (order.kind === "changes" && order.descriptions.length === 0 && order.dispensable.length === 0)
    return { commitId: result.commitId, changeId: result.changeId, workers: {} };
  const { commitId, changeId, copies } = await run.repository.landingSeries(order, {
    actor: "hox",
    request: `${run.id}/landing`,
  });
  const copied = new Map(
    [...run.changes.values()].flatMap((change): readonly (readonly [string, string])[] => {
      const copy = copies[change.commitId];
      return copy === undefined ? [] : [[change.changeId, copy]];
    }),
  );
  const workers = [...run.workers.values()].flatMap(({ record }) => {
    const copy = record.changeId === null ? undefined : copied.get(record.changeId);
    return copy === undefined ? [] : [[record.name, copy] as const];
  });
  return { commitId, changeId, workers: Object.fromEntries(workers) };
}

/** The branch that the result is for: what was chosen, by the name that it has now, else the project's trunk. */
export async function branchOf(run: Run): Promise<string | null> {
  const [stand, bookmarks] = await Promise.all([run.repository.gitStand(), bookmarksOf(run)]);
  const { branch } = run.facts;
  if (branch === null) return trunkOf({ bookmarks }, stand);
  if (bookmarks[branch] !== undefined) return branch;
  return renamed(run, branch, { bookmarks, own: stand?.isManagedByGit ? stand.branch : null });
}

/** The only branch at the commit of a deleted one, else the user's current branch if it contains the base. */
async function renamed(
  run: Run,
  gone: string,
  { bookmarks, own }: { readonly bookmarks: Stands; readonly own: string | null },
): Promise<string | null> {
  const { shown } = run.facts.landing;
  const base = run.facts.onto?.commitId;
  const last = shown?.bookmarks[gone]?.join() ?? base;
  const there = Object.keys(bookmarks).filter(
    (name) => isForLanding(name) && bookmarks[name]?.join() === last && shown?.bookmarks[name] === undefined,
  );
  if (there.length === 1) return there[0] ?? null;
  const [at, ...others] = own === null ? [] : (bookmarks[own] ?? []);
  const holdsBase =
    at !== undefined &&
    others.length === 0 &&
    base !== undefined &&
    (await run.repository.isAncestor(base, at));
  return holdsBase ? own : null;
}

/** Neither the assignment of a task nor the branch of patterns. */
export const isForLanding = (name: string): boolean => name !== patternBookmark && !name.startsWith("O-");

/** Why a branch cannot move to the result, or null. */
export async function obstacle(
  run: Run,
  bookmark: string,
  stands: readonly string[],
  result: string,
): Promise<EngineRefusal | JjError | null> {
  if (stands.length > 1)
    return new EngineRefusal(
      `The bookmark ${bookmark} is conflicted.`,
      `Choose its target with \`jj bookmark set ${bookmark} -r <change>\`, then land.`,
    );
  const [at = null] = stands;
  return at === result ? null : run.repository.refusalToMove({ branch: bookmark, from: at, to: result });
}

type Stands = Readonly<Record<string, readonly string[]>>;

/** The commits of every bookmark; several if it is conflicted. */
export const bookmarksOf = (run: Run): Promise<Stands> => run.repository.branches();

/** A branch's commit; null also if it is conflicted, which only the user can resolve. */
export async function branchTip(run: Run, branch: string | null): Promise<string | null> {
  const [tip = null, ...others] = branch === null ? [] : ((await bookmarksOf(run))[branch] ?? []);
  return others.length === 0 ? tip : null;
}
