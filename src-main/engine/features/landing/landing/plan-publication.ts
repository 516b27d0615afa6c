/** What a result is published as: commits, branches, and the report that the pull requests show. */

import type { LandDraft, LandDrafts } from "#shared/contract/cards/land.ts";
import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import type { ForgeRepository } from "#shared/domain/forge/forge-facts.ts";
import { issueReference } from "#shared/domain/forge/issue-text.ts";
import { newPullRequestText, type PullRequestReport } from "#shared/domain/forge/pull-request-text.ts";
import {
  isMerged,
  type Publication,
  type PublishedForm,
  type PublishedPart,
} from "#shared/domain/landing/publication.ts";
import { missingLine } from "#shared/domain/missing-work/missing-work.ts";
import { outcomeText } from "#shared/domain/project/preflight.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { rootCommit } from "../../../../jj/ports/graph-reader.ts";
import type { Run } from "../../../ports.ts";
import { mergeRequestOf } from "../../../workers/merge-request.ts";
import { checksOfResult } from "../../../workflow/run-workflow.ts";
import { resultOf } from "./bring-onto.ts";
import { goalLine, issueTitle, type landingPreviews, landingSeries } from "./landing-commits.ts";

type Wish = Pick<Publication, "form" | "repository" | "remote" | "base" | "history">;

/** Of a run that has one. */
export function publicationOf(run: Run): Publication {
  const { publication } = run.facts;
  if (publication === null) throw new Error("The run has no publication.");
  return publication;
}

/**
 * Makes the commits of a first or later round, and keeps what is to be pushed.
 *
 * @param approved branches that the user has seen, with the titles that they gave; null: of a later round
 * @returns false: others would appear, and nothing is kept
 */
export async function planPublication(
  run: Run,
  { form, repository, remote, base, history }: Wish,
  approved: readonly { readonly branch: string; readonly ownTitle: string | null }[] | null = null,
): Promise<boolean> {
  const wish = { form, repository, remote, base, history };
  const result = await resultOf(run);
  const parts =
    wish.form === "stack" ? await stackParts(run, result) : [await onlyPart(run, result, wish.history)];
  const isAsShown = (part: NamedPart, at: number): boolean => approved?.[at]?.branch === part.branch;
  if (approved !== null && !(approved.length === parts.length && parts.every(isAsShown))) return false;
  const titled = parts.map((part, at) => ({ ...part, title: approved?.[at]?.ownTitle ?? part.title }));
  run.append({
    kind: "PublicationPlanned",
    plan: { ...wish, result: result.commitId, parts: titled },
  });
  return true;
}

/** What would be published in each form, the bottom first: what the user approves is what is pushed. */
export function previewDrafts(
  run: Run,
  repository: ForgeRepository,
  tasks: Awaited<ReturnType<typeof landingPreviews>>["tasks"],
): LandDrafts {
  const workers = [...run.workers.values()];
  const each = tasks.map(({ title, changeId }) => ({
    title: parseDescription(title).subject,
    worker:
      changeId === null
        ? null
        : (workers.findLast(({ record }) => record.changeId === changeId)?.record.name ?? null),
  }));
  const draftsOf = (form: PublishedForm, parts: readonly NamedPart[]): readonly LandDraft[] =>
    parts.map(({ branch }, at) => ({
      branch,
      ...newPullRequestText(reportOf(run, { form, repository: repositoryOf(repository), parts }, at)),
    }));
  return {
    pull_request: draftsOf("pull_request", [nameOnly(run)]),
    stack: draftsOf("stack", nameStack(run, each, [])),
  };
}

/** What of a repository is kept with a publication. */
export const repositoryOf = ({ forge, id, path, url }: ForgeRepository): Publication["repository"] => ({
  ...{ forge, id, path, url },
});

/** One commit for each task; of a later round all of them are new, until some are merged or others pushed to one. */
async function stackParts(run: Run, result: Change) {
  const before = run.facts.publication?.parts ?? [];
  const open = before.filter((part) => !isMerged(part));
  const top = open.at(-1);
  const isFixed = open.length < before.length || open.some(({ hasOthers }) => hasOthers);
  if (top !== undefined && isFixed) {
    const { commitId } = await commitOnTop(run, result, top.commit);
    return open.map((part) => (part === top ? { ...part, commit: commitId } : part));
  }
  // By these it is known whose each commit is.
  await run.refreshChanges();
  const { commitId, workers } = await landingSeries(run, result, "tasks");
  const commits = await run.repository.changesSince(run.facts.onto?.commitId ?? rootCommit, commitId);
  const workerOf = new Map(Object.entries(workers).map(([worker, change]) => [change, worker]));
  const ordered = commits.toReversed();
  const named = ordered.map(({ changeId, description }) => ({
    title: parseDescription(description).subject,
    worker: workerOf.get(changeId) ?? null,
  }));
  return nameStack(run, named, open).map((part, at) => ({ ...part, commit: ordered[at]?.commitId ?? "" }));
}

