/** What a stand-in for a forge holds: a real bare Git repository, and everything around it in memory. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Permission } from "../forge-error.ts";

export const everything: readonly Permission[] = [
  "read",
  "issues",
  "checks",
  "actions",
  "statuses",
  "pull-requests",
  "merge",
];

export const ownToken = "hox-test-token-of-me";

export interface WorldUser {
  readonly name: string;
  readonly isBot: boolean;
}

export interface WorldComment {
  readonly id: number;
  readonly author: WorldUser;
  readonly at: number;
  readonly text: string;
}

export interface WorldIssue {
  readonly number: number;
  title: string;
  text: string;
  isOpen: boolean;
  labels: string[];
  author: WorldUser;
  comments: WorldComment[];
}

export interface WorldCheck {
  readonly id: number;
  readonly name: string;
  /** `running` until it has a result. */
  result: "running" | "passed" | "failed";
  /** Of its job. */
  log: string;
}

interface WorldReview {
  readonly id: number;
  readonly author: WorldUser;
  readonly verdict: "approved" | "changes-requested" | "commented";
  readonly text: string;
  readonly at: number;
  readonly commit: string;
}

export interface WorldThread {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly side: "new" | "old";
  isResolved: boolean;
  comments: WorldComment[];
}

export interface WorldPullRequest {
  readonly number: number;
  title: string;
  text: string;
  state: "open" | "closed" | "merged";
  isDraft: boolean;
  isQueued: boolean;
  /** Its branch is one of another repository. */
  isFromFork?: boolean;
  readonly author: WorldUser;
  readonly head: string;
  base: string;
  /** Where it was when it was merged or closed. */
  finalHead: string | null;
  mergeCommit: string | null;
  updatedAt: number;
  reviews: WorldReview[];
  threads: WorldThread[];
}

export interface WorldToken {
  readonly user: WorldUser;
  readonly permissions: readonly Permission[];
  isExpired?: boolean;
}

export type Method = "merge" | "squash" | "rebase";

/** Faults that last until a test takes them away. */
export interface Faults {
  isDown: boolean;
  /** Answers wait for it. */
  hold: Promise<void> | null;
  /** Requests left until the time of `resetAt`, in ms since 1970. */
  quota: { left: number; resetAt: number } | null;
  /** Refused for a short while, with no word on the quota. */
  isSecondaryLimit: boolean;
  /** Bytes that are added to each answer. */
  padding: number;
  /** A page in place of an answer, as proxies and portals send. */
  page: string | null;
  /** Where every request is sent on to. */
  redirectTo: string | null;
  /** Happens after a push has seen where the branches are, and before they move. */
  beforePush: (() => void) | null;
}

const noFaults = (): Faults => ({
  isDown: false,
  hold: null,
  quota: null,
  isSecondaryLimit: false,
  padding: 0,
  page: null,
  redirectTo: null,
  beforePush: null,
});

export interface WorldOptions {
  /** Empty, for its repository. */
  readonly folder: string;
  readonly now: () => number;
  readonly path?: string;
  readonly hasStacks?: boolean;
  readonly mergeMethod?: "merge" | "ff";
}

const identity = ["-c", "user.name=Forge", "-c", "user.email=forge@example.invalid"];

