import { anyFigures, escapeRegex } from "#shared/domain/revset/hox-functions.ts";
import type { Change, Refs } from "#shared/graph/change.ts";
import {
  type CachedGraph,
  changeNamed,
  changeOrBaseNamed,
  changesNamed,
  headsAmong,
  isBelow,
} from "../graph-memory/cached-graph.ts";
import type { ChangeSpan } from "../ports/graph-reader.ts";
import type { Repository } from "../ports/repository-interface.ts";
import type { RepositoryParts } from "../write/writer-parts.ts";
import { labelledByHand, ofKinds, ofRun, present } from "./read-access.ts";
import { isFullId } from "./read-named.ts";
import { quoted } from "./row-template.ts";

const commitId = /^[0-9a-f]{40,}$/u;

/** Queries of ancestry. */
function createAncestryQueries({ current, memory, reader }: RepositoryParts) {
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
      if (revision === of && commitId.test(of)) return true;
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

    async changesSince(from, to, options) {
      if (from === null) return reader.query(`::${to} ~ root()`, options);
      const { operation, graph } = await now();
      const since = graph && rowsSince(graph, from, to);
      return since?.slice(0, options?.limit) ?? reader.query(`${from}..${to}`, { ...options, operation });
    },

    changesBeyond: async (commits, others) =>
      commits.length === 0
        ? []
        : reader.query(
            `(${["root()", ...others.map(present)].join(" | ")})..(${commits.map(present).join(" | ")})`,
          ),
  } satisfies Partial<Repository>;
}

/** Rows of parents of cached changes. */
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

/** What a revision holds beyond another one; undefined where that takes more than the cached changes and their parents. */
function rowsSince(graph: CachedGraph, from: string, to: string): readonly Change[] | undefined {
  const start = changeOrBaseNamed(graph, from);
  const end = changeNamed(graph, to);
  if (!start || !end) return undefined;
  const below = new Set([start.commitId]);
  for (const commit of below) for (const parent of graph.rows.get(commit)?.parents ?? []) below.add(parent);
  const since = new Set(below.has(end.commitId) ? [] : [end.commitId]);
  for (const commit of since) {
    const row = graph.rows.get(commit);
    // It may be below the start by commits that are not cached.
    if (!row) return undefined;
    for (const parent of row.parents) if (!below.has(parent)) since.add(parent);
  }
  return [...graph.rows.values()].filter(({ commitId }) => since.has(commitId));
}

/** The newest: who labels more than these at once is heard later. */
const maxLabelled = 200;

/** Commits of one question to jj. */
const askedAtOnce = 200;

const exact = (name: string): string => `exact:${JSON.stringify(name)}`;

/** Questions that have a name. Those about changes of runs are mostly answered from memory, the others by jj. */
export const createNamedQueries = (parts: RepositoryParts) => ({
  commitsOf: createCommitsOf(parts),
  ...createChangeQueries(parts),
  ...createAncestryQueries(parts),
  ...createRefQueries(parts),
  ...createRevertQueries(parts),
});

const createCommitsOf =
  ({ current, reader }: RepositoryParts): Repository["commitsOf"] =>
  async (ids, { operation } = {}) => {
    const pin = operation ?? (await current());
    const found: Change[] = [];
    for (let at = 0; at < ids.length; at += askedAtOnce) {
      const asked = ids.slice(at, at + askedAtOnce).map(present);
      found.push(...(await reader.query(asked.join(" | "), { operation: pin })));
    }
    return found;
  };

