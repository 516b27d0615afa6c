import type { FileStat } from "#shared/contract/commands/graph.ts";
import { homeWorkspaceName } from "#shared/domain/change-metadata/address.ts";
import type { Change, GraphDelta, GraphSnapshot, Refs } from "#shared/graph/change.ts";
import type { ChangedFile, ConflictedFile, ContentReader, GraphReader } from "../ports/graph-reader.ts";
import type { Jj } from "../process/process.ts";
import { createDiffReads, type DiffNames } from "./diff-reads.ts";
import {
  allSides,
  exactFile,
  markers,
  noPrefixes,
  pinned,
  type ReadAccess,
  revsetLog,
} from "./read-access.ts";
import { readTexts } from "./read-texts.ts";
import { createRecentAnswers } from "./recent-answers.ts";
import { conflictedFiles, parseRow, quoted, type Row, readJson, rowTemplate } from "./row-template.ts";
import { withRevset } from "./unpublished.ts";

/** The reading half of a repository, as jj answers it. Nothing here can publish an operation. */
export type Reader = Pick<GraphReader, "readGraph" | "readDelta" | "query"> &
  Omit<
    ContentReader,
    "changedPaths" | "diffFiles" | "hasSameFiles" | "missingObjects" | "lfsFiles" | "lfsContent" | "treeOf"
  > &
  DiffNames;

/** Makes the reading half. `current` answers the operation that a read without one is pinned to. */
export function createReader(jj: Jj, root: string, current: () => Promise<string>): Reader {
  const access: ReadAccess = {
    jj,
    root,
    current,
    at: async (operation) => pinned(root, operation ?? (await current())),
  };
  return { ...createGraphReads(access), ...createDiffReads(access), ...createFileReads(access) };
}

const named = "bookmarks() | working_copies()";

/** Operations never change, but the user's settings affect results. */
const recentMs = 1_000;

/** More than fits on a screen, so that something shows while the rest arrives. */
const firstBatch = 200;
const nextBatches = 1_000;

/** What differs between the graph at `from` and now, as revsets. */
function difference(from: string, revset: string | undefined) {
  // A name that did not exist then is no mistake: nothing was there.
  const then = (expression: string) => `at_operation(${from}, present(${expression}))`;
  // Commits never change, but whether they are immutable or divergent does. Only mutable ones are checked for
  // divergence: for all it would double the time, and immutable ones cannot be repaired.
  const divergent = "(mutable() & divergent())";
  const flags = [
    `(${then("immutable_heads()")}..immutable_heads())`,
    `(immutable_heads()..${then("immutable_heads()")})`,
    `(${divergent} ~ ${then(divergent)})`,
    `(${then(divergent)} ~ divergent())`,
  ].join(" | ");
  if (revset === undefined) {
    return {
      shown: `(${then("visible_heads()")}..visible_heads()) | ${flags}`,
      gone: `visible_heads()..${then("visible_heads()")}`,
    };
  }
  const before = then(revset);
  return {
    shown: `((${revset}) ~ ${before}) | ((${flags}) & (${revset}))`,
    gone: `${before} ~ (${revset})`,
  };
}

/** Makes what answers for the name of the opened workspace. */
function createOwnName({ jj, root, current }: ReadAccess): () => Promise<string> {
  let name: Promise<string> | undefined;
  return () => {
    if (name) return name;
    const asked = (async () => {
      const { stdout } = await jj.run({
        args: [
          ...pinned(root, await current()),
          "workspace",
          "list",
          "-T",
          'if(self.target().current_working_copy(), self.name() ++ "\\n")',
        ],
        cwd: root,
      });
      return stdout.split("\n")[0] ?? "";
    })();
    asked.catch(() => {
      name = undefined;
    });
    name = asked;
    return asked;
  };
}

