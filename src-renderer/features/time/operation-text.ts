/** jj's own words for an operation as a user would say them: what was done to which change. */
import { isCheckoutName, parseAssignment } from "#shared/domain/change-metadata/address.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import type { Operation } from "#shared/graph/change.ts";
import { withShortIds } from "../../kit/file-name.tsx";

export interface Actor {
  readonly name: string;
  readonly operations: number;
}

/** Who caused operations, the busiest first. */
export function actorsOf(operations: readonly Operation[]): readonly Actor[] {
  const counts = new Map<string, number>();
  for (const { actor } of operations) counts.set(actor, (counts.get(actor) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, operations: count }))
    .sort((a, b) => b.operations - a.operations || a.name.localeCompare(b.name));
}

/** As it is read: the parts of Hox have names, and no others have any. */
export const actorName = (actor: string): string =>
  actor === "hox" ? "Hox" : actor === "git" ? "Git" : actor === "terminal" ? "a terminal" : shownName(actor);

/** What is known of a commit that an operation names. */
interface OperationSubject {
  readonly changeId: string;
  readonly title: string;
}
export type Subjects = Readonly<Record<string, OperationSubject>>;

/** Ids of the commits that operations name, each once. */
export const commitsNamed = (operations: readonly Operation[]): readonly string[] => [
  ...new Set(operations.flatMap(({ description }) => description.match(/\b[0-9a-f]{40}\b/gu) ?? [])),
];

/** Title of a commit as a part of a sentence. */
function titleIn(subjects: Subjects, commit: string): string {
  const known = subjects[commit];
  if (!known) return `commit ${commit.slice(0, 8)}`;
  return known.title === "" ? "a change without description" : `“${shownLine(known.title)}”`;
}

type Say = (found: readonly string[], title: (commit: string) => string) => string;

const more = (count: string | undefined): string => (count === undefined ? "" : ` and ${count} more`);

const sentences: readonly (readonly [RegExp, Say])[] = [
  [/^new empty commit$/u, () => "created a change"],
  [/^commit ([0-9a-f]+)$/u, ([id = ""], title) => `committed ${title(id)}`],
  [
    /^describe commit ([0-9a-f]+)(?: and (\d+) more)?$/u,
    ([id = "", n], title) => `described ${title(id)}${more(n)}`,
  ],
  [
    /^abandon commit ([0-9a-f]+)(?: and (\d+) more)?$/u,
    ([id = "", n], title) => `abandoned ${title(id)}${more(n)}`,
  ],
  [/^edit commit ([0-9a-f]+)$/u, ([id = ""], title) => `started editing ${title(id)}`],
  [
    /^edit file (.+) in commit ([0-9a-f]+)$/u,
    ([path = "", id = ""], title) => `edited ${shownName(path)} in ${title(id)}`,
  ],
  [
    /^rebase commit ([0-9a-f]+) and descendants$/u,
    ([id = ""], title) => `rebased ${title(id)} and its descendants`,
  ],
  [
    /^rebase commit ([0-9a-f]+)(?: and (\d+) more)?$/u,
    ([id = "", n], title) => `rebased ${title(id)}${more(n)}`,
  ],
  [/^squash commits into ([0-9a-f]+)$/u, ([id = ""], title) => `squashed into ${title(id)}`],
  [/^restore into commit ([0-9a-f]+)$/u, ([id = ""], title) => `restored files in ${title(id)}`],
  [/^restore to operation [0-9a-f]+$/u, () => "restored the repository to an earlier operation"],
  [/^(?:revert|undo) operation ([0-9a-f]+)$/u, ([id = ""]) => `undid operation ${id.slice(0, 8)}`],
  [
    /^point bookmark (.+) to commit ([0-9a-f]+)$/u,
    ([name = "", id = ""], title) => describeBookmark(name, title(id)),
  ],
  [
    /^create bookmark (.+) pointing to commit ([0-9a-f]+)$/u,
    ([name = "", id = ""], title) => describeBookmark(name, title(id)),
  ],
  [/^delete bookmarks? (.+)$/u, ([names = ""]) => `deleted bookmark ${shownName(names)}`],
];

