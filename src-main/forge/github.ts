/** GitHub.com and GitHub Enterprise Server. With `github-answers.ts` the only file that knows their API. */
import { Octokit } from "@octokit/core";
import { paginateRest } from "@octokit/plugin-paginate-rest";
import { z } from "zod";
import type { Check, ReviewThread } from "#shared/domain/forge/forge-facts.ts";
import { commentMark, markedComment, replyText } from "#shared/domain/forge/forge-text.ts";
import { ForgeError, noPermission, type Permission } from "./forge-error.ts";
import { createForgeFetch, type ForgeHttpOptions } from "./forge-http.ts";
import type { Forge, InRepository } from "./forge-interface.ts";
import {
  checkRun,
  comments,
  commitStatus,
  issueFields,
  jobsAnswer,
  mergeAnswer,
  pullRequestAnswer,
  repositoryAnswer,
  reviewAnswer,
  stacksAnswer,
  summaryOf,
  threadsAnswer,
  threadsQuery,
} from "./github-answers.ts";
import { parseAnswer } from "./parse-answer.ts";

const Api = Octokit.plugin(paginateRest);

const silent = () => undefined;
const logger = { debug: silent, info: silent, warn: silent, error: silent };

/** Pages of a list that are read at most, of 100 entries each. */
const maxPages = 10;

const named = ({ path }: InRepository): { readonly owner: string; readonly repo: string } => {
  const [owner = "", repo = ""] = path.split("/");
  return { owner, repo };
};

