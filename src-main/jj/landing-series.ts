import { createdIn } from "./created.ts";
import { canDescribeTogether, describeTogether, type NewText } from "./describe-together.ts";
import { JjError } from "./errors.ts";
import type { GraphMemory } from "./graph-memory/graph-memory.ts";
import { changeNamed } from "./graph-memory/known-graph.ts";
import { changesIn, leaveOutEmpty } from "./leave-out-empty.ts";
import type { LandingOrder, LandingSeries } from "./ports/git-interop.ts";
import type { Jj } from "./process.ts";
import type { WriteQueue } from "./queue.ts";
import type { Reader } from "./reader.ts";
import type { Repository } from "./repository-interface.ts";
import { beginUnpublished, messageArgument, type Unpublished } from "./unpublished.ts";

export interface LandingSeriesParts {
  readonly jj: Jj;
  readonly root: string;
  readonly queue: WriteQueue;
  readonly reader: Pick<Reader, "query">;
  readonly memory: GraphMemory;
  readonly settle: () => Promise<string>;
}

/** Ids are whole by our settings. */
const duplicated = /^Duplicated [0-9a-f]+ as ([0-9a-f]{40,}) ([k-z]{32})/mu;

/** Makes the writer of what lands. All of a series is published at once, or nothing. */
export function createLandingSeries(parts: LandingSeriesParts): Repository["landingSeries"] {
  const { jj, root, queue, reader, memory, settle } = parts;

  const describe = (row: Unpublished, change: string, description: string) =>
    row.run(["describe", "--stdin", "-r", change], { input: description });

  /** Those of them whose commits are known without a process. */
  async function textsAt(
    row: Unpublished,
    told: Extract<LandingOrder, { kind: "changes" }>["descriptions"],
  ): Promise<readonly NewText[]> {
    const graph = await memory.beside(row.operation());
    return told.flatMap(({ changeId, description }): readonly NewText[] => {
      const commit = graph && changeNamed(graph, changeId)?.commitId;
      return commit ? [{ commit, change: changeId, text: description }] : [];
    });
  }

  async function describeAll(
    row: Unpublished,
    order: Extract<LandingOrder, { kind: "changes" }>,
  ): Promise<Pick<LandingSeries, "changeId" | "copies">> {
    const leftOut = await leaveOutEmpty(reader, row, order.result, order.dispensable);
    const told = order.descriptions.filter(({ changeId }) => !leftOut.has(changeId));
    const texts = await textsAt(row, told);
    if (texts.length > 1 && texts.length === told.length && canDescribeTogether(texts))
      await describeTogether(texts, (args, editor) => row.run(args, { editor }));
    else for (const { changeId, description } of told) await describe(row, changeId, description);
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
      const commitId =
        (await memory.commitBeside(row.operation(), made.changeId)) ?? (await row.commitOf(made.changeId));
      const { operation } = await queue.write({
        args: ["--ignore-working-copy", "op", "integrate", row.operation()],
        folder: root,
        options,
        publishes: row.operation(),
      });
      return { ...made, commitId, operation };
    });
}