/** A forge with one repository: `widgets` of `acme`, with one commit on main. */
export function createForgeWorld({
  folder,
  now,
  path = "acme/widgets",
  hasStacks = false,
  mergeMethod = "merge",
}: WorldOptions) {
  const gitFolder = join(folder, "served.git");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", gitFolder, ...identity, ...args], { encoding: "utf8", stdio: "pipe" }).trim();
  execFileSync("git", ["init", "-q", "--bare", "-b", "main", gitFolder], { stdio: "pipe" });
  git("config", "http.receivepack", "true");
  let ids = 1000;
  const nextId = (): number => {
    ids += 1;
    return ids;
  };
  const users = new Map<string, WorldUser>();
  const user = (name: string, isBot = false): WorldUser => {
    const known = users.get(name) ?? { name, isBot };
    users.set(name, known);
    return known;
  };

  /** A commit with one file changed, on a branch that is made where it does not exist. */
  const commit = (branch: string, file: string, content: string, from = "main"): string => {
    const blob = execFileSync("git", ["-C", gitFolder, "hash-object", "-w", "--stdin"], {
      input: content,
      encoding: "utf8",
    }).trim();
    const parent = tip(branch) ?? tip(from) ?? (/^[0-9a-f]{40}$/u.test(from) ? from : null);
    const index = { ...process.env, GIT_INDEX_FILE: join(folder, `index-${nextId()}`) };
    const withIndex = (...args: readonly string[]): string =>
      execFileSync("git", ["-C", gitFolder, ...args], { encoding: "utf8", env: index, stdio: "pipe" }).trim();
    if (parent !== null) withIndex("read-tree", parent);
    withIndex("update-index", "--add", "--cacheinfo", `100644,${blob},${file}`);
    const made = git(
      "commit-tree",
      withIndex("write-tree"),
      ...(parent === null ? [] : ["-p", parent]),
      "-m",
      `Change ${file}`,
    );
    git("update-ref", `refs/heads/${branch}`, made);
    return made;
  };
  const tip = (branch: string): string | null => {
    try {
      return git("rev-parse", "--verify", "--quiet", `refs/heads/${branch}`);
    } catch {
      return null;
    }
  };
  commit("main", "readme.md", "widgets\n");

  const world = {
    repository: { id: 4711, path, oldPaths: [] as string[], isArchived: false },
    hasStacks,
    mergeMethod,
    gitFolder,
    now,
    faults: noFaults(),
    tokens: new Map<string, WorldToken>(),
    issues: [] as WorldIssue[],
    pullRequests: [] as WorldPullRequest[],
    checks: new Map<string, WorldCheck[]>(),
    stacks: [] as { readonly number: number; numbers: number[] }[],
    /** Merges that run in the background: what they come to, once they are asked for again. */
    merges: new Map<string, () => MergeOutcome>(),
    /** Requests that cost quota, as `GET /path`. */
    asked: [] as string[],
    unchanged: 0,
    refusedWhileDown: 0,
    git,
    commit,
    tip,
    user,
    nextId,
    headOf: (one: WorldPullRequest): string => one.finalHead ?? tip(one.head) ?? "",
    touch(one: WorldPullRequest): void {
      one.updatedAt = Math.max(now(), one.updatedAt + 1000);
    },
    rename(to: string): void {
      world.repository.oldPaths.push(world.repository.path);
      world.repository.path = to;
    },
    addIssue(title: string, text: string, more: Partial<WorldIssue> = {}): WorldIssue {
      const issue = {
        number: world.issues.length + world.pullRequests.length + 1,
        title,
        text,
        isOpen: true,
        labels: [],
        author: user("alice"),
        comments: [],
        ...more,
      };
      world.issues.push(issue);
      return issue;
    },
    comment: (author: WorldUser, text: string): WorldComment => ({ id: nextId(), author, at: now(), text }),
    open(
      given: Pick<WorldPullRequest, "title" | "text" | "head" | "base" | "isDraft" | "author">,
    ): WorldPullRequest {
      const made: WorldPullRequest = {
        ...given,
        number: world.issues.length + world.pullRequests.length + 1,
        state: "open",
        isQueued: false,
        finalHead: null,
        mergeCommit: null,
        updatedAt: now(),
        reviews: [],
        threads: [],
      };
      world.pullRequests.push(made);
      return made;
    },
    setCheck(commitId: string, name: string, result: WorldCheck["result"], log = ""): void {
      const all = world.checks.get(commitId) ?? [];
      const known = all.find((one) => one.name === name);
      if (known) Object.assign(known, { result, log });
      else world.checks.set(commitId, [...all, { id: nextId(), name, result, log }]);
    },
    logOf: (id: unknown): string | undefined =>
      [...world.checks.values()].flat().find((one) => one.id === Number(id))?.log,
    /** A new thread on a line of a commit; null: the line is not in it. */
    beginThread(
      one: WorldPullRequest,
      author: WorldUser,
      { file, line, text }: { readonly file: string; readonly line: number; readonly text: string },
    ): WorldThread | null {
      const lines = git("show", `${world.headOf(one)}:${file}`).split("\n");
      if (line < 1 || line > lines.length) return null;
      const comments = [world.comment(author, text)];
      const thread = {
        id: `thread-${nextId()}`,
        file,
        line,
        side: "new" as const,
        isResolved: false,
        comments,
      };
      one.threads.push(thread);
      world.touch(one);
      return thread;
    },
    isMergeable: (one: WorldPullRequest): boolean =>
      mergedTree(git, tip(one.base) ?? "", world.headOf(one)) !== null,
    /** Merges one, and with a stack everything below it; all or nothing. */
    merge(one: WorldPullRequest, method: Method, head: string | null): MergeOutcome {
      const stack = world.stacks.find(({ numbers }) => numbers.includes(one.number));
      const numbers = stack ? stack.numbers.slice(0, stack.numbers.indexOf(one.number) + 1) : [one.number];
      const parts = numbers
        .map((number) => world.pullRequests.find((each) => each.number === number))
        .filter((each) => each !== undefined && each.state === "open") as WorldPullRequest[];
      if (head !== null && world.headOf(one) !== head)
        return { refusal: "Head branch was modified.", isStale: true };
      if (parts.some(({ isDraft }) => isDraft))
        return { refusal: "Pull Request is still a draft", isStale: false };
      const target = parts[0]?.base ?? one.base;
      const before = tip(target) ?? "";
      let last = before;
      const heads = new Map(parts.map((part) => [part.number, world.headOf(part)]));
      let below = before;
      for (const part of parts) {
        const tipOfPart = heads.get(part.number) ?? "";
        const made = mergeOnto(git, { onto: last, head: tipOfPart, below, method, title: part.title });
        if (made === null) {
          git("update-ref", `refs/heads/${target}`, before);
          return { refusal: "Merge conflict: the pull request could not be merged.", isStale: false };
        }
        last = made;
        below = tipOfPart;
        part.mergeCommit = made;
      }
      git("update-ref", `refs/heads/${target}`, last);
      for (const part of parts) {
        part.state = "merged";
        part.finalHead = heads.get(part.number) ?? null;
        world.touch(part);
      }
      if (stack) rebaseRest(stack.numbers, target, below);
      else
        for (const other of world.pullRequests)
          if (other.state === "open" && other.base === one.head) {
            other.base = target;
            world.touch(other);
          }
      return { commit: last };
    },
  };

  /** What is left of a stack is put onto what was merged. */
  function rebaseRest(numbers: readonly number[], target: string, merged: string): void {
    let [onto, below, base] = [tip(target) ?? "", merged, target];
    for (const number of numbers) {
      const part = world.pullRequests.find((one) => one.number === number);
      if (part?.state !== "open") continue;
      const old = world.headOf(part);
      const made = mergeOnto(git, { onto, head: old, below, method: "rebase", title: "" }) ?? old;
      git("update-ref", `refs/heads/${part.head}`, made);
      part.base = base;
      world.touch(part);
      [onto, below, base] = [made, old, part.head];
    }
  }
  return world;
}

