/** A stand-in for GitLab: REST below `/api/v4`. */
import type { Permission } from "../forge-error.ts";
import type {
  ForgeWorld,
  WorldComment,
  WorldIssue,
  WorldPullRequest,
  WorldThread,
  WorldUser,
} from "./forge-world.ts";
import { type Ask, type Reply, type Route, type RunningForge, serveForge } from "./serve-forge.ts";

const iso = (at: number): string => new Date(at).toISOString();
const username = ({ name }: WorldUser) => ({ username: name });
const draft = /^draft: /iu;

/** Serves a world as GitLab does. */
export function serveGitlab(world: ForgeWorld): Promise<RunningForge> {
  const notFound: Reply = { status: 404, body: { message: "404 Project Not Found" } };
  const refused = (status: number, message: unknown): Reply => ({ status, body: { message } });

  const inProject = (
    method: string,
    rest: string,
    needs: Permission,
    answer: (ask: Ask) => Reply,
  ): Route => ({
    method,
    path: new RegExp(`^/api/v4/projects/([^/]+)${rest}$`, "u"),
    needs,
    answer: (ask) => {
      const [named = "", ...parts] = ask.parts;
      const { id, path, oldPaths } = world.repository;
      if (named === String(id) || named === path) return answer({ ...ask, parts });
      if (!oldPaths.includes(named)) return notFound;
      const to = ask.path.replace(/\/projects\/[^/]+/u, `/projects/${encodeURIComponent(path)}`);
      return {
        status: 301,
        headers: { location: to },
        body: { message: "Non GET methods are not allowed for moved projects" },
      };
    },
  });
  const request = (given: unknown): WorldPullRequest | undefined =>
    world.pullRequests.find((one) => one.number === Number(given));
  const requestJson = (one: WorldPullRequest) => {
    const isMergeable = one.state === "open" && world.isMergeable(one);
    return {
      id: 90_000 + one.number,
      iid: one.number,
      title: `${one.isDraft ? "Draft: " : ""}${one.title}`,
      description: one.text,
      web_url: `https://gitlab.test/${world.repository.path}/-/merge_requests/${one.number}`,
      state: { open: "opened", closed: "closed", merged: "merged" }[one.state],
      draft: one.isDraft,
      author: username(one.author),
      source_branch: one.head,
      source_project_id: world.repository.id + (one.isFromFork ? 1 : 0),
      target_project_id: world.repository.id,
      target_branch: one.base,
      sha: world.headOf(one),
      has_conflicts: one.state === "open" && !isMergeable,
      merge_status: isMergeable ? "can_be_merged" : "cannot_be_merged",
      merge_when_pipeline_succeeds: one.isQueued,
      merge_commit_sha: one.mergeCommit,
      squash_commit_sha: null,
      updated_at: iso(one.updatedAt),
      diff_refs: {
        base_sha: world.tip(one.base),
        start_sha: world.tip(one.base),
        head_sha: world.headOf(one),
      },
    };
  };
  const issueJson = (one: WorldIssue) => ({
    id: 80_000 + one.number,
    iid: one.number,
    title: one.title,
    description: one.text,
    web_url: `https://gitlab.test/${world.repository.path}/-/issues/${one.number}`,
    state: one.isOpen ? "opened" : "closed",
    labels: one.labels,
    author: username(one.author),
  });
  const noteJson = (one: WorldComment) => ({
    id: one.id,
    author: username(one.author),
    created_at: iso(one.at),
    body: one.text,
    system: false,
  });
  const systemNote = {
    id: 1,
    author: { username: "alice" },
    created_at: iso(0),
    body: "changed the description",
    system: true,
  };
  const discussionJson = (thread: WorldThread) => ({
    id: thread.id,
    notes: thread.comments.map((comment) => ({
      ...noteJson(comment),
      resolvable: true,
      resolved: thread.isResolved,
      position: {
        new_path: thread.file,
        old_path: thread.file,
        new_line: thread.side === "new" ? thread.line : null,
        old_line: thread.side === "old" ? thread.line : null,
      },
    })),
  });
  const author = ({ token }: Ask): WorldUser => token?.user ?? world.user("ghost");
  const issue = ({ parts }: Ask): WorldIssue | undefined =>
    world.issues.find((one) => one.number === Number(parts[0]));

  const routes: readonly Route[] = [
    {
      method: "GET",
      path: /^\/api\/v4\/version$/u,
      needs: "read",
      answer: () => ({ body: { version: "18.0.0" } }),
    },
    {
      method: "GET",
      path: /^\/api\/v4\/user$/u,
      needs: "read",
      answer: (ask) => ({ body: username(author(ask)) }),
    },
    inProject("GET", "/jobs/(\\d+)/trace", "checks", ({ parts }) => {
      const text = world.logOf(parts[0]);
      return text === undefined ? notFound : { text };
    }),
    inProject("GET", "", "read", () => ({
      body: {
        id: world.repository.id,
        path_with_namespace: world.repository.path,
        web_url: `https://gitlab.test/${world.repository.path}`,
        default_branch: "main",
        archived: world.repository.isArchived,
        merge_method: world.mergeMethod,
      },
    })),
    inProject("GET", "/issues", "issues", ({ query }) => {
      const wanted = (query.get("search") ?? "").toLowerCase();
      const found = world.issues.filter(
        ({ isOpen, title, text }) => isOpen && `${title} ${text}`.toLowerCase().includes(wanted),
      );
      return { body: found.map(issueJson) };
    }),
    inProject("GET", "/issues/(\\d+)", "issues", (ask) => {
      const one = issue(ask);
      return one ? { body: issueJson(one) } : notFound;
    }),
    inProject("GET", "/issues/(\\d+)/notes", "issues", (ask) => {
      const one = issue(ask);
      const notes = [systemNote, ...(one?.comments.map(noteJson) ?? [])];
      return one ? { body: ask.query.get("sort") === "desc" ? notes.toReversed() : notes } : notFound;
    }),
    inProject("POST", "/issues/(\\d+)/notes", "issues", (ask) => {
      const one = issue(ask);
      const made = world.comment(author(ask), String(ask.body.body));
      one?.comments.push(made);
      return one ? { status: 201, body: noteJson(made) } : notFound;
    }),
    inProject("GET", "/merge_requests", "pull-requests", ({ query }) => {
      const head = query.get("source_branch");
      const found = world.pullRequests
        .filter(
          (one) =>
            (query.get("state") === "all" || one.state === "open") && (head === null || one.head === head),
        )
        .toSorted((one, other) => other.updatedAt - one.updatedAt);
      return { body: found.map(requestJson) };
    }),
    inProject("POST", "/merge_requests", "pull-requests", (ask) => {
      const {
        title = "",
        description = "",
        source_branch: head = "",
        target_branch: base = "",
      } = ask.body as Record<string, string>;
      if (world.repository.isArchived) return refused(403, "403 Forbidden");
      if (world.tip(head) === null) return refused(422, ["Source branch does not exist"]);
      if (world.tip(base) === null) return refused(422, ["Target branch does not exist"]);
      const there = world.pullRequests.find(
        (one) => one.state === "open" && one.head === head && one.base === base,
      );
      if (there)
        return refused(409, [
          `Another open merge request already exists for this source branch: !${there.number}`,
        ]);
      const made = world.open({
        title: title.replace(draft, ""),
        text: description,
        head,
        base,
        isDraft: draft.test(title),
        author: author(ask),
      });
      return { status: 201, body: requestJson(made) };
    }),
    inProject("GET", "/merge_requests/(\\d+)", "pull-requests", ({ parts }) => {
      const one = request(parts[0]);
      return one ? { body: requestJson(one) } : notFound;
    }),
    inProject("PUT", "/merge_requests/(\\d+)", "pull-requests", ({ parts, body }) => {
      const one = request(parts[0]);
      if (!one) return notFound;
      if (typeof body.title === "string") {
        one.isDraft = draft.test(body.title);
        one.title = body.title.replace(draft, "");
      }
      if (typeof body.description === "string") one.text = body.description;
      if (typeof body.target_branch === "string") one.base = body.target_branch;
      world.touch(one);
      return { body: requestJson(one) };
    }),
    inProject("PUT", "/merge_requests/(\\d+)/merge", "merge", ({ parts, body }) => {
      const one = request(parts[0]);
      if (!one) return notFound;
      if (one.state !== "open" || one.isDraft) return refused(405, "405 Method Not Allowed");
      const method = body.squash === true ? "squash" : world.mergeMethod === "ff" ? "rebase" : "merge";
      const outcome = world.merge(one, method, String(body.sha));
      if ("commit" in outcome) return { body: requestJson(one) };
      return outcome.isStale
        ? refused(409, "SHA does not match HEAD of source branch")
        : refused(422, "Branch cannot be merged");
    }),
    inProject("GET", "/merge_requests/(\\d+)/reviewers", "pull-requests", ({ parts }) => ({
      body: (request(parts[0])?.reviews ?? [])
        .filter(({ verdict }) => verdict !== "approved")
        .map((one) => ({
          user: username(one.author),
          state: one.verdict === "changes-requested" ? "requested_changes" : "reviewed",
          created_at: iso(one.at),
        })),
    })),
    inProject("GET", "/merge_requests/(\\d+)/approvals", "pull-requests", ({ parts }) => ({
      body: {
        approved_by: (request(parts[0])?.reviews ?? [])
          .filter(({ verdict }) => verdict === "approved")
          .map((one) => ({ user: username(one.author) })),
      },
    })),
    inProject("GET", "/merge_requests/(\\d+)/discussions", "pull-requests", ({ parts }) => ({
      body: [
        { id: "system", notes: [systemNote] },
        {
          id: "plain",
          notes: [noteJson(world.comment(world.user("alice"), "In general"))].map((note) => ({
            ...note,
            id: 2,
            created_at: iso(0),
          })),
        },
        ...(request(parts[0])?.threads ?? []).map(discussionJson),
      ],
    })),
    inProject("POST", "/merge_requests/(\\d+)/discussions", "pull-requests", (ask) => {
      const one = request(ask.parts[0]);
      const position = ask.body.position as Readonly<Record<string, unknown>> | undefined;
      if (!one || !position) return notFound;
      if (position.head_sha !== world.headOf(one)) return refused(400, "400 Bad request");
      const made = world.beginThread(one, author(ask), {
        ...{ file: String(position.new_path), line: Number(position.new_line), text: String(ask.body.body) },
      });
      return made === null
        ? refused(400, "400 Bad request - Note {:line_code=>[can't be blank]}")
        : { status: 201, body: discussionJson(made) };
    }),
    inProject("POST", "/merge_requests/(\\d+)/discussions/([^/]+)/notes", "pull-requests", (ask) => {
      const thread = request(ask.parts[0])?.threads.find(({ id }) => id === ask.parts[1]);
      const made = world.comment(author(ask), String(ask.body.body));
      thread?.comments.push(made);
      return thread ? { status: 201, body: noteJson(made) } : notFound;
    }),
    inProject("PUT", "/merge_requests/(\\d+)/discussions/([^/]+)", "pull-requests", ({ parts, body }) => {
      const thread = request(parts[0])?.threads.find(({ id }) => id === parts[1]);
      if (thread) thread.isResolved = body.resolved === true;
      return thread ? { body: discussionJson(thread) } : notFound;
    }),
    inProject("GET", "/repository/commits/([^/]+)/statuses", "checks", ({ parts }) => ({
      body: (world.checks.get(parts[0] ?? "") ?? []).map((one) => ({
        id: one.id,
        name: one.name,
        status: { running: "running", passed: "success", failed: "failed" }[one.result],
        allow_failure: false,
        target_url: `https://gitlab.test/jobs/${one.id}`,
      })),
    })),
  ];
  return serveForge(world, {
    routes,
    headers: { "x-gitlab-meta": '{"version":"1"}' },
    refusals: {
      notFound,
      badToken: {
        status: 401,
        body: {
          error: "invalid_token",
          error_description: "Token is expired. You can either do re-authorization or token refresh.",
        },
      },
      noToken: { status: 401, body: { message: "401 Unauthorized" } },
      permission: (needed) => ({
        status: 403,
        body: {
          error: "insufficient_scope",
          error_description: "The request requires higher privileges than provided by the access token.",
          scope: needed === "read" || needed === "checks" ? "read_api" : "api",
        },
      }),
      primaryLimit: (reset) => ({
        status: 429,
        body: { message: "Retry later" },
        headers: { "ratelimit-remaining": "0", "ratelimit-reset": String(reset) },
      }),
      secondaryLimit: { status: 429, body: { message: "Retry later" }, headers: { "retry-after": "30" } },
    },
    pageHeaders: ({ next }) => ({ "x-next-page": next === null ? "" : String(next) }),
  });
}
