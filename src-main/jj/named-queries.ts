import { anyFigures } from "#shared/domain/revset/figures.ts";
import { escapeRegex } from "#shared/domain/revset/pattern.ts";
import type { Change, Refs } from "#shared/graph/change.ts";
import {
  type AncestryQueries,
  type AncestryQueriesParts,
  createAncestryQueries,
} from "./ancestry-queries.ts";
import { changeNamed, changesNamed } from "./graph-memory/known-graph.ts";
import { present } from "./read-access.ts";
import { isFullId } from "./read-named.ts";
import type { Reader } from "./reader.ts";
import type { Repository } from "./repository-interface.ts";
import { quoted } from "./row-template.ts";
import { labelledByHand, ofKinds, ofRun } from "./run-revsets.ts";

/** Questions that have a name. Those about changes of runs are mostly answered from memory, the others by jj. */
export type NamedQueries = Pick<
  Repository,
  | "refs"
  | "change"
  | "commitsNamed"
  | "commitsOf"
  | "changeWithLine"
  | "changesOf"
  | "changesOfRun"
  | "changesLabelledByHand"
  | "conflictsOfRun"
  | "changesWithFiles"
  | "changesWithFigures"
  | "decisionsBelow"
  | "remoteBranch"
  | "builtOn"
  | "descendantsAmong"
  | "revertsSince"
> &
  AncestryQueries;

export interface NamedQueriesParts extends AncestryQueriesParts {
  readonly reader: Pick<Reader, "query" | "readGraph">;
}

/** The newest: who labels more than these at once is heard later. */
const maxLabelled = 200;

/** Commits of one question to jj. */
const askedAtOnce = 200;

const exact = (name: string): string => `exact:${JSON.stringify(name)}`;

/** Makes the named questions. */
export function createNamedQueries(parts: NamedQueriesParts): NamedQueries {
  return {
    commitsOf: createCommitsOf(parts),
    ...createChangeQueries(parts),
    ...createAncestryQueries(parts),
    ...createRefQueries(parts),
    ...createRevertQueries(parts),
  };
}

const createCommitsOf =
  ({ current, reader }: NamedQueriesParts): NamedQueries["commitsOf"] =>
  async (ids, { operation } = {}) => {
    const pin = operation ?? (await current());
    const found: Change[] = [];
    for (let at = 0; at < ids.length; at += askedAtOnce) {
      const asked = ids.slice(at, at + askedAtOnce).map(present);
      found.push(...(await reader.query(asked.join(" | "), { operation: pin })));
    }
    return found;
  };

/** Questions about changes that somebody names. */
function createChangeQueries({ current, memory, reader }: NamedQueriesParts) {
  const graphAt = async (operation: string | undefined) => {
    const pin = operation ?? (await current());
    const graph = await (operation === undefined ? memory.at(pin) : memory.unpublished(pin));
    return { pin, graph };
  };

  const changesOfRun: NamedQueries["changesOfRun"] = async (run, { operation } = {}) => {
    const { pin, graph } = await graphAt(operation);
    const rows = graph ? [...graph.rows.values()] : await reader.query(ofRun(run), { operation: pin });
    return rows.filter(({ metadata }) => metadata.run === run);
  };

  return {
    async change(revision, { operation } = {}) {
      const { pin, graph } = await graphAt(operation);
      const row = graph && changeNamed(graph, revision);
      return row ?? (await reader.query(present(revision), { operation: pin, limit: 1 }))[0] ?? null;
    },

    async commitsNamed(name) {
      const { pin, graph } = await graphAt(undefined);
      const row = graph && changeNamed(graph, name);
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
  } satisfies Partial<NamedQueries>;
}

/** Questions about bookmarks, working copies and branches of remotes. */
function createRefQueries({ current, memory, reader }: NamedQueriesParts) {
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
  } satisfies Partial<NamedQueries>;
}

/** Both Git and jj write the id of a reverted commit into the description of the commit that reverts it. */
const revertedCommit = /This reverts commit ([0-9a-f]{12,64})/gu;
const revertDescription = 'description(substring:"This reverts commit ")';

/** Questions about what was reverted. */
const createRevertQueries = ({ reader }: NamedQueriesParts) =>
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
  }) satisfies Partial<NamedQueries>;
