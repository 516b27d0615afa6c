import type { Reader } from "./reader.ts";
import type { Unpublished } from "./unpublished.ts";

/** The expression for changes by their full ids. */
export const changesIn = (changeIds: readonly string[]): string =>
  `(${changeIds.map((id) => `change_id(${id})`).join(" | ")})`;

/**
 * Puts what stands on changes without files onto what those stand on. They stay on the graph, beside what lands.
 * Where none has files, the result lands for all.
 * @returns the changes that do not land
 */
export async function leaveOutEmpty(
  reader: Pick<Reader, "query">,
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
