/** Undoing, restoring, and moving your folder: each shows what would change, and asks. */
import type { RestorePreview, UndoPreview } from "#shared/contract/commands/graph.ts";
import { counted } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { CommandError, exitCode, oneLine } from "../command-line.ts";
import {
  agentName,
  type CommandRow,
  clientRow,
  isConfirmed,
  showPreview,
  workerNamed,
} from "../command-table.ts";
import { consent } from "../consent.ts";
import { firstLines, show } from "../output.ts";

const short = (id: string): string => id.slice(0, 12);
const titled = ({ title, changeId }: { readonly title: string; readonly changeId: string }): string =>
  `${shownLine(title)} (${short(changeId)})`;

export const undoRows: readonly CommandRow[] = [
  clientRow(
    "undo",
    "undo the file changes of one agent",
    {
      "<agent>": agentName,
      "-y, --yes": isConfirmed,
      "--wait": "keep the agent paused instead of restarting it with the run",
    },
    async (given, client) => {
      const { agent: worker, wait } = given;
      const run = await client.run(worker);
      const at = { run: run.id, worker: workerNamed(run, worker).name };
      const preview = await client.execute("run.previewUndo", at);
      showPreview(given, preview, undoLines(preview));
      await consent(given, `Undo the work of ${worker} only?`);
      await client.execute("run.undoWorker", { ...at, afterwards: wait ? "wait" : "restart" });
      const next = wait
        ? ` ${worker} stays paused; resume it with: hox resume ${worker}.`
        : ` ${worker} restarts${client.isLive ? "." : " when the run resumes: hox run"}`;
      const text = `Undone.${run.endedAt === null ? next : ""}`;
      show(given, { kind: "undone", worker, changeId: preview.changeId }, text);
    },
  ),
  clientRow(
    "undo-landing",
    "move the branch back to before the last run landed; the work stays in the graph",
    { "-y, --yes": isConfirmed },
    async (given, client) => {
      const preview = await client.execute("run.previewUndoLanding");
      const { bookmark, from, to, commits } = preview;
      const name = shownName(bookmark);
      const back = from === null ? "is deleted: the landing created it" : `moves back to ${short(from)}`;
      showPreview(given, preview, [
        `${name} ${back}; removed from it:`,
        ...firstLines(commits.map((title) => `  ${shownLine(title)}`)),
      ]);
      await consent(given, `Undo the landing on ${name}? Your own edits are kept.`);
      await client.execute("run.undoLanding");
      show(
        given,
        { kind: "done", undone: bookmark, from, to },
        `Undone. The landed work is still in the graph as ${short(to)}. To land it again: \`git merge ${short(to)}\`, or \`jj bookmark set ${name} -r ${short(to)}\``,
      );
    },
  ),
  clientRow(
    "restore",
    "restore the whole repository to an earlier point, after a preview; all runs must be paused",
    {
      "--to <moment>": {
        help: "an operation from `jj op log`, a time (15:30, 2026-05-04T15:30), or an age (20m)",
        parse: (text: string) => momentIn(oneLine(text), Date.now()),
        isRequired: true,
      },
      "--dry-run": "only show what would change",
      "-y, --yes": isConfirmed,
    },
    async (given, client) => {
      const preview = await client.execute("operation.previewRestore", { to: given.to });
      showPreview(given, preview, restoreLines(preview));
      if (given.dryRun) return;
      await consent(given, "Restore the repository to this point?");
      const { head, moment } = preview;
      const restored = await client.execute("operation.restore", { operation: moment.operation, head });
      const text = `Restored. To undo: \`jj op revert ${short(restored.operation)}\``;
      show(given, { kind: "restored", ...restored }, text);
    },
  ),
  clientRow(
    "catch-up",
    "move your folder to what the last run landed; your own edits are kept as their change",
    { "-y, --yes": isConfirmed },
    async (given, client) => {
      const preview = await client.execute("run.previewCatchUp");
      const { bookmark, to, title, isThere, own } = preview;
      const name = shownName(bookmark);
      if (isThere) return showPreview(given, preview, [`Your folder is already up to date with ${name}.`]);
      showPreview(
        given,
        preview,
        own === null || preview.refusal !== null
          ? []
          : [
              `Your own edits are kept as change ${short(own.changeId)} ${shownLine(own.title)}:`,
              ...firstLines(own.files.map((path) => `  ${shownLine(path)}`)),
            ],
      );
      if (own !== null) await consent(given, `Move your folder to ${name}?`);
      const { operation } = await client.execute("run.catchUp");
      show(given, { kind: "done", bookmark, to, operation }, [
        `Your folder is now on ${name}: ${short(to)} ${shownLine(title)}`,
        ...(own === null
          ? []
          : [
              `Your edits: \`jj edit ${short(own.changeId)}\`, or \`jj rebase -s ${short(own.changeId)} -o ${name}\` to move them onto ${name}.`,
            ]),
        ...(operation === null ? [] : [`To undo: \`jj op revert ${short(operation)}\`.`]),
      ]);
    },
  ),
];