export type ForgeWorld = ReturnType<typeof createForgeWorld>;

export type MergeOutcome =
  | { readonly commit: string }
  | { readonly refusal: string; readonly isStale: boolean };

type Git = ForgeWorld["git"];

/** The tree of both together; null: they conflict. */
function mergedTree(git: Git, one: string, other: string, base?: string): string | null {
  try {
    return (
      git(
        "merge-tree",
        "--write-tree",
        ...(base === undefined ? [] : [`--merge-base=${base}`]),
        one,
        other,
      ).split("\n")[0] ?? null
    );
  } catch {
    return null;
  }
}

interface Onto {
  readonly onto: string;
  readonly head: string;
  /** The commit that its own commits begin after. */
  readonly below: string;
  readonly method: Method;
  readonly title: string;
}

function mergeOnto(git: Git, { onto, head, below, method, title }: Onto): string | null {
  const base = git("merge-base", below, head);
  if (method !== "rebase") {
    const tree = mergedTree(git, onto, head, base);
    if (tree === null) return null;
    const parents = method === "merge" ? ["-p", onto, "-p", head] : ["-p", onto];
    return git("commit-tree", tree, ...parents, "-m", method === "merge" ? `Merge ${title}` : title);
  }
  let made = onto;
  for (const commit of git("rev-list", "--reverse", `${base}..${head}`).split("\n").filter(Boolean)) {
    const tree = mergedTree(git, made, commit, `${commit}^`);
    if (tree === null) return null;
    made = git("commit-tree", tree, "-p", made, "-m", git("log", "-1", "--format=%B", commit));
  }
  return made;
}
