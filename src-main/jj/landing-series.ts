import { createdIn } from "./created.ts";
import { JjError } from "./errors.ts";
import type { Jj } from "./process.ts";
import type { WriteQueue } from "./queue.ts";
import type { Reader } from "./reader.ts";
import type { LandingOrder, LandingSeries, Repository } from "./repository-interface.ts";
import { beginUnpublished, messageArgument, type Unpublished } from "./unpublished.ts";

export interface LandingSeriesParts {
  readonly jj: Jj;
  readonly root: string;
  readonly queue: WriteQueue;
  readonly reader: Pick<Reader, "query">;
  readonly settle: () => Promise<string>;
}

/** Ids are whole by our settings. */
const duplicated = /^Duplicated [0-9a-f]+ as ([0-9a-f]{40,}) ([k-z]{32})/mu;

const changesIn = (changeIds: readonly string[]): string =>
  `(${changeIds.map((id) => `change_id(${id})`).join(" | ")})`;

/** Makes the writer of what lands. All of a series is published at once, or nothing. */
export function createLandingSeries(parts: LandingSeriesParts): Repository["landingSeries"] {
  const { jj, root, queue, reader, settle } = parts;

  const describe = (row: Unpublished, change: string, description: string) =>
    row.run(["describe", "--stdin", "-r", change], { input: description });

  /**
   * Puts what stands on changes without files onto what those stand on. They stay on the graph, beside what lands.
   * Where none has files, the result lands for all.
   * @returns the changes that do not land
   */
  async function leaveOutEmpty(
    row: Unpublished,
    result: string,
    dispensable: readonly string[],
  ): Promise<ReadonlySet<string>> {
    const leftOut = new Set<string>();
    if (dispensable.length === 0) return leftOut;
    const among = `(::${result} & ${changesIn(dispensable)})`;
    const query = (revset: string) => reader.query(revset, { operation: row.operation() });
    const kept = (await query(`${among} ~ empty()`)).length === 0 ? [result] : [];
    const merges = `${among} & merges()`;
    for (;;) {
      const apart = [...kept, ...leftOut];
      const [next] = await query(
        `heads(${among} & empty() ~ merges()${apart.length === 0 ? "" : ` ~ ${changesIn(apart)}`})`,
      );
      if (!next) return leftOut;
      leftOut.add(next.changeId);
      const above = async () => (await query(`${next.commitId}+ & ::${result}`))[0];
      // One after another: what stands on both the change and another of its children moves with that one.
      for (let child = await above(); child; child = await above()) {
        const onto = child.parents.flatMap((parent) => (parent === next.commitId ? next.parents : [parent]));
        await row.run(["rebase", "-s", child.changeId, ...[...new Set(onto)].flatMap((one) => ["-o", one])]);
        if ((await query(merges)).length > 0) await row.run(["simplify-parents", "-r", merges]);
      }
    }
  }

  async function describeAll(
    row: Unpublished,
    order: Extract<LandingOrder, { kind: "changes" }>,
  ): Promise<Pick<LandingSeries, "changeId" | "copies">> {
    const leftOut = await leaveOutEmpty(row, order.result, order.dispensable);
    for (const { changeId, description } of order.descriptions)
      if (!leftOut.has(changeId)) await describe(row, changeId, description);
    const [landed] = leftOut.has(order.result)
      ? await reader.query(`heads(::${order.result} ~ ${changesIn([...leftOut])})`, {
          operation: row.operation(),
        })
      : [];
    return { changeId: landed?.changeId ?? order.result, copies: {} };
  }

  async function copyAll(
    row: Unpublished,
    order: Extract<LandingOrder, { kind: "copies" }>,
  ): Promise<Pick<LandingSeries, "changeId" | "copies">> {
    const at = async (revset: string) =>
      (await reader.query(revset, { operation: row.operation(), limit: 1 }))[0];
    const isEmpty = async (change: string) => (await at(`${change} & empty()`)) !== undefined;
    const makeWhole = async (below: string, from: string, description: string): Promise<string> => {
      const { changeId } = createdIn(
        await row.run(["new", "--no-edit", messageArgument(description.split("\n")[0] ?? ""), "--", below]),
      );
      await row.run(["restore", "--from", from, "--into", changeId]);
      await describe(row, changeId, description);
      return changeId;
    };
    const copies: Record<string, string> = {};
    const leftOut: string[] = [];
    let last = order.onto;
    for (const { commitId, description, whole = false } of order.commits) {
      let made: string;
      if (whole) made = await makeWhole(last, commitId, description);
      else {
        const said = await row.run(["duplicate", "-o", last, "--", commitId]);
        const [, , changeId] = duplicated.exec(said.stderr) ?? duplicated.exec(said.stdout) ?? [];
        if (changeId === undefined)
          throw new JjError({
            kind: "failed",
            message: "jj did not say what it copied.",
            stderr: said.stderr,
          });
        made = changeId;
        await describe(row, made, description);
      }
      const isConflict = (await at(made))?.conflict === true;
      if (isConflict || (await isEmpty(made))) {
        if (isConflict) leftOut.push(commitId);
        await row.run(["abandon", "-r", made]);
        continue;
      }
      copies[commitId] = made;
      last = made;
    }
    const rest = await makeWhole(last, order.result, order.rest(leftOut));
    if (last === order.onto || !(await isEmpty(rest))) return { changeId: rest, copies };
    await row.run(["abandon", "-r", rest]);
    return { changeId: last, copies };
  }

  return (order, options = {}) =>
    queue.exclusive(async () => {
      const row = beginUnpublished(jj, root, await settle(), options);
      const made = order.kind === "changes" ? await describeAll(row, order) : await copyAll(row, order);
      const commitId = await row.commitOf(made.changeId);
      const { operation } = await queue.write({
        args: ["--ignore-working-copy", "op", "integrate", row.operation()],
        folder: root,
        options,
      });
      return { ...made, commitId, operation };
    });
}
