import { copyForLanding } from "./copy-for-landing.ts";
import { canDescribeTogether, describeTogether, type NewText } from "./describe-together.ts";
import type { GraphMemory } from "./graph-memory/graph-memory.ts";
import { changeNamed } from "./graph-memory/known-graph.ts";
import { changesIn, leaveOutEmpty } from "./leave-out-empty.ts";
import type { LandingOrder, LandingSeries } from "./ports/git-interop.ts";
import type { Jj } from "./process.ts";
import type { WriteQueue } from "./queue.ts";
import type { Reader } from "./reader.ts";
import type { Repository } from "./repository-interface.ts";
import { beginUnpublished, type Unpublished } from "./unpublished.ts";

export interface LandingSeriesParts {
  readonly jj: Jj;
  readonly root: string;
  readonly queue: WriteQueue;
  readonly reader: Pick<Reader, "query">;
  readonly memory: GraphMemory;
  readonly settle: () => Promise<string>;
}

type DescribeOrder = Extract<LandingOrder, { kind: "changes" }>;

/** Makes the writer of what lands. All of a series is published at once, or nothing. */
export function createLandingSeries(parts: LandingSeriesParts): Repository["landingSeries"] {
  const { jj, root, queue, reader, memory, settle } = parts;
  return (order, options = {}) =>
    queue.exclusive(async () => {
      const row = beginUnpublished(jj, root, await settle(), options);
      const made =
        order.kind === "changes"
          ? await describeForLanding(parts, row, order)
          : await copyForLanding(reader, row, order);
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

/** The very changes with other descriptions, without those that have no files and need not land. */
async function describeForLanding(
  { reader, memory }: Pick<LandingSeriesParts, "reader" | "memory">,
  row: Unpublished,
  { result, dispensable, descriptions }: DescribeOrder,
): Promise<Pick<LandingSeries, "changeId" | "copies">> {
  const leftOut = await leaveOutEmpty(reader, row, result, dispensable);
  await describeAll(
    memory,
    row,
    descriptions.filter(({ changeId }) => !leftOut.has(changeId)),
  );
  if (!leftOut.has(result)) return { changeId: result, copies: {} };
  const [landed] = await reader.query(`heads(::${result} ~ ${changesIn([...leftOut])})`, {
    operation: row.operation(),
  });
  return { changeId: landed?.changeId ?? result, copies: {} };
}

async function describeAll(
  memory: GraphMemory,
  row: Unpublished,
  told: DescribeOrder["descriptions"],
): Promise<void> {
  const texts = await knownTexts(memory, row, told);
  if (texts.length > 1 && texts.length === told.length && canDescribeTogether(texts))
    await describeTogether(texts, (args, editor) => row.run(args, { editor }));
  else
    for (const { changeId, description } of told)
      await row.run(["describe", "--stdin", "-r", changeId], { input: description });
}

/** Those of them whose commits are known without a process. */
async function knownTexts(
  memory: GraphMemory,
  row: Unpublished,
  told: DescribeOrder["descriptions"],
): Promise<readonly NewText[]> {
  const graph = await memory.beside(row.operation());
  return told.flatMap(({ changeId, description }): readonly NewText[] => {
    const commit = graph && changeNamed(graph, changeId)?.commitId;
    return commit ? [{ commit, change: changeId, text: description }] : [];
  });
}
