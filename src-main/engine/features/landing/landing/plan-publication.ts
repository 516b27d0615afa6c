/** What a result is published as: commits, branches, and the report that the pull requests show. */

import { parseDescription } from "#shared/domain/change-metadata/trailers.ts";
import type { ForgeRepository } from "#shared/domain/forge/forge-facts.ts";
import type { PullRequestReport } from "#shared/domain/forge/pull-request-text.ts";
import {
  isMerged,
  type Publication,
  type PublishedForm,
  type PublishedPart,
} from "#shared/domain/landing/publication.ts";
import { outcomeText } from "#shared/domain/project/preflight.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import type { Change } from "#shared/graph/change.ts";
import { rootCommit } from "../../../../jj/ports/graph-reader.ts";
import type { Run } from "../../../ports.ts";
import { checksOfResult } from "../../../workflow/run-workflow.ts";
import { resultOf } from "./bring-onto.ts";
import { landingSeries } from "./landing-commits.ts";

interface Wish {
  readonly form: PublishedForm;
  readonly repository: Pick<ForgeRepository, "forge" | "id" | "path">;
  readonly remote: string;
  readonly base: string;
}

/** Of a run that has one. */
export function publicationOf(run: Run): Publication {
  const { publication } = run.facts;
  if (publication === null) throw new Error("The run has no publication.");
  return publication;
}

/** Makes the commits of a first or later round, and keeps what is to be pushed. */
export async function planPublication(run: Run, { form, repository, remote, base }: Wish): Promise<void> {
  const wish = { form, repository, remote, base };
  const result = await resultOf(run);
  const before = run.facts.publication;
  const parts =
    wish.form === "stack"
      ? await stackParts(run, result)
      : [await onlyPart(run, result, before?.parts[0] ?? null)];
  run.append({
    kind: "PublicationPlanned",
    plan: { ...wish, result: result.commitId, parts },
  });
}

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
  const taken = new Set<string>();
  return commits.toReversed().map((change, at) => {
    const { subject } = parseDescription(change.description);
    const worker = workerOf.get(change.changeId) ?? null;
    // A later round keeps the branch of a task, whatever became of its title. What is of several is the rest of the result.
    const kept = open.find((part) => part.worker === worker && !taken.has(part.branch));
    const name = `${branchOf(run)}/${at + 1}-${slug(subject)}`;
    const branch = kept?.branch ?? (taken.has(name) ? `${name}-rest` : name);
    taken.add(branch);
    return { branch, title: subject, worker, commit: change.commitId };
  });
}

/** The first time the whole series, later a commit on top of what people review, so that nothing is pushed by force. */
async function onlyPart(run: Run, result: Change, before: PublishedPart | null) {
  const title = startOf(run.row.input.goal.split("\n")[0] ?? "", 72);
  const workers = [...run.workers.values()].filter(({ record }) => record.task !== null);
  const worker = workers.length === 1 ? (workers[0]?.record.name ?? null) : null;
  const { commitId } =
    before?.pullRequest == null
      ? // Copies: the changes themselves are worked on again after a review.
        await landingSeries(run, result, run.config.landing.history === "one" ? "one" : "tasks")
      : await commitOnTop(run, result, before.commit);
  return { branch: before?.branch ?? branchOf(run), title: before?.title ?? title, worker, commit: commitId };
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

const branchOf = (run: Run): string =>
  `hox/${slug(run.row.input.goal.split("\n")[0] ?? "")}-${slug(run.id).slice(-6)}`;

const slug = (text: string): string =>
  text
    .toLowerCase()
    .split(/[^a-z0-9]/u)
    .filter((word) => word !== "")
    .join("-")
    .slice(0, 40)
    .replace(/-$/u, "") || "work";

/** What a pull request says of its part. */
export function reportOf(run: Run, publication: Publication, at: number): PullRequestReport {
  const part = publication.parts[at];
  if (!part) throw new Error(`A publication has no part ${at}.`);
  const { validation, orchestrators } = run.facts;
  const { issue } = run.row.input;
  const own = part.worker === null ? null : (run.workers.get(part.worker)?.record ?? null);
  const records = [...run.workers.values()].flatMap(({ record }) => (record.task === null ? [] : [record]));
  const decisions = [...run.changes.values()].filter(({ metadata }) => metadata.kind === "mutation");
  return {
    title: part.title,
    goal: run.row.input.goal,
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
    open: [],
    unreviewed: [],
    issue: issue === undefined ? null : { number: issue.number, closes: false },
    part: publication.form === "stack" ? { position: at + 1, size: publication.parts.length } : null,
  };
}