/** Queries of changes by name. */
function createChangeQueries({ current, memory, reader }: RepositoryParts) {
  const graphAt = async (operation: string | undefined) => {
    const pin = operation ?? (await current());
    const graph = await (operation === undefined ? memory.at(pin) : memory.unpublished(pin));
    return { pin, graph };
  };

  const changesOfRun: Repository["changesOfRun"] = async (run, { operation } = {}) => {
    const { pin, graph } = await graphAt(operation);
    const rows = graph ? [...graph.rows.values()] : await reader.query(ofRun(run), { operation: pin });
    return rows.filter(({ metadata }) => metadata.run === run);
  };

  return {
    async change(revision, { operation } = {}) {
      const { pin, graph } = await graphAt(operation);
      const row = graph && changeOrBaseNamed(graph, revision);
      return row ?? (await reader.query(present(revision), { operation: pin, limit: 1 }))[0] ?? null;
    },

    async commitsNamed(name) {
      const { pin, graph } = await graphAt(undefined);
      const row = graph && changeOrBaseNamed(graph, name);
      // jj refuses to name a divergent change, and answers all commits of an id.
      const revset = isFullId(name) ? `change_id(${name})` : present(name);
      return row ? [row] : reader.query(revset, { operation: pin, limit: 2 });
    },

    async changeWithLine(line) {
      const pattern = quoted(`(?m)^${escapeRegex(line)}$`);
      return (await reader.query(`description(regex:${pattern})`, { limit: 1 }))[0] ?? null;
    },

    async changesOf(changeIds, { operation } = {}) {
      if (changeIds.length === 0) return [];
      const { pin, graph } = await graphAt(operation);
      const rows = graph && changesNamed(graph, changeIds);
      return rows ?? reader.query(changeIds.map((id) => `change_id(${id})`).join(" | "), { operation: pin });
    },

    changesOfRun,

    async changesLabelledByHand() {
      const rows = await reader.query(labelledByHand, { limit: maxLabelled });
      return rows.filter(
        ({ metadata: { run, kind, msgTo } }) =>
          run === undefined && (kind === "mutation" || kind === "message" || msgTo !== undefined),
      );
    },

    async conflictsOfRun(run, options) {
      const inConflict = (await changesOfRun(run, options)).filter(({ conflict }) => conflict);
      const commits = new Set(inConflict.map(({ commitId }) => commitId));
      return inConflict.filter(({ parents }) => !parents.some((parent) => commits.has(parent)));
    },

    async decisionsBelow(commits, { limit }) {
      if (commits.length === 0) return [];
      const below = `::(${commits.map(present).join(" | ")}) & ${ofKinds("mutation")}`;
      const rows = await reader.query(below, { limit });
      return rows.filter(({ metadata }) => metadata.kind === "mutation").toReversed();
    },

    changesWithFigures: () => reader.query(anyFigures),
    changesWithFiles: async (commits) =>
      commits.length === 0 ? [] : reader.query(`(${commits.map(present).join(" | ")}) ~ empty()`),
  } satisfies Partial<Repository>;
}

/** Questions about bookmarks, working copies and branches of remotes. */
function createRefQueries({ current, memory, reader }: RepositoryParts) {
  return {
    async refs({ operation } = {}): Promise<Refs> {
      const pin = operation ?? (await current());
      const view = await memory.view(pin);
      return view?.refs ?? (await reader.readGraph({ revset: "none()", operation: pin })).refs;
    },

    async remoteBranch(remote, name) {
      const revset = `remote_bookmarks(${exact(name)}, remote=${exact(remote)})`;
      const [only, ...others] = await reader.query(revset, { limit: 2 });
      return only && others.length === 0 ? only : null;
    },

    async builtOn(commit) {
      const work = `(${commit}+:: ~ (working_copies() & empty())) & (bookmarks() | mutable())`;
      return (await reader.query(work, { limit: 1 }))[0] ?? null;
    },
  } satisfies Partial<Repository>;
}

/** Both Git and jj write the id of a reverted commit into the description of the commit that reverts it. */
const revertedCommit = /This reverts commit ([0-9a-f]{12,64})/gu;
const revertDescription = 'description(substring:"This reverts commit ")';

/** Questions about what was reverted. */
const createRevertQueries = ({ reader }: RepositoryParts) =>
  ({
    descendantsAmong: async (revisions, of) =>
      revisions.length === 0
        ? []
        : reader.query(`(${revisions.map(present).join(" | ")}) & ${present(of)}::`),

    async revertsSince(commits, tip, { limit }) {
      if (commits.length === 0) return [];
      const later = `(${commits.map(present).join(" | ")})::${tip}`;
      const rows = await reader.query(`(${later}) & ${revertDescription}`, { limit });
      return rows.flatMap(({ commitId: by, description }) =>
        [...description.matchAll(revertedCommit)].map(([, reverted = ""]) => ({ by, reverted })),
      );
    },
  }) satisfies Partial<Repository>;