type NamedPart = Pick<PublishedPart, "branch" | "title" | "worker">;

/** A branch for each commit. @param open what was published of them before */
function nameStack(
  run: Run,
  commits: readonly Omit<NamedPart, "branch">[],
  open: readonly PublishedPart[],
): readonly NamedPart[] {
  const taken = new Set<string>();
  return commits.map(({ title, worker }, at) => {
    // A later round keeps the branch of a task, whatever became of its title. What is of several is the rest of the result.
    const kept = open.find((part) => part.worker === worker && !taken.has(part.branch));
    const name = `${branchOf(run)}/${at + 1}-${slug(title)}`;
    const branch = kept?.branch ?? (taken.has(name) ? `${name}-rest` : name);
    taken.add(branch);
    return { branch, title, worker };
  });
}

function nameOnly(run: Run): NamedPart {
  const workers = [...run.workers.values()].filter(({ record }) => record.task !== null);
  const worker = workers.length === 1 ? (workers[0]?.record.name ?? null) : null;
  return { branch: branchOf(run), title: startOf(goalLine(run), 72), worker };
}

/** The first time the whole series, later a commit on top of what people review, so that nothing is pushed by force. */
async function onlyPart(run: Run, result: Change, history: Wish["history"]) {
  const before = run.facts.publication?.parts[0];
  const named = nameOnly(run);
  const { commitId } =
    before?.pullRequest == null
      ? // Copies: the changes themselves are worked on again after a review.
        await landingSeries(run, result, (history ?? run.config.landing.history) === "one" ? "one" : "tasks")
      : await commitOnTop(run, result, before.commit);
  const { branch, title } = before ?? named;
  return { ...named, branch, title, commit: commitId };
}

/** What the result holds beyond a commit, as one on top of it. */
const commitOnTop = (run: Run, result: Change, onto: string) =>
  run.repository.landingSeries(
    {
      ...{ kind: "copies", result: result.commitId, onto, commits: [] },
      rest: () => "Address the review\n",
    },
    { actor: "hox", request: `${run.id}/landing` },
  );

const branchOf = (run: Run): string => `hox/${slug(goalLine(run))}-${slug(run.id).slice(-6)}`;

const slug = (text: string): string =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]/u)
    .filter((word) => word !== "")
    .join("-")
    .slice(0, 40)
    .replace(/-$/u, "") || "work";

/** Whether an orchestrator or the user looked at a task's work before it was merged. */
const isReviewed = (run: Run, { name }: { readonly name: string }): boolean =>
  mergeRequestOf(run, name).reviews.some(({ by }) => by === "parent" || by === "user");

/** What a pull request says of its part. */
export function reportOf(
  run: Run,
  publication: Pick<Publication, "form" | "repository"> & { readonly parts: readonly NamedPart[] },
  at: number,
): PullRequestReport {
  const part = publication.parts[at];
  const isTop = at === publication.parts.length - 1;
  if (!part) throw new Error(`A publication has no part ${at}.`);
  const { validation, orchestrators } = run.facts;
  const { issue } = run.row.input;
  const own = part.worker === null ? null : (run.workers.get(part.worker)?.record ?? null);
  const records = [...run.workers.values()].flatMap(({ record }) => (record.task === null ? [] : [record]));
  const decisions = [...run.changes.values()].filter(({ metadata }) => metadata.kind === "mutation");
  return {
    title: part.title,
    goal: issueTitle(run) ?? run.row.input.goal,
    summary: own === null ? (Object.values(orchestrators)[0]?.plan?.summary ?? "") : (own.summary ?? ""),
    decisions: decisions.map(({ description }) => {
      const { subject, body } = parseDescription(description);
      return { title: subject, reason: startOf(body.trim(), 300) };
    }),
    tasks: own === null ? records.map(({ title }) => title) : [],
    checks: checksOfResult(run).map(({ name, outcome }) => ({ name, outcome: outcomeText[outcome] })),
    votes:
      validation === null || validation.seats.length === 0
        ? null
        : {
            approved: validation.seats.filter(({ vote }) => vote === "approve").length,
            seats: validation.seats.length,
          },
    microDollars: run.spending.total.microDollars,
    open: (run.facts.landing.compared?.missing ?? [])
      .filter(({ worker }) => own === null || worker === own.name)
      .map(missingLine),
    unreviewed:
      validation === null || validation.seats.length === 0
        ? records.flatMap((record) =>
            (own ?? record) === record && !isReviewed(run, record) ? record.title : [],
          )
        : [],
    issue:
      issue === undefined
        ? null
        : {
            reference: issueReference(issue, publication.repository.url),
            // The others of a stack are merged before it, or with it.
            closes: issue.isLinked === true && isTop,
          },
    part: publication.form === "stack" ? { position: at + 1, size: publication.parts.length } : null,
  };
}
