/** Questions about what stands on what. */
import type { Change } from "#shared/graph/change.ts";
import type { GraphMemory } from "./graph-memory/graph-memory.ts";
import {
  type CachedGraph,
  changeNamed,
  changesNamed,
  headsAmong,
  isBelow,
} from "./graph-memory/known-graph.ts";
import type { ChangeSpan, GraphReader } from "./ports/graph-reader.ts";
import { present } from "./read-access.ts";
import type { Reader } from "./reader.ts";

export type AncestryQueries = Pick<
  GraphReader,
  | "parentsOf"
  | "descendantsOf"
  | "headsOf"
  | "isAncestor"
  | "ancestorsAmong"
  | "changesBetween"
  | "changesSince"
  | "changesBeyond"
>;

export interface AncestryQueriesParts {
  readonly current: () => Promise<string>;
  readonly memory: GraphMemory;
  readonly reader: Pick<Reader, "query">;
}

const commitId = /^[0-9a-f]{40,}$/u;

/** Makes the questions. */
export function createAncestryQueries({ current, memory, reader }: AncestryQueriesParts): AncestryQueries {
  const now = async () => {
    const operation = await current();
    return { operation, graph: await memory.at(operation) };
  };

  return {
    async parentsOf(revision) {
      const { operation, graph } = await now();
      const row = graph && changeNamed(graph, revision);
      const parents = graph && row ? parentsIn(graph, row) : undefined;
      return parents ?? reader.query(`parents(${revision})`, { operation });
    },

    async descendantsOf(revision) {
      const { operation, graph } = await now();
      const row = graph && changeNamed(graph, revision);
      if (!graph || !row) return reader.query(`${revision}:: ~ ${revision}`, { operation });
      return [...graph.rows.values()].filter(
        ({ commitId }) => commitId !== row.commitId && isBelow(graph, row.commitId, commitId),
      );
    },

    async headsOf(revisions) {
      if (revisions.length === 0) return [];
      const { operation, graph } = await now();
      const rows = graph && changesNamed(graph, revisions);
      const commits = rows?.map(({ commitId }) => commitId) ?? [];
      const heads = graph && rows ? headsAmong(graph, commits) : undefined;
      return rows && heads
        ? rows.filter(({ commitId }) => heads.includes(commitId))
        : reader.query(`heads(${revisions.map(present).join(" | ")})`, { operation });
    },

    async isAncestor(revision, of) {
      const { operation, graph } = await now();
      const [below, above] = [revision, of].map((name) =>
        commitId.test(name) || !graph ? name : changeNamed(graph, name)?.commitId,
      );
      const is = graph && below && above ? isBelow(graph, below, above) : undefined;
      return is ?? (await reader.query(`${revision} & ::${of}`, { operation, limit: 1 })).length > 0;
    },

    async ancestorsAmong(revisions, of) {
      if (revisions.length === 0) return [];
      const { operation, graph } = await now();
      const rows = graph && changesNamed(graph, revisions);
      const above = graph && changeNamed(graph, of);
      return rows && above
        ? rows.filter((row) => row !== above && isBelow(graph, row.commitId, above.commitId))
        : reader.query(`(${revisions.map(present).join(" | ")}) & ::parents(${of})`, { operation });
    },

    async changesBetween(spans) {
      if (spans.length === 0) return [];
      const { operation, graph } = await now();
      const between = graph && rowsBetween(graph, spans);
      return between ?? reader.query(spans.map(spanRevset).join(" | "), { operation });
    },

    changesSince: (from, to, options) =>
      reader.query(from === null ? `::${to} ~ root()` : `${from}..${to}`, options),

    changesBeyond: async (commits, others) =>
      commits.length === 0
        ? []
        : reader.query(
            `(${["root()", ...others.map(present)].join(" | ")})..(${commits.map(present).join(" | ")})`,
          ),
  };
}

/** Rows of commits that known changes stand on. */
function parentsIn(graph: CachedGraph, row: Change): readonly Change[] | undefined {
  const parents = row.parents.flatMap((parent) => graph.rows.get(parent) ?? graph.below.get(parent) ?? []);
  return parents.length === row.parents.length ? parents : undefined;
}

const spanRevset = ({ from, to }: ChangeSpan): string => `(${present(from)}::${present(to)})`;

/** All rows of some spans; undefined where one of their ends is not known. */
function rowsBetween(graph: CachedGraph, spans: readonly ChangeSpan[]): readonly Change[] | undefined {
  const between = new Set<Change>();
  for (const span of spans) {
    const [from, to] = [changeNamed(graph, span.from), changeNamed(graph, span.to)];
    if (!from || !to) return undefined;
    for (const row of graph.rows.values())
      if (isBelow(graph, from.commitId, row.commitId) && isBelow(graph, row.commitId, to.commitId))
        between.add(row);
  }
  return [...between];
}
