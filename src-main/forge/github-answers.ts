/** Answers of GitHub's API, as far as Hox reads them, in Hox's words. */
import { z } from "zod";
import type {
  Check,
  CheckState,
  ForgeRepository,
  ForgeUser,
  IssueSummary,
  PullRequest,
  Review,
  ReviewThread,
} from "#shared/domain/forge/forge-facts.ts";
import type { MergeResult } from "./forge-interface.ts";

const user = z
  .object({ login: z.string(), type: z.string().optional() })
  .nullish()
  .transform((given): ForgeUser => {
    if (!given) return { name: "ghost", isBot: false };
    return { name: given.login, isBot: given.type === "Bot" || given.login.endsWith("[bot]") };
  });
const id = z.union([z.string(), z.number()]).transform(String);
const text = z
  .string()
  .nullish()
  .transform((given) => given ?? "");
const time = z.string().transform((given) => Date.parse(given) || 0);

export const repositoryAnswer = z
  .object({
    id,
    full_name: z.string(),
    html_url: z.string(),
    default_branch: z.string(),
    archived: z.boolean().default(false),
  })
  .transform(
    (given): ForgeRepository => ({
      forge: "github",
      id: given.id,
      path: given.full_name,
      url: given.html_url,
      defaultBranch: given.default_branch,
      isArchived: given.archived,
    }),
  );

const label = z.union([z.string(), z.object({ name: text }).transform(({ name }) => name)]);
export const issueFields = z.object({
  id,
  number: z.number(),
  title: z.string(),
  html_url: z.string(),
  state: z.string(),
  labels: z.array(label).default([]),
  user,
  body: text,
});
export const summaryOf = (given: z.infer<typeof issueFields>): IssueSummary => ({
  id: given.id,
  number: given.number,
  title: given.title,
  url: given.html_url,
  isOpen: given.state === "open",
  labels: given.labels,
});
export const comments = z.array(
  z
    .object({ id, user, created_at: time, body: text })
    .transform((given) => ({ id: given.id, author: given.user, at: given.created_at, text: given.body })),
);

export const pullRequestAnswer = z
  .object({
    id,
    number: z.number(),
    title: z.string(),
    body: text,
    html_url: z.string(),
    state: z.string(),
    draft: z.boolean().default(false),
    merged_at: z.string().nullish(),
    user,
    head: z.object({ ref: z.string(), sha: z.string() }),
    base: z.object({ ref: z.string() }),
    mergeable: z.boolean().nullish(),
    auto_merge: z.unknown(),
    merge_commit_sha: z.string().nullish(),
    updated_at: time,
    stack: z.object({ number: z.number(), position: z.number(), size: z.number() }).nullish(),
  })
  .transform((given): PullRequest => {
    const isMerged = typeof given.merged_at === "string";
    return {
      id: given.id,
      number: given.number,
      title: given.title,
      text: given.body,
      url: given.html_url,
      state: isMerged ? "merged" : given.state !== "open" ? "closed" : given.draft ? "draft" : "open",
      author: given.user,
      head: { branch: given.head.ref, commit: given.head.sha },
      base: given.base.ref,
      isMergeable: given.mergeable ?? null,
      isQueued: given.auto_merge !== null && given.auto_merge !== undefined,
      stack: given.stack ?? null,
      // Of one that is not merged it is GitHub's own trial.
      mergeCommit: isMerged ? (given.merge_commit_sha ?? null) : null,
      updatedAt: given.updated_at,
    };
  });