/** An account of GitHub. See the interface. */
export function createGithub(options: Omit<ForgeHttpOptions, "forge">): Forge {
  const fetch = createForgeFetch({ ...options, forge: "github" });
  const { baseUrl } = options;
  const apiFor = (permission: Permission, accepts: readonly number[] = []) =>
    new Api({
      baseUrl,
      log: logger,
      request: { fetch: (url: string, init: RequestInit) => fetch(url, init, { permission, accepts }) },
    });
  const [reading, issues, pulls] = [apiFor("read"), apiFor("issues"), apiFor("pull-requests")];
  const [checks, actions, statuses] = [apiFor("checks"), apiFor("actions"), apiFor("statuses")];
  const merging = apiFor("merge", [400, 409]);
  const logs = (path: string) =>
    fetch(`${baseUrl}/${path}`, {}, { permission: "actions", isLog: true }).then((answer) => answer.text());
  const parse = <Output>(schema: z.ZodType<Output>, data: unknown): Output =>
    parseAnswer("github", schema, data);

  const graphql = (query: string, variables: Readonly<Record<string, unknown>>, permission: Permission) =>
    explained(permission, () => pulls.graphql<unknown>(query, variables));
  const pageLimit = () => {
    let pages = 0;
    return (done: () => void): void => {
      pages += 1;
      if (pages >= maxPages) done();
    };
  };
  const nodeId = async (at: InRepository, number: number): Promise<string> => {
    const { data } = await pulls.request("GET /repos/{owner}/{repo}/pulls/{pull_number}", {
      ...named(at),
      pull_number: number,
    });
    return parse(z.object({ node_id: z.string() }), data).node_id;
  };

  /** No fine-grained token can have the permission for checks: with one, the workflows of Actions are all there is to see. */
  const checkRuns = async (at: InRepository, commit: string): Promise<readonly Check[]> => {
    const limit = pageLimit();
    const page = { ...named(at), per_page: 100 };
    try {
      const found = await checks.paginate(
        "GET /repos/{owner}/{repo}/commits/{ref}/check-runs",
        { ...page, ref: commit },
        ({ data }, done) => {
          limit(done);
          return data;
        },
      );
      return parse(z.array(checkRun), found);
    } catch (error) {
      if (causeOf(error)?.kind !== "permission") throw error;
      const { data } = await actions.request("GET /repos/{owner}/{repo}/actions/runs", {
        ...page,
        head_sha: commit,
      });
      return parse(z.object({ workflow_runs: z.array(checkRun) }), data).workflow_runs;
    }
  };

  const forge: Forge = {
    kind: "github",
    hasToken: options.token !== null,
    async ownName() {
      const { data } = await reading.request("GET /user");
      return parse(z.object({ login: z.string() }), data).login;
    },
    async findRepository(by) {
      const found =
        "id" in by
          ? await reading.request(`GET /repositories/${encodeURIComponent(by.id)}`)
          : await reading.request("GET /repos/{owner}/{repo}", named({ id: "", path: by.path }));
      return parse(repositoryAnswer, found.data);
    },
    async readIssue(at, number) {
      const given = { ...named(at), issue_number: number };
      const { data } = await issues.request("GET /repos/{owner}/{repo}/issues/{issue_number}", given);
      const issue = parse(issueFields, data);
      let hasMoreComments = false;
      const found = await issues.paginate(
        "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
        { ...given, per_page: 100 },
        (page, done) => {
          if (hasNext(page.headers)) hasMoreComments = true;
          done();
          return page.data;
        },
      );
      return {
        ...summaryOf(issue),
        author: issue.user,
        text: issue.body,
        comments: parse(comments, found),
        hasMoreComments,
      };
    },
    async searchIssues(at, words) {
      // A colon would make a word a filter, of another repository for one.
      const wanted = words.replace(/[":]/gu, " ").slice(0, 200);
      const q = `repo:${at.path} is:issue is:open ${wanted}`.trim();
      const { data } = await issues.request("GET /search/issues", { q, per_page: 50 });
      return parse(z.object({ items: z.array(issueFields) }), data).items.map(summaryOf);
    },
    async commentOnIssue(at, number, { text, run, since }) {
      const given = { ...named(at), issue_number: number };
      const limit = pageLimit();
      const found = await issues.paginate(
        "GET /repos/{owner}/{repo}/issues/{issue_number}/comments",
        { ...given, since: new Date(since).toISOString(), per_page: 100 },
        ({ data }, done) => {
          limit(done);
          return data;
        },
      );
      if (parse(comments, found).some((one) => one.text.includes(commentMark(run)))) return;
      const body = markedComment(text, run);
      await issues.request("POST /repos/{owner}/{repo}/issues/{issue_number}/comments", { ...given, body });
    },
    async readPullRequest(at, number) {
      const given = { ...named(at), pull_number: number };
      const { data } = await pulls.request("GET /repos/{owner}/{repo}/pulls/{pull_number}", given);
      return parse(pullRequestAnswer, data);
    },
    async findPullRequest(at, head) {
      const { owner, repo } = named(at);
      const given = { owner, repo, state: "open" as const, head: `${owner}:${head}`, per_page: 1 };
      const { data } = await pulls.request("GET /repos/{owner}/{repo}/pulls", given);
      return parse(z.array(pullRequestAnswer), data)[0] ?? null;
    },
    async createPullRequest(at, { title, text: body, head, base }) {
      const given = { ...named(at), title, body, head, base, draft: true };
      const { data } = await pulls.request("POST /repos/{owner}/{repo}/pulls", given);
      return parse(pullRequestAnswer, data);
    },
    async updatePullRequest(at, number, { text: body, ...changes }) {
      const { data } = await pulls.request("PATCH /repos/{owner}/{repo}/pulls/{pull_number}", {
        ...named(at),
        pull_number: number,
        ...changes,
        ...(body === undefined ? {} : { body }),
      });
      return parse(pullRequestAnswer, data);
    },
    async markReady(at, number) {
      const mutation =
        "mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { clientMutationId } }";
      await graphql(mutation, { id: await nodeId(at, number) }, "pull-requests");
    },
    async checksOf(at, commit) {
      const runs = await checkRuns(at, commit);
      const given = { ...named(at), ref: commit, per_page: 100 };
      const { data } = await statuses.request("GET /repos/{owner}/{repo}/commits/{ref}/status", given);
      return [...runs, ...parse(z.object({ statuses: z.array(commitStatus) }), data).statuses];
    },
    async failureLogOf(at, log) {
      const [kind, run = ""] = log.split("/");
      if (kind === "jobs") return logs(`repos/${at.path}/actions/${log}/logs`);
      const given = { ...named(at), run_id: Number(run), per_page: 100 };
      const { data } = await actions.request("GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs", given);
      const failed = parse(jobsAnswer, data).jobs.find(({ conclusion }) => conclusion === "failure");
      return failed === undefined ? "" : logs(`repos/${at.path}/actions/jobs/${failed.id}/logs`);
    },
    async reviewsOf(at, number) {
      const limit = pageLimit();
      const found = await pulls.paginate(
        "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews",
        { ...named(at), pull_number: number, per_page: 100 },
        ({ data }, done) => {
          limit(done);
          return data;
        },
      );
      return parse(z.array(reviewAnswer), found).flat();
    },
    async threadsOf(at, number) {
      const { owner, repo: name } = named(at);
      const threads: ReviewThread[] = [];
      let after: string | null = null;
      for (let page = 0; page < maxPages; page += 1) {
        const answer: unknown = await graphql(threadsQuery, { owner, name, number, after }, "pull-requests");
        const { nodes, pageInfo } = parse(threadsAnswer, answer).repository.pullRequest.reviewThreads;
        threads.push(...nodes);
        after = pageInfo.endCursor ?? null;
        if (!pageInfo.hasNextPage || after === null) break;
      }
      return threads;
    },
    async commentOnLine(at, number, { commit, file, line }, body) {
      await pulls.request("POST /repos/{owner}/{repo}/pulls/{pull_number}/comments", {
        ...named(at),
        pull_number: number,
        ...{ body, commit_id: commit, path: file, line, side: "RIGHT" as const },
      });
    },
    async replyInThread(_at, _number, thread, words, by = "hox") {
      const mutation =
        "mutation ($thread: ID!, $body: String!) { addPullRequestReviewThreadReply(input: { pullRequestReviewThreadId: $thread, body: $body }) { clientMutationId } }";
      await graphql(mutation, { thread, body: by === "user" ? words : replyText(words) }, "pull-requests");
    },
    async resolveThread(_at, _number, thread, isResolved = true) {
      const mutation = `mutation ($thread: ID!) { ${isResolved ? "resolve" : "unresolve"}ReviewThread(input: { threadId: $thread }) { clientMutationId } }`;
      await graphql(mutation, { thread }, "merge");
    },
    async stack(at, numbers) {
      const [bottom = 0] = numbers;
      try {
        const { data } = await pulls.request("GET /repos/{owner}/{repo}/stacks", {
          ...named(at),
          pull_request: bottom,
        });
        const [found] = parse(stacksAnswer, data);
        if (found === undefined) {
          await pulls.request("POST /repos/{owner}/{repo}/stacks", {
            ...named(at),
            pull_requests: [...numbers],
          });
          return true;
        }
        const there = found.pull_requests.map(({ number }) => number);
        const added = numbers.filter((number) => !there.includes(number));
        if (added.length > 0)
          await pulls.request("POST /repos/{owner}/{repo}/stacks/{stack_number}/add", {
            ...named(at),
            stack_number: found.number,
            pull_requests: added,
          });
        return true;
      } catch (error) {
        // Where stacks are not enabled, none of these addresses exist.
        if (causeOf(error)?.kind === "not-found") return false;
        throw error;
      }
    },
    async merge(at, number, { method, head }) {
      const given = { ...named(at), pull_number: number, merge_method: method, sha: head };
      const route = "PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge-async";
      try {
        return parse(mergeAnswer, (await merging.request(route, given)).data);
      } catch (error) {
        // One that was begun already, or that cannot be: the answer says which.
        const answer = mergeAnswer.safeParse(responseOf(error));
        if (answer.success) return answer.data;
        throw error;
      }
    },
    async mergeResult(at, number, request) {
      const route = "GET /repos/{owner}/{repo}/pulls/{pull_number}/merge-async/{uuid}";
      const given = { ...named(at), pull_number: number, uuid: request };
      return parse(mergeAnswer, (await merging.request(route, given)).data);
    },
  };
  return explaining(forge);
}

const hasNext = (headers: Readonly<Record<string, unknown>>): boolean =>
  /rel="next"/u.test(String(headers.link ?? ""));

/** Octokit wraps what its `fetch` throws. */
function causeOf(error: unknown): ForgeError | null {
  if (error instanceof ForgeError) return error;
  return error instanceof Error && error.cause instanceof ForgeError ? error.cause : null;
}

const responseAnswer = z.object({ response: z.object({ data: z.unknown() }) });

const responseOf = (error: unknown): unknown => responseAnswer.safeParse(error).data?.response.data;

/** Methods that throw the error itself. */
function explaining(forge: Forge): Forge {
  const entries = Object.entries(forge).map(([name, value]) => [
    name,
    typeof value === "function"
      ? async (...given: readonly unknown[]) => {
          try {
            return await value(...given);
          } catch (error) {
            throw causeOf(error) ?? error;
          }
        }
      : value,
  ]);
  return Object.fromEntries(entries);
}

const graphqlErrors = z.object({
  errors: z.array(z.object({ type: z.string().optional(), message: z.string() })).min(1),
});

/** GraphQL answers 200 whatever went wrong, and says in words of its own what it was. */
async function explained<Output>(permission: Permission, work: () => Promise<Output>): Promise<Output> {
  try {
    return await work();
  } catch (error) {
    const first = graphqlErrors.safeParse(error).data?.errors[0];
    if (!first) throw error;
    const { type, message } = first;
    if (type === "FORBIDDEN" || type === "INSUFFICIENT_SCOPES")
      throw noPermission("github", permission, message);
    const kind = type === "RATE_LIMITED" ? "rate-limit" : type === "NOT_FOUND" ? "not-found" : "refused";
    throw new ForgeError(
      kind,
      `GitHub refused it: ${message.slice(0, 300)}`,
      "Retry later, or do it on the website.",
    );
  }
}