function describeBookmark(name: string, title: string): string {
  const assignment = parseAssignment(name);
  return assignment ? `assigned ${title} to ${assignment.agent}` : `moved ${shownName(name)} to ${title}`;
}

/**
 * What happened, as the text after who did it.
 * @param subjects what is known of the commits that it names; an unknown one is shown by its id
 */
export function formatOperation({ description }: Operation, subjects: Subjects): string {
  for (const [form, say] of sentences) {
    const found = form.exec(description);
    if (found) return say(found.slice(1), (commit) => titleIn(subjects, commit));
  }
  const own = housekeepingOf(description);
  return own
    ? formatHousekeeping([own])
    : withShortIds(shownLine(description)) || "ran an operation without description";
}

/** What Hox and jj do for themselves: of one after another only one row is made. */
interface Housekeeping {
  readonly kind: "files" | "workspaces" | "git";
  readonly isOpened?: boolean;
  /** Of a workspace. */
  readonly name?: string;
}

const unquoted = (name: string): string => name.replace(/^'(.*)'$/u, "$1");

function housekeepingOf(description: string): Housekeeping | null {
  if (description === "snapshot working copy") return { kind: "files" };
  if (/^(?:import git|export git)/u.test(description)) return { kind: "git" };
  const opened = /^(?:add workspace|create initial working-copy commit in workspace) (.+)$/u.exec(
    description,
  );
  if (opened) return { kind: "workspaces", isOpened: true, name: unquoted(opened[1] ?? "") };
  const closed = /^forget workspaces? (.+)$/u.exec(description);
  return closed ? { kind: "workspaces", isOpened: false, name: unquoted(closed[1] ?? "") } : null;
}

function formatHousekeeping(all: readonly Housekeeping[]): string {
  const [first] = all;
  if (first?.kind === "files")
    return all.length === 1 ? "recorded files" : `recorded files ${all.length} times`;
  if (first?.kind === "git") return "synchronized with Git";
  const of = (isOpened: boolean) =>
    new Set(all.flatMap((one) => (one.isOpened === isOpened && one.name !== undefined ? [one.name] : [])));
  const [opened, closed] = [of(true), of(false)];
  const names = [...new Set([...opened, ...closed])];
  const done = closed.size === 0 ? "set up" : opened.size === 0 ? "removed" : "set up and removed";
  return `${done} ${workspacesNamed(names)}`;
}

function workspacesNamed(names: readonly string[]): string {
  const [name = ""] = names;
  const checkouts = names.filter(isCheckoutName).length;
  if (names.length === 1)
    return checkouts === 1 ? "a checkout for checks" : `the workspace of ${shownName(name)}`;
  if (checkouts === names.length) return `${names.length} checkouts for checks`;
  return `${names.length} workspaces`;
}

/** One row: an operation, or housekeeping that came one after another. */
export interface OperationRow {
  /** The newest of them. */
  readonly operation: Operation;
  /** All of them, the newest first; one for what is no housekeeping. */
  readonly all: readonly Operation[];
  /** Who did it; null: several. */
  readonly actor: string | null;
  readonly words: string;
}

/** @param operations the newest first */
export function operationRows(operations: readonly Operation[], subjects: Subjects): readonly OperationRow[] {
  const rows: OperationRow[] = [];
  for (let at = 0; at < operations.length; ) {
    const operation = operations[at];
    if (!operation) break;
    const own = housekeepingOf(operation.description);
    let end = at + 1;
    if (own !== null) while (housekeepingOf(operations[end]?.description ?? "")?.kind === own.kind) end += 1;
    const all = operations.slice(at, end);
    const isOfOne = all.every(({ actor }) => actor === operation.actor);
    rows.push({
      operation,
      all,
      actor: isOfOne ? operation.actor : null,
      words:
        own === null
          ? formatOperation(operation, subjects)
          : formatHousekeeping(all.flatMap(({ description }) => housekeepingOf(description) ?? [])),
    });
    at = end;
  }
  return rows;
}
