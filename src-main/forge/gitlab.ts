/** GitLab.com and GitLab on a server of one's own. The only file that knows their API. */
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
import { commentMark, markedComment, replyText } from "#shared/domain/forge/forge-text.ts";
import type { Permission } from "./forge-error.ts";
import { createForgeFetch, type ForgeHttpOptions } from "./forge-http.ts";
import type { Forge, InRepository, MergeResult } from "./forge-interface.ts";
import { parseAnswer } from "./parse-answer.ts";

/** Pages of a list that are read at most, of 100 entries each. */
const maxPages = 10;

/** Tokens of projects and groups have accounts of such names. */
const isBotName = (name: string): boolean => /(?:^|[_-])bot(?:$|[^a-z])/iu.test(name);

const user = z
  .object({ username: z.string() })
  .nullish()
  .transform(
    (given): ForgeUser => ({ name: given?.username ?? "ghost", isBot: isBotName(given?.username ?? "") }),
  );
const id = z.union([z.string(), z.number()]).transform(String);
const text = z
  .string()
  .nullish()
  .transform((given) => given ?? "");
const time = z.string().transform((given) => Date.parse(given) || 0);

const repositoryAnswer = z
  .object({
    id,
    path_with_namespace: z.string(),
    web_url: z.string(),
    default_branch: z.string().nullish(),
    archived: z.boolean().default(false),
  })
  .transform(
    (given): ForgeRepository => ({
      forge: "gitlab",
      id: given.id,
      path: given.path_with_namespace,
      url: given.web_url,
      defaultBranch: given.default_branch ?? "main",
      isArchived: given.archived,
    }),
  );

const issueFields = z.object({
  id,
  iid: z.number(),
  title: z.string(),
  web_url: z.string(),
  state: z.string(),
  labels: z.array(z.string()).default([]),
  author: user,
  description: text,
});
const summaryOf = (given: z.infer<typeof issueFields>): IssueSummary => ({
  id: given.id,
  number: given.iid,
  title: given.title,
  url: given.web_url,
  isOpen: given.state === "opened",
  labels: given.labels,
});

const noteFields = z.object({
  id,
  author: user,
  created_at: time,
  body: text,
  system: z.boolean().default(false),
  resolvable: z.boolean().default(false),
  resolved: z.boolean().default(false),
  position: z
    .object({
      new_path: z.string().nullish(),
      old_path: z.string().nullish(),
      new_line: z.number().nullish(),
      old_line: z.number().nullish(),
    })
    .nullish(),
});
type Note = z.infer<typeof noteFields>;
const commentOf = (note: Note) => ({
  id: note.id,
  author: note.author,
  at: note.created_at,
  text: note.body,
});

/** A draft is one by its title. */
const draftMark = "Draft: ";
const withoutDraftMark = (title: string): string =>
  title.replace(/^(?:draft: ?|\[draft\] ?|\(draft\) ?)/iu, "");

const pullRequestAnswer = z
  .object({
    id,
    iid: z.number(),
    title: z.string(),
    description: text,
    web_url: z.string(),
    state: z.string(),
    draft: z.boolean().default(false),
    author: user,
    source_branch: z.string(),
    target_branch: z.string(),
    sha: text,
    has_conflicts: z.boolean().default(false),
    merge_status: text,
    merge_when_pipeline_succeeds: z.boolean().default(false),
    merge_commit_sha: z.string().nullish(),
    squash_commit_sha: z.string().nullish(),
    updated_at: time,
  })
  .transform((given): PullRequest => {
    const isOpen = given.state === "opened" || given.state === "locked";
    const isMerged = given.state === "merged";
    const commit = given.merge_commit_sha ?? given.squash_commit_sha ?? given.sha;
    return {
      id: given.id,
      number: given.iid,
      title: withoutDraftMark(given.title),
      text: given.description,
      url: given.web_url,
      state: isMerged ? "merged" : !isOpen ? "closed" : given.draft ? "draft" : "open",
      author: given.author,
      head: { branch: given.source_branch, commit: given.sha },
      base: given.target_branch,
      isMergeable: given.has_conflicts ? false : given.merge_status === "can_be_merged" ? true : null,
      isQueued: given.merge_when_pipeline_succeeds,
      stack: null,
      mergeCommit: isMerged && commit !== "" ? commit : null,
      updatedAt: given.updated_at,
    };
  });

/** The projects that a merge request comes from and goes to. */
const origin = z.looseObject({
  source_project_id: z.number().nullish(),
  target_project_id: z.number().nullish(),
});

const checkStates: Readonly<Record<string, CheckState>> = {
  ...{ success: "passed", skipped: "passed" },
  ...{ failed: "failed", canceled: "failed" },
};
const commitStatus = z
  .object({
    id,
    name: z.string(),
    status: z.string(),
    allow_failure: z.boolean().default(false),
    target_url: z.string().nullish(),
  })
  .transform(
    (given): Check => ({
      id: given.id,
      name: given.name,
      // What may fail, or waits for a click that nothing depends on, holds nothing up.
      state:
        given.allow_failure && ["failed", "manual"].includes(given.status)
          ? "passed"
          : (checkStates[given.status] ?? "pending"),
      url: given.target_url ?? null,
      log: `jobs/${given.id}`,
    }),
  );

