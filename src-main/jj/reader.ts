import { filesOfDiff } from "#shared/domain/files/diff.ts";
import { homeWorkspaceName } from "#shared/domain/graph-words/checkout-name.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import type { Change, GraphDelta, GraphSnapshot, Refs } from "#shared/graph/change.ts";
import type { Jj } from "./process.ts";
import { isOdd, type NamedFile, quoteNames } from "./quoted-names.ts";
import { readJson } from "./read-json.ts";
import { readTexts } from "./read-texts.ts";
import { createRecentAnswers } from "./recent-answers.ts";
import type { ChangedFile, ConflictedFile, Repository } from "./repository-interface.ts";
import type { Row } from "./row-template.ts";
import { parseRow, quoted, rowTemplate } from "./row-template.ts";

/** The reading half of a repository. Nothing here can publish an operation. */
export type Reader = Pick<
  Repository,
  | "readGraph"
  | "readDelta"
  | "query"
  | "diff"
  | "diffFiles"
  | "interdiff"
  | "changedFiles"
  | "listFiles"
  | "readFile"
  | "readTexts"
  | "conflictedFiles"
>;

/** The fileset that means this very path and nothing that looks like a pattern. */
export const exactFile = (path: string): string => `root-file:${quoted(path)}`;

/** Template: the paths in which a commit differs from its parents, as JSON on one line. */
export const changedPaths = '"[" ++ self.diff().files().map(|f| json(f.path())).join(",") ++ "]"';

/** The arguments of a read that is pinned to one operation. */
export const pinned = (folder: string, operation: string): readonly string[] => [
  "-R",
  folder,
  `--at-op=${operation}`,
  "--ignore-working-copy",
  "--quiet",
];

// A full id needs no search for the shortest unique prefix.
const noPrefixes = ["--config", 'revsets.short-prefixes=""'] as const;
// One style of conflict markers for everyone who reads them; a person's files keep theirs.
const markers = ["--config", "ui.conflict-marker-style=diff"] as const;

const named = "bookmarks() | working_copies()";

/** An operation says the same for ever, but a person's settings say what its words mean. */
const recentMs = 1_000;

/** More than a screen holds, so that something stands there while the rest arrives. */
const firstBatch = 200;
const nextBatches = 1_000;

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

