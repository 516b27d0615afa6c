import { existsSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { execa } from "execa";
import { toolPath } from "../../src-main/config/tools.ts";
import type { TestRepository } from "../../src-main/jj/testing/create-test-repository.ts";
import type { Measures } from "../measured-host/messages.ts";

/** Divergent changes. A user at full speed makes them; none may remain. */
export async function divergent(repo: TestRepository): Promise<readonly string[]> {
  const found = await repo.terminal([
    ...["--ignore-working-copy", "log", "--no-graph", "-r", "divergent()"],
    ...["-T", 'change_id.short() ++ " " ++ commit_id.short() ++ " " ++ description.first_line() ++ "\\n"'],
  ]);
  return found.split("\n").filter((line) => line !== "");
}

/** Working copies that jj calls stale, or that cannot be looked at: the user's own, and what agents left. */
export async function stale(repo: TestRepository, stateFolder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of [join(repo.folder, "repo"), ...workspaces(stateFolder)])
    try {
      await repo.terminal(["status"], { cwd: folder });
    } catch (error) {
      found.push(`${folder}: ${String((error as { stderr?: unknown }).stderr ?? error).split("\n")[0]}`);
    }
  return found;
}

function workspaces(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  if (existsSync(join(folder, ".jj"))) return [folder];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? workspaces(join(folder, entry.name)) : [],
  );
}

/** Texts of files in a commit, read in one go; null where there is no such file. */
export async function textsIn(
  root: string,
  commit: string,
  paths: readonly string[],
): Promise<(path: string) => string | null> {
  const { stdout } = await execa(toolPath("git"), ["-C", root, "cat-file", "--batch"], {
    input: paths.map((path) => `${commit}:${path}\n`).join(""),
    encoding: "buffer",
  });
  const bytes = Buffer.from(stdout);
  const texts = new Map<string, string | null>();
  let at = 0;
  for (const path of paths) {
    const end = bytes.indexOf("\n", at);
    const header = bytes.toString("utf8", at, end);
    const size = / blob (\d+)$/.exec(header)?.[1];
    at = end + 1;
    texts.set(path, size === undefined ? null : bytes.toString("utf8", at, at + Number(size)));
    if (size !== undefined) at += Number(size) + 1;
  }
  return (path) => texts.get(path) ?? null;
}

/** Files written by hand that are in no head of the graph. */
export async function lostByHand(
  repo: TestRepository,
  files: ReadonlySet<string>,
): Promise<readonly string[]> {
  const root = join(repo.folder, "repo");
  const heads = await repo.terminal([
    ...["--ignore-working-copy", "log", "--no-graph", "-r", "visible_heads()", "-T", 'commit_id ++ "\\n"'],
  ]);
  const there = new Set<string>();
  for (const head of heads.split("\n").filter((line) => line !== "")) {
    const { stdout } = await execa(toolPath("git"), [
      ...["-C", root, "ls-tree", "-r", "--name-only", head, "user/"],
    ]);
    for (const path of stdout.split("\n")) there.add(path);
  }
  return [...files]
    .filter((file) => !there.has(file))
    .map((file) => `${file} was written by hand and is gone`);
}

/** What is looked at again before it counts, in milliseconds: a command of a user's is answered by a look of ours. */
const passingMs = 5_000;

/** The host's helper, which starts programs for it and ends with it. */
const helper = /\blauncher-main\.[cm]?[jt]s\b/u;

/**
 * Descendants of a process that stay, as `pid command`, but for its helper. The host looks with jj at what the user has just done, and a
 * process that is ending has lost its command line already: neither lasts.
 */
export async function orphans(pid: number): Promise<readonly string[]> {
  const first = await descendants(pid);
  if (first.length === 0) return [];
  await pause(passingMs);
  const still = new Set((await descendants(pid)).map((one) => one.split(" ")[0]));
  return first.filter((one) => still.has(one.split(" ")[0]));
}

/** Descendants of a process that have not ended, as `pid command`. */
async function descendants(pid: number): Promise<readonly string[]> {
  const { stdout } = await execa("ps", ["-A", "-o", "pid=,ppid=,stat=,args="]);
  const all = stdout.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+([^Z\s]\S*)\s+(.*)$/.exec(line);
    return match ? [{ pid: Number(match[1]), parent: Number(match[2]), command: match[4] ?? "" }] : [];
  });
  const below = (parent: number): readonly string[] =>
    all
      .filter((one) => one.parent === parent)
      .flatMap((one) => [
        ...(helper.test(one.command) ? [] : [`${one.pid} ${one.command.slice(0, 200)}`]),
        ...below(one.pid),
      ]);
  return below(pid);
}

/** Processes that work in a folder or have its name as an argument, whatever started them. */
export async function living(folder: string): Promise<readonly string[]> {
  const { stdout } = await execa("ps", ["-A", "-o", "pid=,args="]);
  return stdout.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(.*)$/.exec(line);
    if (!match || Number(match[1]) === process.pid) return [];
    const works = (match[2] ?? "").includes(folder) || workingFolder(match[1] ?? "").startsWith(folder);
    return works ? [`${match[1]} ${(match[2] ?? "").slice(0, 200)}`] : [];
  });
}

/** Where Linux says that a process works; elsewhere its arguments have to do. */
function workingFolder(pid: string): string {
  if (process.platform !== "linux") return "";
  try {
    // Someone else's process, or one that has just ended.
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

/** What may be more at the end than at the beginning before it counts as growing, in share and in amount. */
const slack = {
  heap: { share: 0.25, amount: 12e6, unit: "bytes of heap" },
  handles: { share: 0, amount: 3, unit: "handles" },
  descriptors: { share: 0, amount: 3, unit: "open descriptors" },
} as const;

/**
 * What grows with the runs: the middle of the last third beside the middle of the first, without the first run, in
 * which everything is loaded. Fewer than four runs say nothing.
 */
export function growing(samples: readonly Measures[]): readonly string[] {
  const warm = samples.slice(1);
  if (warm.length < 3) return [];
  const third = Math.ceil(warm.length / 3);
  return (["heap", "handles", "descriptors"] as const).flatMap((what) => {
    const values = warm.map((one) => one[what] ?? 0);
    const first = median(values.slice(0, third));
    const last = median(values.slice(-third));
    const { share, amount, unit } = slack[what];
    return last > first * (1 + share) + amount
      ? [`${unit} grew from ${Math.round(first)} to ${Math.round(last)} in ${warm.length} runs`]
      : [];
  });
}

/** What jj said to the user that no user should be told. */
export const crashes = (counts: ReadonlyMap<string, number>): readonly string[] =>
  [...counts.keys()].filter((line) => /internal error|panicked/iu.test(line));