const diffRefs = z.object({ base_sha: z.string(), start_sha: z.string() });
const reviewers = z.array(z.object({ user, state: z.string(), created_at: z.string().nullish() }));
const approvals = z.object({ approved_by: z.array(z.object({ user })).default([]) });

const discussion = z
  .object({ id: z.string(), notes: z.array(noteFields) })
  .transform((given): readonly ReviewThread[] => {
    const notes = given.notes.filter(({ system }) => !system);
    const [first] = notes;
    if (!first?.resolvable) return [];
    const { position } = first;
    const isOld = typeof position?.new_line !== "number" && typeof position?.old_line === "number";
    return [
      {
        id: given.id,
        file: (isOld ? position?.old_path : position?.new_path) ?? null,
        line: (isOld ? position?.old_line : position?.new_line) ?? null,
        side: isOld ? "old" : "new",
        isResolved: notes.every(({ resolvable, resolved }) => !resolvable || resolved),
        comments: notes.map(commentOf),
      },
    ];
  });

type Query = Readonly<Record<string, string | number>>;

/** An account of GitLab. See the interface. Projects are named by their id, which no rename changes. */
export function createGitlab(options: Omit<ForgeHttpOptions, "forge">): Forge {
  const fetch = createForgeFetch({ ...options, forge: "gitlab" });
  const parse = <Output>(schema: z.ZodType<Output>, data: unknown): Output =>
    parseAnswer("gitlab", schema, data);

  const send = async (
    method: string,
    path: string,
    permission: Permission,
    {
      query = {},
      body,
      accepts = [],
    }: { readonly query?: Query; readonly body?: object; readonly accepts?: readonly number[] } = {},
  ): Promise<{ readonly data: unknown; readonly headers: Headers; readonly status: number }> => {
    const search = new URLSearchParams();
    for (const [key, value] of Object.entries(query)) search.set(key, String(value));
    const url = `${options.baseUrl}${path}${search.size === 0 ? "" : `?${search}`}`;
    const content =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const response = await fetch(url, { method, ...content }, { permission, accepts });
    return {
      data: await response.json().catch(() => null),
      headers: response.headers,
      status: response.status,
    };
  };
  const get = async <Output>(
    schema: z.ZodType<Output>,
    path: string,
    permission: Permission,
    query: Query = {},
  ) => parse(schema, (await send("GET", path, permission, { query })).data);
  const getAll = async <Output>(
    schema: z.ZodType<Output>,
    path: string,
    permission: Permission,
    query: Query = {},
  ) => {
    const all: Output[] = [];
    for (let page = 1; page <= maxPages; page += 1) {
      const { data, headers } = await send("GET", path, permission, {
        query: { ...query, per_page: 100, page },
      });
      all.push(...parse(z.array(schema), data));
      if (!headers.get("x-next-page")) break;
    }
    return all;
  };
  const project = ({ id: of }: InRepository): string => `/projects/${encodeURIComponent(of)}`;
  const ofRequest = (at: InRepository, number: number): string => `${project(at)}/merge_requests/${number}`;
  const readPullRequest = (at: InRepository, number: number) =>
    get(pullRequestAnswer, ofRequest(at, number), "pull-requests");

  return {
    kind: "gitlab",
    hasToken: options.token !== null,
    ownName: async () => (await get(z.object({ username: z.string() }), "/user", "read")).username,
    findRepository: (by) =>
      get(repositoryAnswer, `/projects/${encodeURIComponent("id" in by ? by.id : by.path)}`, "read"),
    async readIssue(at, number) {
      const path = `${project(at)}/issues/${number}`;
      const issue = await get(issueFields, path, "issues");
      const { data, headers } = await send("GET", `${path}/notes`, "issues", {
        query: { sort: "asc", order_by: "created_at", per_page: 100 },
      });
      return {
        ...summaryOf(issue),
        author: issue.author,
        text: issue.description,
        comments: parse(z.array(noteFields), data).flatMap((note) => (note.system ? [] : [commentOf(note)])),
        hasMoreComments: Boolean(headers.get("x-next-page")),
      };
    },
    async searchIssues(at, words) {
      const search: Query =
        words.trim() === "" ? {} : { search: words.slice(0, 200), in: "title,description" };
      const query = { state: "opened", per_page: 50, ...search };
      return (await get(z.array(issueFields), `${project(at)}/issues`, "issues", query)).map(summaryOf);
    },
    async commentOnIssue(at, number, { text, run }) {
      const path = `${project(at)}/issues/${number}/notes`;
      // The newest ones come first, and a run's is among them.
      const newest = { sort: "desc", order_by: "created_at", per_page: 100 };
      const notes = await get(z.array(noteFields), path, "issues", newest);
      if (notes.some(({ body }) => body.includes(commentMark(run)))) return;
      await send("POST", path, "issues", { body: { body: markedComment(text, run) } });
    },
    readPullRequest,
    async findPullRequest(at, head) {
      const query = { state: "opened", source_branch: head, per_page: 100 };
      const found = await get(z.array(origin), `${project(at)}/merge_requests`, "pull-requests", query);
      // Anyone can make a branch of this name in a fork.
      const own = found.find((one) => one.source_project_id === one.target_project_id);
      return own === undefined ? null : parse(pullRequestAnswer, own);
    },
    async createPullRequest(at, { title, text: description, head, base }) {
      const body = { title: `${draftMark}${title}`, description, source_branch: head, target_branch: base };
      const { data } = await send("POST", `${project(at)}/merge_requests`, "pull-requests", { body });
      return parse(pullRequestAnswer, data);
    },
    async updatePullRequest(at, number, { title, text: description, base }) {
      const isDraft = title !== undefined && (await readPullRequest(at, number)).state === "draft";
      const body = {
        ...(title === undefined ? {} : { title: `${isDraft ? draftMark : ""}${title}` }),
        ...(description === undefined ? {} : { description }),
        ...(base === undefined ? {} : { target_branch: base }),
      };
      return parse(
        pullRequestAnswer,
        (await send("PUT", ofRequest(at, number), "pull-requests", { body })).data,
      );
    },
    async markReady(at, number) {
      const { title } = await readPullRequest(at, number);
      await send("PUT", ofRequest(at, number), "pull-requests", { body: { title } });
    },
    checksOf: (at, commit) =>
      getAll(
        commitStatus,
        `${project(at)}/repository/commits/${encodeURIComponent(commit)}/statuses`,
        "checks",
      ),
    async failureLogOf(at, log) {
      const url = `${options.baseUrl}${project(at)}/${log}/trace`;
      return (await fetch(url, {}, { permission: "checks", isLog: true })).text();
    },
    async reviewsOf(at, number) {
      const [asked, approved] = await Promise.all([
        get(reviewers, `${ofRequest(at, number)}/reviewers`, "pull-requests"),
        get(approvals, `${ofRequest(at, number)}/approvals`, "pull-requests"),
      ]);
      const review = (author: ForgeUser, verdict: Review["verdict"], at: string | null): Review => ({
        id: `${author.name} ${verdict} ${at ?? ""}`.trim(),
        author,
        verdict,
        text: "",
        at: at === null ? null : Date.parse(at),
        commit: null,
      });
      return [
        ...asked.flatMap(({ user: author, state, created_at }) =>
          state === "requested_changes" ? [review(author, "changes-requested", created_at ?? null)] : [],
        ),
        ...approved.approved_by.map(({ user: author }) => review(author, "approved", null)),
      ];
    },
    threadsOf: async (at, number) =>
      (await getAll(discussion, `${ofRequest(at, number)}/discussions`, "pull-requests")).flat(),
    async commentOnLine(at, number, { commit, file, line }, words) {
      const { diff_refs: refs } = await get(
        z.object({ diff_refs: diffRefs }),
        ofRequest(at, number),
        "pull-requests",
      );
      const position = {
        ...{ position_type: "text", base_sha: refs.base_sha, start_sha: refs.start_sha, head_sha: commit },
        ...{ old_path: file, new_path: file, new_line: line },
      };
      await send("POST", `${ofRequest(at, number)}/discussions`, "pull-requests", {
        body: { body: words, position },
      });
    },
    async replyInThread(at, number, thread, words, by = "hox") {
      const path = `${ofRequest(at, number)}/discussions/${encodeURIComponent(thread)}/notes`;
      const body = by === "user" ? words : replyText(words);
      await send("POST", path, "pull-requests", { body: { body } });
    },
    async resolveThread(at, number, thread, isResolved = true) {
      const path = `${ofRequest(at, number)}/discussions/${encodeURIComponent(thread)}`;
      await send("PUT", path, "pull-requests", { body: { resolved: isResolved } });
    },
    // GitLab has none: it retargets what was based on a branch when that is merged.
    stack: async () => false,
    async merge(at, number, { method, head }): Promise<MergeResult> {
      if (method === "rebase") {
        const way = z.object({ merge_method: z.string() });
        const { merge_method } = await get(way, project(at), "read");
        if (merge_method === "merge")
          return { kind: "refused", reason: "This project merges with merge commits and never by rebase." };
      }
      const { data, status } = await send("PUT", `${ofRequest(at, number)}/merge`, "merge", {
        body: { sha: head, squash: method === "squash" },
        accepts: [405, 406, 409, 422],
      });
      if (status >= 400) return { kind: "refused", reason: parse(z.object({ message: text }), data).message };
      return resultOf(parse(pullRequestAnswer, data));
    },
    mergeResult: async (at, number) => resultOf(await readPullRequest(at, number)),
  };
}

function resultOf({ state, mergeCommit, isQueued }: PullRequest): MergeResult {
  if (state === "merged") return { kind: "merged", commit: mergeCommit };
  if (state === "closed") return { kind: "refused", reason: "It was closed." };
  return isQueued ? { kind: "queued" } : { kind: "pending", request: "" };
}
