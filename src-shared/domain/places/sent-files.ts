/** What another machine may send of a workspace's files. */

/** One file that differs from those that were sent to the machine. */
export interface SentFile {
  /** Relative to the workspace, with `/`. */
  readonly path: string;
  /** As Git writes it; null: the file is gone. */
  readonly mode: string | null;
  /** Id of its content as a Git blob; null: the file is gone. */
  readonly oid: string | null;
  readonly bytes: number;
}

export interface SentFilesLimits {
  readonly files: number;
  readonly bytesPerFile: number;
  readonly bytes: number;
  readonly pathLength: number;
}

const sentFilesLimits: SentFilesLimits = {
  files: 20_000,
  bytesPerFile: 16_000_000,
  bytes: 128_000_000,
  pathLength: 4_096,
};

const modes: readonly string[] = ["100644", "100755", "120000"];
export const linkMode = "120000";

/** Names that lead Git to a repository, also on file systems that ignore case or dots: Git takes no file of such a name. */
const gitName = /^(?:\.git|git~1)[ .]*$/iu;
/** The same of jj: a command of an agent that still runs may have made one. */
const jjName = /^\.jj[ .]*$/iu;

/**
 * Why files are refused that only a machine that lies or is broken sends; null: there is no such reason. Contents are
 * looked at elsewhere: whether they are what the ids say, and where links lead.
 */
export function sentFilesProblem(files: readonly SentFile[]): string | null {
  const seen = new Set<string>();
  for (const file of files) {
    const problem = pathProblem(file.path) ?? kindProblem(file);
    if (problem !== null) return problem;
    if (seen.has(file.path)) return `${file.path} was sent twice`;
    seen.add(file.path);
  }
  const written = new Set(files.flatMap(({ path, mode }) => (mode === null ? [] : [path])));
  for (const { path, mode } of files)
    if (mode !== null)
      for (const folder of foldersAbove(path))
        if (written.has(folder)) return `${folder} was sent as a file and as a folder`;
  return null;
}

/** Why files are refused that commands of an agent can make; null: they may be written. */
export function agentFilesProblem(
  files: readonly SentFile[],
  limits: SentFilesLimits = sentFilesLimits,
): string | null {
  if (files.length > limits.files)
    return `${files.length} files have changed at once; the limit is ${limits.files}`;
  let bytes = 0;
  for (const file of files) {
    if (file.path.length > limits.pathLength) return `a path has more than ${limits.pathLength} characters`;
    if (file.path.includes("\\")) return `the name ${file.path} has a backslash`;
    if (file.path.split("/").some((part) => jjName.test(part))) return `${file.path} belongs to a repository`;
    if (file.bytes > limits.bytesPerFile)
      return `${file.path} has ${file.bytes} bytes; the limit is ${limits.bytesPerFile}`;
    bytes += file.bytes;
  }
  return bytes > limits.bytes ? `${bytes} bytes have changed at once; the limit is ${limits.bytes}` : null;
}

function pathProblem(path: string): string | null {
  if (path === "") return "a path is empty";
  if (path.includes("\0")) return `${path} is no path of a file`;
  for (const part of path.split("/")) {
    if (part === "" || part === "." || part === "..") return `${path} leads out of the workspace`;
    if (gitName.test(part)) return `${path} belongs to a repository`;
  }
  return null;
}

function kindProblem({ path, mode, oid, bytes }: SentFile): string | null {
  if ((mode === null) !== (oid === null)) return `${path} is there and gone`;
  if (mode !== null && !modes.includes(mode)) return `${path} is neither a file nor a link`;
  if (oid !== null && !/^[0-9a-f]{40}$/u.test(oid)) return `${path} has no id`;
  return Number.isSafeInteger(bytes) && bytes >= 0 ? null : `${path} has no size`;
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split("/");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("/"));
}

/**
 * Whether a link leads out of its workspace, or may: what a name leads to that another link has is not known here, so
 * nothing may go up from it.
 * @param path where it is
 * @param target what it says
 */
export function leadsOut(path: string, target: string): boolean {
  if (target === "" || target.startsWith("/") || target.includes("\0") || /^[a-z]:|\\/iu.test(target))
    return true;
  const parts = target.split("/").filter((part) => part !== "" && part !== ".");
  const names = parts.findIndex((part) => part !== "..");
  const ups = names === -1 ? parts.length : names;
  return ups > path.split("/").length - 1 || parts.slice(ups).includes("..");
}
