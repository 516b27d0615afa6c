import type { Change, Refs } from "#shared/graph/change.ts";
import type { GraphMemory } from "./graph-memory/graph-memory.ts";
import {
  changeNamed,
  changesNamed,
  headsAmong,
  isBelow,
  type KnownGraph,
} from "./graph-memory/known-graph.ts";
import type { Repository } from "./repository-interface.ts";

/** Questions that have a name. Those about changes of runs are mostly answered from memory, the others by jj. */
export type NamedQueries = Pick<
  Repository,
  | "refs"
  | "change"
  | "changesOf"
  | "changesOfRun"
  | "conflictsOfRun"
  | "parentsOf"
  | "descendantsOf"
  | "headsOf"
  | "isAncestor"
>;

export interface NamedQueriesParts {
  readonly current: () => Promise<string>;
  readonly memory: GraphMemory;
  readonly reader: Pick<Repository, "query" | "readGraph">;
}

const commitId = /^[0-9a-f]{40,}$/u;

/** jj's expression for the changes of one run: it finds the line anywhere, so its rows are looked at once more. */
export const runRevset = (run: string): string => `description(regex:"(?m)^Hox-Run: ${run}$")`;

const present = (revision: string): string => `present(${revision})`;

/** Rows of commits that known changes stand on. */
function parentsIn(graph: KnownGraph, row: Change): readonly Change[] | undefined {
  const parents = row.parents.flatMap((parent) => graph.rows.get(parent) ?? graph.below.get(parent) ?? []);
  return parents.length === row.parents.length ? parents : undefined;
}

/** Makes the named questions. */
export function createNamedQueries({ current, memory, reader }: NamedQueriesParts): NamedQueries {
  const changesOfRun: NamedQueries["changesOfRun"] = async (run, { operation } = {}) => {
    const pin = operation ?? (await current());
    const graph = await (operation === undefined ? memory.at(pin) : memory.beside(pin));
    const rows = graph ? [...graph.rows.values()] : await reader.query(runRevset(run), { operation: pin });
    return rows.filter(({ metadata }) => metadata.run === run);
  };

  return {
    async refs({ operation } = {}): Promise<Refs> {
      const pin = operation ?? (await current());
      const view = await memory.view(pin);
      return view?.refs ?? (await reader.readGraph({ revset: "none()", operation: pin })).refs;
    },

    async change(revision, { operation } = {}) {
      const pin = operation ?? (await current());
      const graph = await (operation === undefined ? memory.at(pin) : memory.beside(pin));
      const row = graph && changeNamed(graph, revision);
      return row ?? (await reader.query(present(revision), { operation: pin, limit: 1 }))[0] ?? null;
    },

    async changesOf(changeIds) {
      if (changeIds.length === 0) return [];
      const operation = await current();
      const graph = await memory.at(operation);
      const rows = graph && changesNamed(graph, changeIds);
      return rows ?? reader.query(changeIds.map((id) => `change_id(${id})`).join(" | "), { operation });
    },

    changesOfRun,

    async conflictsOfRun(run, options) {
      const inConflict = (await changesOfRun(run, options)).filter(({ conflict }) => conflict);
      const commits = new Set(inConflict.map(({ commitId }) => commitId));
      return inConflict.filter(({ parents }) => !parents.some((parent) => commits.has(parent)));
    },

    async parentsOf(revision) {
      const operation = await current();
      const graph = await memory.at(operation);
      const row = graph && changeNamed(graph, revision);
      const parents = graph && row ? parentsIn(graph, row) : undefined;
      return parents ?? reader.query(`parents(${revision})`, { operation });
    },

    async descendantsOf(revision) {
      const operation = await current();
      const graph = await memory.at(operation);
      const row = graph && changeNamed(graph, revision);
      if (!graph || !row) return reader.query(`${revision}:: ~ ${revision}`, { operation });
      return [...graph.rows.values()].filter(
        ({ commitId }) => commitId !== row.commitId && isBelow(graph, row.commitId, commitId),
      );
    },

    async headsOf(revisions) {
      if (revisions.length === 0) return [];
      const operation = await current();
      const graph = await memory.at(operation);
      const rows = graph && changesNamed(graph, revisions);
      const commits = rows?.map(({ commitId }) => commitId) ?? [];
      const heads = graph && rows ? headsAmong(graph, commits) : undefined;
      return rows && heads
        ? rows.filter(({ commitId }) => heads.includes(commitId))
        : reader.query(`heads(${revisions.map(present).join(" | ")})`, { operation });
    },

    async isAncestor(revision, of) {
      const operation = await current();
      const graph = await memory.at(operation);
      const [below, above] = [revision, of].map((name) =>
        commitId.test(name) || !graph ? name : changeNamed(graph, name)?.commitId,
      );
      const is = graph && below && above ? isBelow(graph, below, above) : undefined;
      return is ?? (await reader.query(`${revision} & ::${of}`, { operation, limit: 1 })).length > 0;
    },
  };
}