/** What differs between the graph at `from` and now, as revsets. */
function difference(from: string, revset: string | undefined) {
  // A name that did not exist then is no mistake: nothing was there.
  const then = (expression: string) => `at_operation(${from}, present(${expression}))`;
  // Commits never change, but whether they are immutable or divergent does. Divergence is asked of mutable ones
  // only: of all of them it takes as long as everything else together, and nobody can mend an immutable one.
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

/** Makes the reading half. `current` answers the operation that a read without one is pinned to. */
export function createReader(jj: Jj, root: string, current: () => Promise<string>): Reader {
  let name: Promise<string> | undefined;
  /** The name of the opened workspace. */
  function own(): Promise<string> {
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
  }

  const at = async (operation: string | undefined): Promise<readonly string[]> =>
    pinned(root, operation ?? (await current()));

  async function rows(revset: string, template: string, operation?: string) {
    const { stdout } = await jj.run({
      args: [...(await at(operation)), ...noPrefixes, ...revsetLog(revset), "-T", template],
      cwd: root,
    });
    return stdout === "" ? [] : (readJson(stdout) as readonly (readonly [string, string | number])[]);
  }

  const recent = createRecentAnswers<readonly Change[]>(recentMs);
  const revsetLog = (revset: string): readonly string[] => ["log", "--no-graph", "-r", revset];

  return {
    async readGraph({ revset, operation, signal, onChanges } = {}): Promise<GraphSnapshot> {
      const pin = operation ?? (await current());
      const changes: Change[] = [];
      let told = 0;
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
        if (onChanges && changes.length - told >= (told === 0 ? firstBatch : nextBatches)) {
          onChanges(changes.slice(told), pin);
          told = changes.length;
        }
      };
      try {
        const args = [...pinned(root, pin), ...revsetLog(asked), "-T", template];
        await jj.lines({ args, cwd: root, signal }, onRow);
      } catch (error) {
        // jj tells mistakes in the person's own words only when it reads those words alone; asked only now, because
        // nearly every revset is right.
        if (!whole && !signal?.aborted) await checkRevset(revset, pin);
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

    async query(revset, { operation, limit } = {}) {
      const pin = operation ?? (await current());
      const limited = limit === undefined ? [] : [`--limit=${limit}`];
      return recent.ask(pin, [revset, ...limited].join("\n"), async () => {
        const changes: Change[] = [];
        const args = [...pinned(root, pin), ...revsetLog(revset), ...limited, "-T", rowTemplate()];
        await jj.lines({ args, cwd: root }, (line) => {
          changes.push(parseRow(line).change);
          return undefined;
        });
        return changes;
      });
    },

    async diff({ commit, from, operation, limit = Number.POSITIVE_INFINITY, paths = [] }) {
      const filesets = paths.map((path) => `root:${quoted(path)}`);
      const lines: string[] = [];
      let characters = 0;
      const add = (line: string): boolean => {
        // One endless line must not come whole either.
        lines.push(startOf(line, limit + 1));
        characters += line.length + 1;
        return characters <= limit;
      };
      const before = [...(await at(operation)), ...noPrefixes, ...markers];
      const files =
        from === undefined
          ? await ownDiff(before, commit, filesets, add)
          : await diffBetween(before, ["--from", from, "--to", commit], filesets, add);
      const safe = files.some(isOdd) ? quoteNames(lines, files).lines : lines;
      const text = safe.map((line) => `${line}\n`).join("");
      // A name that was cut in its middle is left out whole.
      return characters > limit ? text.padEnd(limit + 1) : text;
    },

    async diffFiles({ commit, from, operation }) {
      const range = from === undefined ? ["-r", commit] : ["--from", from, "--to", commit];
      return (await namesOf([...(await at(operation)), ...noPrefixes], range)).map(({ path }) => path);
    },

    async interdiff({ from, to }) {
      const current = await at(undefined);
      const asked = async (...format: readonly string[]): Promise<string> => {
        const { stdout } = await jj.run({
          args: [...current, ...noPrefixes, ...markers, "interdiff", ...format, "--from", from, "--to", to],
          cwd: root,
        });
        return stdout;
      };
      const changed = async (commit: string): Promise<readonly string[]> =>
        (await namesOf([...current, ...noPrefixes], ["-r", commit])).flatMap(({ path, source }) => [
          path,
          source,
        ]);
      const [diff, before, after] = await Promise.all([asked("--git"), changed(from), changed(to)]);
      // Its own list of names cannot be asked for in a form that tells a line end in one from the end of one.
      const known = [...new Set([...before, ...after])].map((path) => ({ path, source: path }));
      if (!known.some(isOdd)) return { diff, files: filesOfDiff(diff).map(({ path }) => path) };
      const { lines, files } = quoteNames(diff.split("\n"), known);
      return { diff: lines.map((line) => `${line}\n`).join(""), files: files.map(({ path }) => path) };
    },

    async changedFiles(commit, { operation } = {}): Promise<readonly ChangedFile[]> {
      const template =
        '"[" ++ self.diff().files().map(|f| "[" ++ json(f.path()) ++ "," ++ json(f.status()) ++ "]").join(",") ++ "]"';
      const files = await rows(commit, template, operation);
      return files.map(([path, kind]) => ({ path, kind: kind as ChangedFile["kind"] }));
    },

    async listFiles(commit, { operation } = {}) {
      const { stdout } = await jj.run({
        args: [
          ...(await at(operation)),
          ...noPrefixes,
          "file",
          "list",
          "-r",
          commit,
          "-T",
          'json(self.path()) ++ "\\n"',
        ],
        cwd: root,
      });
      return stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => readJson(line) as string);
    },

    async readFile(commit, path, { operation } = {}) {
      return jj.bytes({
        args: [
          ...(await at(operation)),
          ...noPrefixes,
          ...markers,
          "file",
          "show",
          "-r",
          commit,
          "--",
          exactFile(path),
        ],
        cwd: root,
      });
    },

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

    async conflictedFiles(commit, { operation } = {}): Promise<readonly ConflictedFile[]> {
      const template =
        '"[" ++ self.conflicted_files().map(|e| "[" ++ json(e.path()) ++ "," ++ e.conflict_side_count() ++ "]").join(",") ++ "]"';
      const files = await rows(commit, template, operation);
      return files.map(([path, sides]) => ({ path, sides: Number(sides) }));
    },
  };

  /** What one commit does, names before text, in one process. @returns its files; `add` gets its lines */
  async function ownDiff(
    before: readonly string[],
    commit: string,
    filesets: readonly string[],
    add: (line: string) => boolean,
  ): Promise<readonly NamedFile[]> {
    const diff = `self.diff(${filesets.length === 0 ? "" : quoted(filesets.join(" | "))})`;
    const listed = `"[" ++ ${diff}.files().map(|f| "[" ++ json(f.source().path()) ++ "," ++ json(f.path()) ++ "]").join(",") ++ "]"`;
    const names: (readonly [string, string])[] = [];
    let hasNames = false;
    const template = `${listed} ++ "\\n" ++ ${diff}.git()`;
    await jj.lines({ args: [...before, ...revsetLog(commit), "-T", template], cwd: root }, (line) => {
      if (hasNames) return add(line);
      hasNames = true;
      names.push(...(readJson(line) as readonly (readonly [string, string])[]));
      return true;
    });
    return names.map(([source, path]) => ({ source, path }));
  }

  /** What leads from one commit to another. No template can say it, so its names need a process of their own. */
  async function diffBetween(
    before: readonly string[],
    range: readonly string[],
    filesets: readonly string[],
    add: (line: string) => boolean,
  ): Promise<readonly NamedFile[]> {
    const all = filesets.length === 0 ? range : [...range, "--", ...filesets];
    const [files] = await Promise.all([
      namesOf(before, all),
      jj.lines({ args: [...before, "diff", "--git", ...all], cwd: root }, add),
    ]);
    return files;
  }

  /** The files of a diff, from a template: its text cannot be asked for names that anything may stand in. */
  async function namesOf(before: readonly string[], range: readonly string[]): Promise<readonly NamedFile[]> {
    const template = 'json(self.source().path()) ++ "," ++ json(self.path()) ++ "\\n"';
    const { stdout } = await jj.run({ args: [...before, "diff", "-T", template, ...range], cwd: root });
    return stdout.split("\n").flatMap((line): readonly NamedFile[] => {
      if (line === "") return [];
      const [source, path] = readJson(`[${line}]`) as [string, string];
      return [{ source, path }];
    });
  }

  async function checkRevset(revset: string, operation: string): Promise<void> {
    await jj.run({
      args: [...pinned(root, operation), ...revsetLog(revset), "--limit=1", "-T", '""'],
      cwd: root,
    });
  }
}
