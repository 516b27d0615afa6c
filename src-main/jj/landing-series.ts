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

/** Makes the writer of what lands. All of a series is published at once, or nothing. */
export function createLandingSeries(parts: LandingSeriesParts): Repository["landingSeries"] {
  const { jj, root, queue, reader, settle } = parts;

  const describe = (row: Unpublished, change: string, description: string) =>
    row.run(["describe", "--stdin", "-r", change], { input: description });

  async function describeAll(
    row: Unpublished,
    order: Extract<LandingOrder, { kind: "changes" }>,
  ): Promise<Pick<LandingSeries, "changeId" | "copies">> {
    for (const { changeId, description } of order.descriptions) await describe(row, changeId, description);
    return { changeId: order.result, copies: {} };
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
