/** A stand-in for GitHub Enterprise Server: REST below `/api/v3`, GraphQL at `/api/graphql`. */
import type { Permission } from "../forge-error.ts";
import type {
  ForgeWorld,
  MergeOutcome,
  WorldCheck,
  WorldComment,
  WorldIssue,
  WorldPullRequest,
  WorldUser,
} from "./forge-world.ts";
import { type Ask, type Reply, type Route, type RunningForge, serveForge } from "./serve-forge.ts";

const iso = (at: number): string => new Date(at).toISOString();
const login = ({ name, isBot }: WorldUser) => ({ login: name, type: isBot ? "Bot" : "User" });
const number = (text: unknown): number => Number(text);

const permissionsOf: Readonly<Record<Permission, string>> = {
  read: "metadata=read",
  issues: "issues=write",
  checks: "checks=read",
  actions: "actions=read",
  statuses: "statuses=read",
  "pull-requests": "pull_requests=write",
  merge: "contents=write",
};

/** Serves a world as GitHub does. */
export function serveGithub(world: ForgeWorld): Promise<RunningForge> {
  /** By its name, or by its id. */
  const repo = (rest: string): RegExp =>
    new RegExp(`^/api/v3/(?:repos/([^/]+/[^/]+)|repositories/(\\d+))${rest}$`, "u");
  const notFound: Reply = { status: 404, body: { message: "Not Found" } };
  const refused = (message: string, errors: readonly unknown[] = []): Reply => ({
    status: 422,
    body: { message: "Validation Failed", errors: [{ message }, ...errors] },
  });
  const at = (path: string): "here" | "moved" | "gone" =>
    path === world.repository.path ? "here" : world.repository.oldPaths.includes(path) ? "moved" : "gone";

  /** Sends on what asks for an old name. Writes keep their method. */
  const inRepository = (
    method: string,
    rest: string,
    needs: Permission,
    answer: (ask: Ask) => Reply,
  ): Route => ({
    method,
    path: repo(rest),
    needs,
    answer: (ask) => {
      const [path = "", id = "", ...parts] = ask.parts;
      if (id === String(world.repository.id)) return answer({ ...ask, parts });
      const where = at(path);
      if (where === "gone") return notFound;
      if (where === "here") return answer({ ...ask, parts });
      const to = ask.path.replace(`/repos/${path}`, `/repositories/${world.repository.id}`);
      return { status: method === "GET" ? 301 : 307, headers: { location: `${to}?${ask.query}` }, body: {} };
    },
  });

  const pullRequest = (given: unknown): WorldPullRequest | undefined =>
    world.pullRequests.find((one) => one.number === number(given));
  const stackOf = (one: WorldPullRequest) => {
    const stack = world.stacks.find(({ numbers }) => numbers.includes(one.number));
    if (!stack) return null;
    return {
      id: stack.number,
      number: stack.number,
      size: stack.numbers.length,
      position: stack.numbers.indexOf(one.number) + 1,
      base: { ref: "main", sha: world.tip("main") },
    };
  };
  const pullJson = (one: WorldPullRequest, isDetailed = true) => ({
    id: 90_000 + one.number,
    node_id: `PR_${one.number}`,
    number: one.number,
    title: one.title,
    body: one.text,
    html_url: `https://github.test/${world.repository.path}/pull/${one.number}`,
    state: one.state === "open" ? "open" : "closed",
    draft: one.isDraft,
    merged_at: one.state === "merged" ? iso(one.updatedAt) : null,
    user: login(one.author),
    head: { ref: one.head, sha: world.headOf(one) },
    base: { ref: one.base },
    ...(isDetailed ? { mergeable: one.state === "open" ? world.isMergeable(one) : null } : {}),
    auto_merge: one.isQueued ? { merge_method: "squash" } : null,
    merge_commit_sha: one.mergeCommit ?? "f".repeat(40),
    updated_at: iso(one.updatedAt),
    stack: stackOf(one),
  });
  const issueJson = (one: WorldIssue) => ({
    id: 80_000 + one.number,
    number: one.number,
    title: one.title,
    body: one.text,
    html_url: `https://github.test/${world.repository.path}/issues/${one.number}`,
    state: one.isOpen ? "open" : "closed",
    labels: one.labels.map((name) => ({ name })),
    user: login(one.author),
  });
  const commentJson = (one: WorldComment) => ({
    id: one.id,
    user: login(one.author),
    created_at: iso(one.at),
    body: one.text,
  });
  const checkJson = (one: WorldCheck) => ({
    id: one.id,
    name: one.name,
    status: one.result === "running" ? "in_progress" : "completed",
    conclusion: { running: null, passed: "success", failed: "failure" }[one.result],
    html_url: `https://github.test/checks/${one.id}`,
    app: { slug: "github-actions" },
  });
  const repositoryJson = () => ({
    id: world.repository.id,
    full_name: world.repository.path,
    html_url: `https://github.test/${world.repository.path}`,
    default_branch: "main",
    archived: world.repository.isArchived,
  });
  const author = ({ token }: Ask): WorldUser => token?.user ?? world.user("ghost");
  const asPulls = (all: readonly WorldPullRequest[]) => all.map((one) => pullJson(one, false));
  const stackJson = (one: { readonly number: number; readonly numbers: readonly number[] }) => ({
    id: one.number,
    number: one.number,
    base: { ref: "main" },
    open: true,
    pull_requests: one.numbers.map((each) => ({ number: each })),
  });
  /** Each goes onto the branch of the one before. */
  const isChain = (numbers: readonly number[]): boolean =>
    numbers.every(
      (each, place) => place === 0 || pullRequest(each)?.base === pullRequest(numbers[place - 1])?.head,
    );
  const mergeJson = (outcome: MergeOutcome) =>
    "commit" in outcome
      ? { status: "merged", details: { message: "Pull request was merged.", sha: outcome.commit } }
      : { status: "failed", details: { message: outcome.refusal } };

  const graphql = ({ body }: Ask, ask: Ask): Reply => {
    const { query, variables } = body as { query: string; variables: Record<string, string & number> };
    const failed = (type: string, message: string): Reply => ({
      body: { data: null, errors: [{ type, message }] },
    });
    if (query.includes("reviewThreads")) {
      const one =
        at(`${variables.owner}/${variables.name}`) === "gone" ? undefined : pullRequest(variables.number);
      if (!one) return failed("NOT_FOUND", "Could not resolve to a PullRequest.");
      const from = Number(variables.after ?? 0);
      const nodes = one.threads.slice(from, from + 50).map((thread) => ({
        id: thread.id,
        isResolved: thread.isResolved,
        path: thread.file,
        line: thread.line,
        originalLine: thread.line,
        diffSide: thread.side === "old" ? "LEFT" : "RIGHT",
        comments: {
          nodes: thread.comments.map((comment) => ({
            id: `C_${comment.id}`,
            url: `https://github.test/${world.repository.path}/pull/${one.number}#discussion_r${comment.id}`,
            body: comment.text,
            createdAt: iso(comment.at),
            author: { login: comment.author.name, __typename: comment.author.isBot ? "Bot" : "User" },
          })),
        },
      }));
      const pageInfo = { hasNextPage: one.threads.length > from + 50, endCursor: String(from + 50) };
      return { body: { data: { repository: { pullRequest: { reviewThreads: { pageInfo, nodes } } } } } };
    }
    if (query.includes("markPullRequestReadyForReview")) {
      const one = pullRequest(String(variables.id).slice(3));
      if (!one) return failed("NOT_FOUND", "Could not resolve to a node.");
      one.isDraft = false;
      world.touch(one);
      return { body: { data: {} } };
    }
    const thread = world.pullRequests
      .flatMap(({ threads }) => threads)
      .find(({ id }) => id === variables.thread);
    if (!thread) return failed("NOT_FOUND", "Could not resolve to a node.");
    if (/resolveReviewThread/iu.test(query)) {
      if (!ask.token?.permissions.includes("merge"))
        return failed("FORBIDDEN", "Resource not accessible by personal access token");
      thread.isResolved = query.includes("{ resolveReviewThread");
    } else thread.comments.push(world.comment(author(ask), String(variables.body)));
    return { body: { data: {} } };
  };

  const routes: readonly Route[] = [
    { method: "GET", path: /^\/api\/v3\/meta$/u, needs: "read", answer: () => ({ body: {} }) },
    { method: "POST", path: /^\/api\/graphql$/u, needs: "pull-requests", answer: (ask) => graphql(ask, ask) },
    {
      method: "GET",
      path: /^\/api\/v3\/search\/issues$/u,
      needs: "issues",
      answer: ({ query }) => {
        const [where = "", ...words] = (query.get("q") ?? "").split(" is:issue is:open");
        if (at(where.replace("repo:", "")) === "gone")
          return refused("The listed repositories cannot be searched.");
        const wanted = words.join(" ").trim().toLowerCase();
        const items = world.issues.filter(
          ({ isOpen, title, text }) => isOpen && `${title} ${text}`.toLowerCase().includes(wanted),
        );
        return { body: { items: items.slice(0, number(query.get("per_page"))).map(issueJson) } };
      },
    },
    {
      method: "GET",
      path: /^\/api\/v3\/user$/u,
      needs: "read",
      answer: (ask) => ({ body: login(author(ask)) }),
    },
    // Logs are on another server, where the token is none.
    inRepository("GET", "/actions/jobs/(\\d+)/logs", "actions", ({ parts }) =>
      world.logOf(parts[0]) === undefined
        ? notFound
        : {
            status: 302,
            headers: { location: `http://localhost:${running.host.split(":")[1]}/logs/${parts[0]}` },
          },
    ),
    {
      method: "GET",
      path: /^\/logs\/(\d+)$/u,
      needs: "actions",
      answer: ({ token, parts }) =>
        token === null ? { text: world.logOf(parts[0]) ?? "" } : { status: 400, text: "A token came here." },
    },
    inRepository("GET", "/actions/runs/(\\d+)/jobs", "actions", ({ parts }) => ({
      body: { jobs: [{ id: number(parts[0]), conclusion: "failure" }] },
    })),
    inRepository("POST", "/pulls/(\\d+)/comments", "pull-requests", (ask) => {
      const one = pullRequest(ask.parts[0]);
      const { body: text, path: file, line, commit_id: commit } = ask.body as Record<string, string>;
      if (!one || !text || !file) return notFound;
      if (commit !== world.headOf(one)) return refused("commit_id is not part of the pull request");
      const made = world.beginThread(one, author(ask), { file, line: number(line), text });
      return made === null ? refused("line must be part of the diff") : { status: 201, body: {} };
    }),
    inRepository("GET", "", "read", () => ({ body: repositoryJson() })),
    inRepository("GET", "/issues/(\\d+)", "issues", ({ parts }) => {
      const one = world.issues.find((each) => each.number === number(parts[0]));
      return one ? { body: issueJson(one) } : notFound;
    }),
    inRepository("GET", "/issues/(\\d+)/comments", "issues", ({ parts, query }) => {
      const one = world.issues.find((each) => each.number === number(parts[0]));
      const since = Date.parse(query.get("since") ?? "") || 0;
      const found = one?.comments.filter(({ at: written }) => written >= since);
      return found ? { body: found.map(commentJson) } : notFound;
    }),
    inRepository("POST", "/issues/(\\d+)/comments", "issues", (ask) => {
      const one = world.issues.find((each) => each.number === number(ask.parts[0]));
      const made = world.comment(author(ask), String(ask.body.body));
      one?.comments.push(made);
      return one ? { status: 201, body: commentJson(made) } : notFound;
    }),
    inRepository("GET", "/pulls", "pull-requests", ({ query }) => {
      // With the owner, so that it is no branch of a fork.
      const head = query.get("head")?.split(":")[1];
      const state = query.get("state");
      const found = world.pullRequests
        .filter(
          (one) =>
            (state === "all" || one.state === "open") &&
            (head === undefined || (one.head === head && !one.isFromFork)),
        )
        .toSorted((one, other) => other.updatedAt - one.updatedAt);
      return { body: asPulls(found) };
    }),
    inRepository("POST", "/pulls", "pull-requests", (ask) => {
      const { title, body, head, base, draft } = ask.body as Record<string, string>;
      if (world.repository.isArchived)
        return { status: 403, body: { message: "Repository was archived so is read-only." } };
      if (!head || world.tip(head) === null) return refused("head is not a branch");
      if (!base || world.tip(base) === null) return refused("base is not a branch");
      if (world.pullRequests.some((one) => one.state === "open" && one.head === head && one.base === base))
        return refused(`A pull request already exists for acme:${head}.`);
      if (world.tip(head) === world.tip(base)) return refused(`No commits between ${base} and ${head}`);
      const made = world.open({
        title: title ?? "",
        text: body ?? "",
        head,
        base,
        isDraft: Boolean(draft),
        author: author(ask),
      });
      return { status: 201, body: pullJson(made) };
    }),
    inRepository("GET", "/pulls/(\\d+)", "pull-requests", ({ parts }) => {
      const one = pullRequest(parts[0]);
      return one ? { body: pullJson(one) } : notFound;
    }),
    inRepository("PATCH", "/pulls/(\\d+)", "pull-requests", ({ parts, body }) => {
      const one = pullRequest(parts[0]);
      if (!one) return notFound;
      if (typeof body.title === "string") one.title = body.title;
      if (typeof body.body === "string") one.text = body.body;
      if (typeof body.base === "string") {
        if (world.tip(body.base) === null) return refused("base is not a branch");
        one.base = body.base;
      }
      world.touch(one);
      return { body: pullJson(one) };
    }),
    inRepository("GET", "/pulls/(\\d+)/reviews", "pull-requests", ({ parts }) => ({
      body: (pullRequest(parts[0])?.reviews ?? []).map((one) => ({
        id: one.id,
        user: login(one.author),
        state: { approved: "APPROVED", "changes-requested": "CHANGES_REQUESTED", commented: "COMMENTED" }[
          one.verdict
        ],
        body: one.text,
        submitted_at: iso(one.at),
        commit_id: one.commit,
      })),
    })),
    inRepository("GET", "/commits/([^/]+)/check-runs", "checks", ({ parts, query }) => {
      const all = (world.checks.get(parts[0] ?? "") ?? []).map(checkJson);
      const [size, page] = [number(query.get("per_page") ?? 30), number(query.get("page") ?? 1)];
      const next = new URLSearchParams({ per_page: String(size), page: String(page + 1) });
      const path = `/api/v3/repos/${world.repository.path}/commits/${parts[0]}/check-runs`;
      const headers =
        all.length > size * page ? { link: `<http://${running.host}${path}?${next}>; rel="next"` } : {};
      return {
        body: { total_count: all.length, check_runs: all.slice(size * (page - 1), size * page) },
        headers,
      };
    }),
    inRepository("GET", "/actions/runs", "actions", ({ query }) => {
      const found = (world.checks.get(query.get("head_sha") ?? "") ?? []).map((one) => ({
        ...checkJson(one),
        app: undefined,
      }));
      return { body: { total_count: found.length, workflow_runs: found } };
    }),
    inRepository("GET", "/commits/([^/]+)/status", "statuses", () => ({
      body: { state: "pending", statuses: [] },
    })),
    inRepository("GET", "/stacks", "pull-requests", ({ query }) => {
      if (!world.hasStacks) return notFound;
      const wanted = number(query.get("pull_request"));
      return { body: world.stacks.filter(({ numbers }) => numbers.includes(wanted)).map(stackJson) };
    }),
    inRepository("POST", "/stacks", "pull-requests", ({ body }) => {
      if (!world.hasStacks) return notFound;
      const numbers = body.pull_requests as number[];
      if (numbers.length < 2 || !isChain(numbers)) return refused("Pull requests must form a valid chain.");
      const made = { number: world.stacks.length + 1, numbers: [...numbers] };
      world.stacks.push(made);
      return { status: 201, body: stackJson(made) };
    }),
    inRepository("POST", "/stacks/(\\d+)/add", "pull-requests", ({ parts, body }) => {
      const stack = world.stacks.find((one) => one.number === number(parts[0]));
      if (!world.hasStacks || !stack) return notFound;
      const numbers = body.pull_requests as number[];
      if (!isChain([...stack.numbers, ...numbers])) return refused("Pull requests must form a valid chain.");
      stack.numbers.push(...numbers);
      return { body: stackJson(stack) };
    }),
    inRepository("PUT", "/pulls/(\\d+)/merge-async", "merge", ({ parts, body }) => {
      const one = pullRequest(parts[0]);
      if (!one) return notFound;
      if (one.state === "merged") return { body: mergeJson({ commit: one.mergeCommit ?? "" }) };
      if (one.state === "closed" || one.isDraft)
        return {
          status: 400,
          body: mergeJson({
            refusal: one.isDraft ? "Pull Request is still a draft" : "Pull Request is closed",
            isStale: false,
          }),
        };
      const uuid = `merge-${one.number}`;
      const isThere = world.merges.has(uuid);
      if (!isThere) {
        const { merge_method, sha } = body as { merge_method: "merge"; sha: string };
        let outcome: MergeOutcome | null = null;
        world.merges.set(uuid, () => {
          outcome ??= world.merge(one, merge_method, sha);
          if (!("commit" in outcome)) world.merges.delete(uuid);
          return outcome;
        });
      }
      return {
        status: isThere ? 409 : 202,
        body: { status: "pending", details: { message: "Merge request enqueued.", uuid } },
      };
    }),
    inRepository("GET", "/pulls/(\\d+)/merge-async/([^/]+)", "merge", ({ parts }) => {
      const finish = world.merges.get(parts[1] ?? "");
      return finish ? { body: mergeJson(finish()) } : notFound;
    }),
  ];

  let running: RunningForge = { host: "", cloneUrl: "", close: async () => undefined };
  return serveForge(world, {
    routes,
    headers: { "x-github-request-id": "0:1" },
    refusals: {
      notFound,
      badToken: { status: 401, body: { message: "Bad credentials" } },
      noToken: { status: 401, body: { message: "Requires authentication" } },
      permission: (needed) => ({
        status: 403,
        body: { message: "Resource not accessible by personal access token" },
        headers: { "x-accepted-github-permissions": permissionsOf[needed] },
      }),
      primaryLimit: (reset) => ({
        status: 403,
        body: { message: "API rate limit exceeded for user ID 1." },
        headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(reset) },
      }),
      secondaryLimit: {
        status: 403,
        body: { message: "You have exceeded a secondary rate limit." },
        headers: { "retry-after": "30" },
      },
    },
    pageHeaders: ({ url, next }): Record<string, string> => {
      if (next === null) return {};
      const to = new URL(url);
      to.searchParams.set("page", String(next));
      return { link: `<${to.href}>; rel="next"` };
    },
  }).then((served) => {
    running = served;
    return served;
  });
}