function undoLines(preview: UndoPreview): readonly string[] {
  const { files, moved, affected, untouched } = preview;
  return [
    `${preview.worker}: ${titled(preview)}`,
    files.length === 0 ? "  no files changed" : "  files that return to their inherited state:",
    ...files.map((file) => `    ${file.kind.padEnd(8)} ${shownName(file.path)}`),
    `  ${counted(preview.operationCount, "operation")} by this agent in this run`,
    ...moved.map((one) => `  continues without it: ${titled(one)}`),
    ...affected.map((one) => `  depends on it: ${titled(one)}`),
    ...(untouched.length === 0 ? [] : [`  unchanged: ${untouched.join(", ")}`]),
  ];
}

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * An operation, or a time in ms since 1970: a clock time (`2026-05-04T15:30`, `15:30` today), or an age
 * (`20m`, `2h`).
 * @throws CommandError otherwise
 */
export function momentIn(text: string, now: number): string | number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/u.exec(text) ?? [];
  if (count !== undefined) return now - Number(count) * units[unit as keyof typeof units];
  if (/^[0-9a-f]{8,128}$/u.test(text)) return text;
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/u.exec(text) ?? [];
  if (hours !== undefined) {
    const today = new Date(now).setHours(Number(hours), Number(minutes), 0, 0);
    // Nobody goes back to what is to come.
    return today <= now ? today : today - units.d;
  }
  const time = /^\d{4}-\d{2}-\d{2}/u.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(time)) return time;
  throw new CommandError(
    `"${shownLine(text)}" is not an operation or a time.`,
    "Give the start of an operation ID (`jj op log`), a time (15:30, 2026-05-04T15:30) or an age (20m).",
    exitCode.usage,
  );
}

function restoreLines(preview: RestorePreview): readonly string[] {
  const { moment, changes, rebased, bookmarks, agents, ownFiles, runs, fromTerminals } = preview;
  const { operationCount: count } = preview;
  const short = (title: string | undefined): string => (title === undefined ? "nowhere" : shownLine(title));
  return [
    `to ${new Date(moment.at).toLocaleString()}, after ${moment.operation.slice(0, 12)} ${shownLine(moment.description)}`,
    `  ${count} ${count === 1 ? "operation is" : "operations are"} undone`,
    ...listed("  from terminals", fromTerminals, (one) => shownLine(one.description)),
    ...listed(
      "  changes",
      changes,
      ({ how, title, changeId, agent }) =>
        `${how.padEnd(11)} ${shownLine(title)} (${changeId.slice(0, 12)}${agent === null ? "" : `, ${agent}`})`,
    ),
    ...(rebased === 0 ? [] : [`    and ${rebased} more on top of these`]),
    ...listed(
      "  bookmarks",
      bookmarks,
      ({ name, from, to }) => `${shownName(name)}: ${short(from?.title)} → ${short(to?.title)}`,
    ),
    ...(agents.length === 0 ? [] : [`  work of ${agents.map(({ name }) => shownName(name)).join(", ")}`]),
    ...(ownFiles === null
      ? ["  your files and Git's branches stay: Git keeps them"]
      : listed("  files in your folder", ownFiles, shownName)),
    ...runs.map(
      ({ root, goal, becomes, loses }) =>
        `  run ${root} "${shownLine(goal)}" ${becomes === "ends" ? "ends" : becomes === "stays" ? "stays as it is" : "is over"}. ${loses.join(" ")}`,
    ),
  ];
}

const listed = <One>(title: string, all: readonly One[], line: (one: One) => string): readonly string[] =>
  all.length === 0 ? [] : [title, ...firstLines(all.map((one) => `    ${line(one)}`))];
