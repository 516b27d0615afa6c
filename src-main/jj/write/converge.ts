import {
  type History,
  joinVersions,
  type Version,
  writtenByHox,
} from "#shared/domain/change-metadata/join-versions.ts";
import type { Change } from "#shared/graph/change.ts";
import { JjError } from "../process/errors.ts";
import { onlyVisible } from "../process/only-visible.ts";
import { parseRow, quoted, rowTemplate } from "../read/row-template.ts";
import { readMarks } from "./marks.ts";

/** How a repair reaches jj. */
export interface ConvergeAccess {
  /** Runs a reading command on the current state; returns standard output. */
  readonly read: (args: readonly string[]) => Promise<string>;
  readonly write: (args: readonly string[], input?: string) => Promise<unknown>;
}

/** Lines `[commit, description, ids of the changes below, the command that wrote it]`. */
const versionTemplate = [
  '"[" ++ json(self.commit().commit_id()) ++ "," ++ json(self.commit().description()) ++ ",["',
  'self.commit().parents().map(|parent| json(parent.change_id())).join(",") ++ "],"',
  'json(if(self.operation(), stringify(self.operation().attributes()), "")) ++ "]\\n"',
].join(" ++ ");

/** Lines `commit time author`. */
const authorTemplate =
  'self.commit_id() ++ " " ++ self.author().timestamp().format("%Y-%m-%dT%H:%M:%S%:z") ++ " " ++ self.author() ++ "\\n"';

/** Retries of a repair when others write meanwhile. */
const attempts = 3;

const lines = (output: string): readonly string[] => output.split("\n").filter((line) => line !== "");

async function historiesOf(
  read: ConvergeAccess["read"],
  commits: readonly Change[],
): Promise<readonly History[]> {
  const histories: History[] = [];
  for (const { commitId } of commits) {
    const output = await read(["evolog", "--no-graph", "--limit=200", "-r", commitId, "-T", versionTemplate]);
    histories.push(
      lines(output).map((line): Version => {
        const [commit, description, parents, command] = JSON.parse(line) as [
          string,
          string,
          readonly string[],
          string,
        ];
        const { actor } = readMarks(command.replace(/^args: /, ""));
        return { commit, description, parents, byHox: actor !== "terminal" };
      }),
    );
  }
  return histories;
}

/** Whether Hox wrote any of the commits of a divergent change, or what became one of them. (HOX-1.1) */
export const crossedByHox = async ({ read }: ConvergeAccess, commits: readonly Change[]): Promise<boolean> =>
  writtenByHox(await historiesOf(read, commits));

/**
 * Repairs one divergent change; call it from inside the queue. jj's own heuristics give up if the description
 * was changed twice, if there are more than two commits, if the parents were rewritten on one side only, and
 * if the change was still empty, because then every rewrite gets a new author. So descriptions, parents and
 * authors are made equal first, and jj merges the files. (HOX-1.1)
 * @param scope the commits of the change that count
 * @returns whether the change is one commit now
 */
export async function convergeChange(
  { read, write }: ConvergeAccess,
  changeId: string,
  scope: string,
): Promise<boolean> {
  const revset = `(${scope}) & change_id(${quoted(changeId)}) & divergent()`;
  const commitsNow = async (): Promise<readonly Change[]> =>
    lines(await read(["log", "--no-graph", "-r", revset, "-T", rowTemplate()])).map(
      (line) => parseRow(line).change,
    );

  async function joinTextAndPosition(commits: readonly Change[]): Promise<void> {
    const same = (aspect: (change: Change) => string) => new Set(commits.map(aspect)).size === 1;
    const sameDescription = same(({ description }) => description);
    if (sameDescription && same(({ parents }) => parents.join())) return;
    const { description, place } = joinVersions(await historiesOf(read, commits));
    if (description !== undefined && !sameDescription) {
      const all = commits.flatMap(({ commitId }) => ["-r", onlyVisible(commitId)]);
      await write(["describe", "--stdin", ...all], description);
    }
    const onto = place === undefined ? undefined : commits[place]?.parents;
    if (onto === undefined || commits.every(({ parents }) => parents.join() === onto.join())) return;
    for (const { commitId, parents } of await commitsNow())
      if (parents.join() !== onto.join()) {
        const places = onto.flatMap((parent) => ["-o", onlyVisible(parent)]);
        await write(["rebase", "-s", onlyVisible(commitId), ...places]);
      }
  }

  /** The newest wins; they differ by seconds, unless another name was configured in between. */
  async function joinAuthors(): Promise<void> {
    const found = lines(await read(["log", "--no-graph", "-r", revset, "-T", authorTemplate])).map((line) => {
      const [commit = "", time = "", ...author] = line.split(" ");
      return { commit, time, author: author.join(" ") };
    });
    const [first, ...others] = found;
    if (!first || others.every(({ time, author }) => time === first.time && author === first.author)) return;
    const all = found.flatMap(({ commit }) => ["-r", onlyVisible(commit)]);
    await write(["metaedit", "--author", first.author, "--author-timestamp", first.time, ...all]);
  }

  for (let attempt = 1; ; attempt++)
    try {
      const commits = await commitsNow();
      if (commits.length === 0) return true;
      await joinTextAndPosition(commits);
      await joinAuthors();
      await write(["converge", "--no-interactive", "-r", revset]);
      return (await commitsNow()).length === 0;
    } catch (error) {
      if (!(error instanceof JjError)) throw error;
      // Inconclusive heuristics are an answer, not a failure: all commits stay and are named.
      if (/Could not converge/i.test(error.stderr)) return false;
      if (error.kind !== "rewritten" || attempt === attempts) throw error;
    }
}