/** Makes the reads of many changes at once. `own` answers the name of the opened workspace. */
function createWholeReads(
  access: ReadAccess,
  own: () => Promise<string>,
): Pick<GraphReader, "readGraph" | "readDelta"> {
  const { jj, root, current } = access;
  return {
    async readGraph({ revset, operation, signal, onChanges } = {}): Promise<GraphSnapshot> {
      const pin = operation ?? (await current());
      const changes: Change[] = [];
      let reported = 0;
      const refs = new RefCollector();
      const whole = revset === undefined || revset.trim() === "all()";
      const asked = whole ? "all()" : `(${revset}) | ${named}`;
      const template = whole ? rowTemplate() : rowTemplate(`self.contained_in(${quoted(revset)})`);
      const onRow = (line: string): undefined => {
        // Known by the time that all rows are here; asked no earlier, because the first rows are waited for.
        if (changes.length === 0) void own();
        const row = parseRow(line);
        if (row.shown) changes.push(row.change);
        refs.add(row);
        if (onChanges && changes.length - reported >= (reported === 0 ? firstBatch : nextBatches)) {
          onChanges(changes.slice(reported), pin);
          reported = changes.length;
        }
      };
      try {
        const args = [...pinned(root, pin), ...revsetLog(asked), "-T", template];
        await jj.lines({ args, cwd: root, signal }, onRow);
      } catch (error) {
        // jj separates errors in the user's expression only when reading it alone; done only now, because
        // nearly every revset is right.
        if (!whole && !signal?.aborted) await checkRevset(access, revset, pin);
        throw error;
      }
      return { operation: pin, changes, refs: refs.refs(await own()) };
    },

    async readDelta(from, to, { revset } = {}): Promise<GraphDelta> {
      const whole = revset === undefined || revset.trim() === "all()";
      const { shown, gone } = difference(from, whole ? undefined : revset);
      const template = rowTemplate(
        `self.contained_in(${quoted(shown)})`,
        whole ? "self.hidden()" : `self.contained_in(${quoted(gone)})`,
      );
      const added: Change[] = [];
      const removed: string[] = [];
      const refs = new RefCollector();
      await jj.lines(
        {
          args: [
            ...pinned(root, to),
            ...noPrefixes,
            ...revsetLog(`(${shown}) | (${gone}) | ${named}`),
            "-T",
            template,
          ],
          cwd: root,
        },
        (line) => {
          const row = parseRow(line);
          if (row.gone) removed.push(row.change.commitId);
          else if (row.shown) added.push(row.change);
          refs.add(row);
          return undefined;
        },
      );
      return { from, operation: to, added, removed, refs: refs.refs(await own()) };
    },
  };
}

