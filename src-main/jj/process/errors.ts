import { ToolMissing } from "../../config/tools.ts";
import { isHidden } from "./only-visible.ts";

/** What went wrong, in words that the engine can branch on. */
export type JjErrorKind =
  | "not-a-repository"
  | "stale"
  | "divergent"
  | "rewritten"
  | "concurrent"
  | "conflicted-bookmark"
  | "bookmark-backwards"
  | "immutable"
  | "no-such-revision"
  | "no-such-operation"
  | "no-such-path"
  | "missing-object"
  | "file-name"
  | "no-such-bookmark"
  | "no-such-workspace"
  | "workspace-exists"
  | "revset"
  | "config"
  | "usage"
  | "unsaved-files"
  | "in-the-way"
  | "jj-missing"
  | "too-old"
  | "permission"
  | "disk"
  | "timeout"
  | "killed"
  | "folder-gone"
  | "aborted"
  | "internal"
  | "index"
  | "failed";

/** A jj command that did not do what it was asked: its arguments, jj's own words, and what to do. */
export class JjError extends Error {
  override readonly name = "JjError";
  readonly kind: JjErrorKind;
  readonly args: readonly string[];
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly remedy: string;
  /** Of `folder-gone`: which one. */
  readonly folder: string | null;
  constructor(problem: {
    readonly kind: JjErrorKind;
    readonly message: string;
    readonly remedy?: string;
    readonly args?: readonly string[];
    readonly exitCode?: number | null;
    readonly stderr?: string;
    readonly cause?: unknown;
    readonly folder?: string;
  }) {
    super(problem.message, problem.cause === undefined ? undefined : { cause: problem.cause });
    this.kind = problem.kind;
    this.args = problem.args ?? [];
    this.exitCode = problem.exitCode ?? null;
    this.stderr = problem.stderr ?? "";
    this.folder = problem.folder ?? null;
    this.remedy = problem.remedy ?? remedies[problem.kind];
  }
}

/** Whether the error is a conflict with another command, so that the step can be retried. */
export const isWriteConflict = (error: unknown): error is JjError =>
  error instanceof JjError && ["rewritten", "concurrent", "stale", "divergent"].includes(error.kind);

const remedies: Readonly<Record<JjErrorKind, string>> = {
  "not-a-repository": "Open a folder with a jj repository, or let Hox create one.",
  stale: "Run `jj workspace update-stale` in that workspace.",
  divergent: "Several commits have this change ID. Repair it with `jj converge`, or use a commit ID.",
  rewritten: "This commit was just rewritten. Check the graph, then retry.",
  concurrent: "Another jj or git command is running in this repository. Retry when it has finished.",
  "conflicted-bookmark": "The bookmark points at several commits. Choose one with `jj bookmark set`.",
  "bookmark-backwards":
    "The bookmark would move backwards or sideways. Allow it explicitly if you want that.",
  immutable: "This commit is protected by `immutable_heads()`. Create a new change on top of it instead.",
  "no-such-revision": "The change was abandoned or rewritten. Check the graph and choose another.",
  "no-such-operation": "The operation was abandoned, or the ID is wrong. Reload the graph.",
  "no-such-path": "The file is not in that commit.",
  "missing-object":
    "In a partial clone (git clone --filter), fetch the missing files with `git fetch --refetch --no-filter`, because jj can't. In other clones, check for damage with `git fsck`.",
  "file-name":
    "jj can read only file names in UTF-8. Find the others with `git ls-files`, which shows them in quotes with \\ooo escapes. Rename them with `git mv`, commit, and retry.",
  "no-such-bookmark": "Choose a bookmark that exists.",
  "no-such-workspace": "Choose a workspace that exists (`jj workspace list`).",
  "workspace-exists": "Choose another name, or let jj forget it with `jj workspace forget <name>`.",
  revset: "Fix the expression. For the syntax, see `jj help -k revsets`.",
  config: "Fix the named setting in jj's configuration (`jj config edit --user`).",
  usage: "This is a bug in Hox, or the installed jj is much newer than this Hox supports. Please report it.",
  "unsaved-files": "Move or delete the named files, or add them to .gitignore, then retry.",
  "in-the-way": "Commit or stash your own edits, then retry.",
  "jj-missing":
    "Let Hox download it (a button on the welcome page, or `hox doctor --fetch-jj`), or install Jujutsu 0.44 or later, or set HOX_JJ to its path.",
  "too-old":
    "Let Hox download a newer version (a button on the welcome page, or `hox doctor --fetch-jj`), or install Jujutsu 0.44 or later.",
  permission: "Allow your user to read and write the repository folder.",
  disk: "Free disk space, then retry.",
  timeout: "Another program may have locked the repository. Close it and retry.",
  killed: "It was killed, possibly because memory ran out. Free memory and retry.",
  "folder-gone":
    "Move it back and retry. If you moved or renamed the repository, open it at its new place. Hox recreates deleted workspaces.",
  aborted: "The request was cancelled.",
  internal:
    "If the message names a file or folder, check that it exists and is writable, then retry. Otherwise report the message to the jj project.",
  index: "Run `jj debug reindex` in the repository, then retry.",
  failed: "This message is from jj. For details, run the same command in a terminal.",
};

