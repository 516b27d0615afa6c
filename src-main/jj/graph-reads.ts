import type { Change, GraphDelta, GraphSnapshot } from "#shared/graph/change.ts";
import { withRevset } from "./long-revset.ts";
import type { GraphReader } from "./ports/graph-reader.ts";
import { noPrefixes, pinned, type ReadAccess, revsetLog } from "./read-access.ts";
import { createRecentAnswers } from "./recent-answers.ts";
import { RefCollector } from "./ref-collector.ts";
import { parseRow, quoted, rowTemplate } from "./row-template.ts";

const named = "bookmarks() | working_copies()";

/** An operation says the same for ever, but a person's settings say what its words mean. */
const recentMs = 1_000;

/** More than a screen holds, so that something stands there while the rest arrives. */
const firstBatch = 200;
const nextBatches = 1_000;

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
        // jj tells mistakes in the person's own words only when it reads those words alone; asked only now, because
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

/** Makes the reads of the graph. */
export function createGraphReads(access: ReadAccess): Pick<GraphReader, "readGraph" | "readDelta" | "query"> {
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
