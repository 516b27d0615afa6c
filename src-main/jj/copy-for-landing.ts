import { createdIn } from "./created.ts";
import { JjError } from "./errors.ts";
import type { LandingOrder, LandingSeries } from "./ports/git-interop.ts";
import type { Reader } from "./reader.ts";
import { messageArgument, type Unpublished } from "./unpublished.ts";

type CopyOrder = Extract<LandingOrder, { kind: "copies" }>;

/** Ids are whole by our settings. */
const duplicated = /^Duplicated [0-9a-f]+ as ([0-9a-f]{40,}) ([k-z]{32})/mu;

/**
 * Makes new commits one on another on a row that nobody sees yet, and a last one with all that the result holds beyond
 * them. See `LandingOrder`.
 */
export async function copyForLanding(
  reader: Pick<Reader, "query">,
  row: Unpublished,
  { result, onto, commits, rest, keepsRest }: CopyOrder,
): Promise<Pick<LandingSeries, "changeId" | "copies">> {
  const copies: Record<string, string> = {};
  const leftOut: string[] = [];
  let last = onto;
  for (const commit of commits) {
    const { commitId, description } = commit;
    const made = commit.whole
      ? await copyWhole(row, last, commitId, description)
      : await copyOnto(row, last, commitId, description);
    const isConflict = (await rowAt(reader, row, made))?.conflict === true;
    if (isConflict) leftOut.push(commitId);
    if (isConflict || (await isEmpty(reader, row, made))) {
      await row.run(["abandon", "-r", made]);
      continue;
    }
    copies[commitId] = made;
    last = made;
  }
  const end = await copyWhole(row, last, result, rest(leftOut));
  if (last === onto || keepsRest || !(await isEmpty(reader, row, end))) return { changeId: end, copies };
  await row.run(["abandon", "-r", end]);
  return { changeId: last, copies };
}

const rowAt = async (reader: Pick<Reader, "query">, row: Unpublished, revset: string) =>
  (await reader.query(revset, { operation: row.operation(), limit: 1 }))[0];

const isEmpty = async (reader: Pick<Reader, "query">, row: Unpublished, change: string): Promise<boolean> =>
  (await rowAt(reader, row, `${change} & empty()`)) !== undefined;

/** A copy that holds all that its commit holds. @returns its change id */
async function copyWhole(
  row: Unpublished,
  onto: string,
  commit: string,
  description: string,
): Promise<string> {
  const { changeId } = createdIn(
    await row.run(["new", "--no-edit", messageArgument(description.split("\n")[0] ?? ""), "--", onto]),
  );
  await row.run(["restore", "--from", commit, "--into", changeId]);
  await describe(row, changeId, description);
  return changeId;
}

/** A copy that changes what its commit changed. @returns its change id */
async function copyOnto(
  row: Unpublished,
  onto: string,
  commit: string,
  description: string,
): Promise<string> {
  const result = await row.run(["duplicate", "-o", onto, "--", commit]);
  const [, , changeId] = duplicated.exec(result.stderr) ?? duplicated.exec(result.stdout) ?? [];
  if (changeId === undefined)
    throw new JjError({
      kind: "failed",
      message: "jj did not report what it copied.",
      stderr: result.stderr,
    });
  await describe(row, changeId, description);
  return changeId;
}

const describe = (row: Unpublished, change: string, description: string) =>
  row.run(["describe", "--stdin", "-r", change], { input: description });