/** What has not passed or failed yet, runs. */
const checkStates: Readonly<Record<string, CheckState>> = {
  ...{ success: "passed", neutral: "passed", skipped: "passed" },
  ...{ failure: "failed", error: "failed", cancelled: "failed", timed_out: "failed" },
  ...{ action_required: "failed", startup_failure: "failed", stale: "failed" },
};
export const checkRun = z
  .object({
    id,
    name: z.string(),
    status: z.string(),
    conclusion: z.string().nullish(),
    html_url: z.string().nullish(),
    app: z.object({ slug: text }).nullish(),
  })
  .transform(
    (given): Check => ({
      id: given.id,
      name: given.name,
      state: given.status === "completed" ? (checkStates[given.conclusion ?? ""] ?? "pending") : "pending",
      url: given.html_url ?? null,
      // A run of a workflow has no app; a job of one is a check of Actions with the same id.
      ...(given.app?.slug === "github-actions" ? { log: `jobs/${given.id}` } : {}),
      ...(given.app ? {} : { log: `runs/${given.id}` }),
    }),
  );
export const jobsAnswer = z.object({
  jobs: z.array(z.object({ id, conclusion: z.string().nullish() })).default([]),
});
export const commitStatus = z
  .object({ id, context: z.string(), state: z.string(), target_url: z.string().nullish() })
  .transform(
    (given): Check => ({
      id: given.id,
      name: given.context,
      state: checkStates[given.state] ?? "pending",
      url: given.target_url ?? null,
    }),
  );

const verdicts: Readonly<Record<string, Review["verdict"]>> = {
  APPROVED: "approved",
  CHANGES_REQUESTED: "changes-requested",
  COMMENTED: "commented",
};
export const reviewAnswer = z
  .object({
    id,
    user,
    state: z.string(),
    body: text,
    submitted_at: z.string().nullish(),
    commit_id: z.string().nullish(),
  })
  .transform((given): readonly Review[] => {
    const verdict = verdicts[given.state];
    // One that is not sent yet, or that a maintainer dismissed, is none.
    if (verdict === undefined) return [];
    const at = given.submitted_at ? Date.parse(given.submitted_at) : null;
    return [
      { id: given.id, author: given.user, verdict, text: given.body, at, commit: given.commit_id ?? null },
    ];
  });

export const threadsQuery = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    reviewThreads(first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes {
      id isResolved path line originalLine diffSide
      comments(first: 100) { nodes { id url body createdAt author { login __typename } } }
    } }
  } }
}`;
const threadAnswer = z
  .object({
    id: z.string(),
    isResolved: z.boolean(),
    path: z.string().nullish(),
    line: z.number().nullish(),
    originalLine: z.number().nullish(),
    diffSide: z.string().nullish(),
    comments: z.object({
      nodes: z.array(
        z.object({
          id: z.string(),
          url: z.string().nullish(),
          body: text,
          createdAt: time,
          author: z
            .object({ login: z.string(), __typename: z.string() })
            .nullish()
            .transform((given) => ({ name: given?.login ?? "ghost", isBot: given?.__typename === "Bot" })),
        }),
      ),
    }),
  })
  .transform(
    (given): ReviewThread => ({
      id: given.id,
      file: given.path ?? null,
      line: given.line ?? given.originalLine ?? null,
      side: given.diffSide === "LEFT" ? "old" : "new",
      isResolved: given.isResolved,
      url: given.comments.nodes[0]?.url ?? undefined,
      comments: given.comments.nodes.map(({ id: comment, body, createdAt, author }) => ({
        id: comment,
        author,
        at: createdAt,
        text: body,
      })),
    }),
  );
export const threadsAnswer = z.object({
  repository: z.object({
    pullRequest: z.object({
      reviewThreads: z.object({
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
        nodes: z.array(threadAnswer),
      }),
    }),
  }),
});

export const mergeAnswer = z
  .object({
    status: z.enum(["pending", "merged", "enqueued", "failed"]),
    details: z.object({ message: text, uuid: z.string().optional(), sha: z.string().optional() }),
  })
  .transform(({ status, details }): MergeResult => {
    if (status === "merged") return { kind: "merged", commit: details.sha ?? null };
    if (status === "enqueued") return { kind: "queued" };
    if (status === "failed") return { kind: "refused", reason: details.message };
    return { kind: "pending", request: details.uuid ?? "" };
  });

export const stacksAnswer = z.array(
  z.object({ number: z.number(), pull_requests: z.array(z.object({ number: z.number() })) }),
);