/** Gathers names from rows. jj names working copies only where there are several; `own` names the only one. */
class RefCollector {
  readonly #bookmarks: Record<string, string[]> = {};
  readonly #workspaces: Record<string, string> = {};
  #current: string | undefined;
  add({ change, bookmarks, workspaces, current }: Row): void {
    for (const name of bookmarks) {
      const targets = this.#bookmarks[name];
      if (targets) targets.push(change.commitId);
      else this.#bookmarks[name] = [change.commitId];
    }
    for (const name of workspaces) if (name !== homeWorkspaceName) this.#workspaces[name] = change.commitId;
    if (current) this.#current = change.commitId;
  }
  refs(own: string): Refs {
    if (this.#current !== undefined && Object.keys(this.#workspaces).length === 0)
      this.#workspaces[own] = this.#current;
    return { bookmarks: this.#bookmarks, workspaces: this.#workspaces };
  }
}

/** Makes the reads of the graph. */
function createGraphReads(access: ReadAccess): Pick<GraphReader, "readGraph" | "readDelta" | "query"> {
  const { jj, root, current } = access;
  const recent = createRecentAnswers<readonly Change[]>(recentMs);
  return {
    ...createWholeReads(access, createOwnName(access)),

    async query(revset, { operation, limit } = {}) {
      const pin = operation ?? (await current());
      const limited = limit === undefined ? [] : [`--limit=${limit}`];
      return recent.ask(pin, [revset, ...limited].join("\n"), async () => {
        const changes: Change[] = [];
        await withRevset(revset, async (settings, short) => {
          const args = [
            ...pinned(root, pin),
            ...settings,
            ...revsetLog(short),
            ...limited,
            "-T",
            rowTemplate(),
          ];
          await jj.lines({ args, cwd: root }, (line) => {
            changes.push(parseRow(line).change);
            return undefined;
          });
        });
        return changes;
      });
    },
  };
}

async function checkRevset({ jj, root }: ReadAccess, revset: string, operation: string): Promise<void> {
  await jj.run({
    args: [...pinned(root, operation), ...revsetLog(revset), "--limit=1", "-T", '""'],
    cwd: root,
  });
}

/** Makes the reads of the files of one commit. */
function createFileReads({
  jj,
  root,
  at,
}: ReadAccess): Pick<
  ContentReader,
  | "changedFiles"
  | "fileStats"
  | "listFiles"
  | "readFile"
  | "readConflict"
  | "readTexts"
  | "lineOrigins"
  | "conflictedFiles"
> {
  async function rows(revset: string, template: string, operation?: string) {
    const { stdout } = await jj.run({
      args: [...(await at(operation)), ...noPrefixes, ...revsetLog(revset), "-T", template],
      cwd: root,
    });
    return stdout === "" ? [] : (readJson(stdout) as readonly (readonly [string, string | number])[]);
  }

  const show = async (commit: string, path: string, style: readonly string[], operation?: string) =>
    jj.bytes({
      args: [
        ...(await at(operation)),
        ...noPrefixes,
        ...style,
        ...["file", "show", "-r", commit, "--", exactFile(path)],
      ],
      cwd: root,
    });

  return {
    async changedFiles(commit, { operation } = {}): Promise<readonly ChangedFile[]> {
      const template =
        '"[" ++ self.diff().files().map(|f| "[" ++ json(f.path()) ++ "," ++ json(f.status()) ++ "]" ++ if(f.status() == "renamed", ",[" ++ json(f.source().path()) ++ "," ++ json("removed") ++ "]")).join(",") ++ "]"';
      const files = await rows(commit, template, operation);
      return files.map(([path, kind]) => ({ path, kind: kind as ChangedFile["kind"] }));
    },

    fileStats: (commit, { operation } = {}) => fileStats({ jj, root, at }, commit, operation),

    async listFiles(commit, { operation } = {}) {
      const list = ["file", "list", "-r", commit, "-T", 'json(self.path()) ++ "\\n"'];
      const { stdout } = await jj.run({
        args: [...(await at(operation)), ...noPrefixes, ...list],
        cwd: root,
      });
      return stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => readJson(line) as string);
    },

    readFile: (commit, path, { operation } = {}) => show(commit, path, markers, operation),

    readConflict: (commit, path, { operation } = {}) => show(commit, path, allSides, operation),

    async readTexts(commit, paths, options = {}) {
      const pin = await at(options.operation);
      const show = [...pin, ...noPrefixes, ...markers, "file", "show", "-r", commit];
      return readTexts(
        jj,
        root,
        (some, template) => [...show, "-T", template, "--", ...some.map(exactFile)],
        paths,
        options,
      );
    },

    async lineOrigins(commit, path) {
      const annotate = ["file", "annotate", "-r", commit, "-T", 'commit.change_id() ++ "\\n"'];
      const { stdout } = await jj.run({
        // A path and no pattern; it counts from the folder.
        args: [...(await at(undefined)), ...noPrefixes, ...annotate, "--", path],
        cwd: root,
      });
      return stdout.trim().split("\n");
    },

    async conflictedFiles(commit, { operation } = {}): Promise<readonly ConflictedFile[]> {
      const files = await rows(commit, conflictedFiles, operation);
      return files.map(([path, sides]) => ({ path, sides: Number(sides) }));
    },
  };
}

const list = (items: string): string => `"[" ++ ${items}.join(",") ++ "]"`;

// The list of files knows where one was before, the list of counts how much of it was changed.
const template = [
  '"["',
  list(
    'self.diff().files().map(|f| "[" ++ json(f.path()) ++ "," ++ json(f.source().path()) ++ "," ++ json(f.status()) ++ "]")',
  ),
  '","',
  list(
    'self.diff().stat().files().map(|f| "[" ++ json(f.path()) ++ "," ++ f.lines_added() ++ "," ++ f.lines_removed() ++ "," ++ f.bytes_delta() ++ "]")',
  ),
  '"]"',
].join(" ++ ");

/** Every file of a commit with how many lines and bytes it changes; one process. */
async function fileStats(
  { jj, root, at }: Pick<ReadAccess, "jj" | "root" | "at">,
  commit: string,
  operation?: string,
): Promise<readonly FileStat[]> {
  const { stdout } = await jj.run({
    args: [...(await at(operation)), ...noPrefixes, ...revsetLog(commit), "-T", template],
    cwd: root,
  });
  if (stdout === "") return [];
  const [files, counts] = readJson(stdout) as [
    readonly (readonly [string, string, string])[],
    readonly (readonly [string, number, number, number])[],
  ];
  const byPath = new Map(counts.map((count) => [count[0], count]));
  return files.map(([path, source, kind]) => {
    const [, added = 0, removed = 0, bytes = 0] = byPath.get(path) ?? [];
    return { path, source, kind: kind as FileStat["kind"], added, removed, bytes };
  });
}