// The first that matches decides; the order goes from exact to general.
const symptoms: readonly (readonly [RegExp, JjErrorKind])[] = [
  [/There is no jj repo in|is not a jj repo|No such file or directory.*\.jj\/repo/i, "not-a-repository"],
  [/working copy is stale|seems to be a sibling of the working copy's operation/i, "stale"],
  [
    /Concurrent (?:checkout|working copy operation|modification detected, try)|index\.lock|Failed to lock|could not be locked|Resource temporarily unavailable|reference .* was modified concurrently|Newly-created commit \S+ already exists/i,
    "concurrent",
  ],
  [/Workspace named '.*' already exists/i, "workspace-exists"],
  [/No space left on device|Disk quota exceeded|os error 28\b|os error 122\b/i, "disk"],
  [/Permission denied|Read-only file system|Access is denied/i, "permission"],
  [/Change ID `?[^`]*`? is divergent|resolved to more than one revision.*divergent/is, "divergent"],
  [/(?:Name|Bookmark) `?[^`]*`? is conflicted/i, "conflicted-bookmark"],
  [/Refusing to move bookmark backwards or sideways/i, "bookmark-backwards"],
  [/is immutable/i, "immutable"],
  [/No operation ID matching|is not a valid hexadecimal prefix|Operation.*not found/i, "no-such-operation"],
  [/No such path/i, "no-such-path"],
  [/Object [0-9a-f]{40,} of type \w+ not found/i, "missing-object"],
  [/Invalid UTF-8 for object \S+ of type tree/i, "file-name"],
  [/commit index|index segment/i, "index"],
  [/No such workspace|No matching workspaces|Workspace .* doesn't (?:exist|have)/i, "no-such-workspace"],
  [/No (?:such|matching) bookmark|Bookmark .* doesn't exist/i, "no-such-bookmark"],
  [/Failed to parse revset|Failed to resolve .*revset|Function `[^`]*` doesn't exist/i, "revset"],
  [
    /Revision `?[^`]*`? doesn't exist|Commit ID prefix|Change ID prefix|No revisions found/i,
    "no-such-revision",
  ],
  [/^Config error/m, "config"],
];

/** The error for a jj process that ended with a failure. `args` are those it was started with. */
export function jjFailure(args: readonly string[], exitCode: number | null, stderr: string): JjError {
  const words = stderr.trim();
  const kind = isHidden(args, words)
    ? "rewritten"
    : (symptoms.find(([pattern]) => pattern.test(words))?.[1] ??
      (exitCode === 2 ? "usage" : exitCode === 255 ? "internal" : "failed"));
  const first = words
    .split("\n")
    .find((line) => /^(?:Internal |Config )?[Ee]rror/.test(line))
    ?.replace(/^(?:Internal error|error|Error): /, "");
  const message = [first ?? words.split("\n")[0] ?? "jj failed", ...causesIn(words)].join(": ");
  // Arguments contain the user's texts (a bookmark's name, a path).
  const lock = kind === "concurrent" ? /lockfile at "(.+?)" might need/u.exec(words)?.[1] : undefined;
  const refused = kind === "usage" ? /^error: invalid value '(.*)' for '/mu.exec(words)?.[1] : undefined;
  return new JjError({
    kind,
    message,
    args,
    exitCode,
    stderr,
    ...(lock === undefined
      ? {}
      : {
          remedy: `Another jj or git command has locked ${lock}. Retry when it has finished. If no command is running, delete that file: a killed command left it.`,
        }),
    ...(refused === undefined ? {} : { remedy: `jj does not accept ${refused} here. Fix it and retry.` }),
  });
}

/**
 * What jj names as causes, the outermost first: `Caused by: …` where there is one, else a numbered line for each. A revset's
 * cause is a drawing and stays in `stderr`.
 */
function causesIn(stderr: string): readonly string[] {
  const at = stderr.search(/^Caused by:/mu);
  if (at < 0) return [];
  const [heading = "", ...lines] = stderr.slice(at).split("\n");
  const only = heading.slice("Caused by:".length).trim();
  if (only !== "") return only.startsWith("-->") ? [] : [only];
  const end = lines.findIndex((line) => !/^\d+: /u.test(line));
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .map((line) => line.replace(/^\d+: /u, ""))
    .filter((cause) => cause !== "Internal error" && !cause.startsWith("-->"));
}

/** The error for a folder in which something was to be done: it was moved, renamed or deleted, or its disk is away. */
export const folderGone = (
  folder: string,
  more: { readonly args?: readonly string[]; readonly stderr?: string; readonly cause?: unknown } = {},
): JjError =>
  new JjError({ kind: "folder-gone", message: `The folder ${folder} does not exist.`, folder, ...more });

/** The error for a program that is not there. */
export function jjMissing(cause: unknown): JjError {
  return new JjError({
    kind: "jj-missing",
    message: "jj was not found.",
    cause,
    ...(cause instanceof ToolMissing ? { message: cause.message, remedy: cause.remedy } : {}),
  });
}
