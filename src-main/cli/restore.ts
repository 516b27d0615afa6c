/** `hox restore`: the whole repository back to a moment, after a look at what that does. */
import type { RestorePreview } from "#shared/contract/views/restore.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { consent } from "./consent.ts";
import { print, printJson } from "./output.ts";
import { withRunClient } from "./run-client.ts";

export interface RestoreOptions extends CommonOptions {
  readonly to: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Maximum of lines of a kind that are listed before confirming; `--json` has all. */
const maxLines = 20;

export function restore(options: RestoreOptions): Promise<ExitCode> {
  const to = momentIn(options.to, Date.now());
  return withRunClient(options, async (client) => {
    const preview = await client.execute("operation.previewRestore", { to });
    if (options.json) printJson({ kind: "preview", ...preview });
    else for (const line of previewLines(preview)) print(line);
    if (preview.refusal) throw new CommandError(preview.refusal.reason, preview.refusal.remedy);
    if (options.dryRun) return exitCode.done;
    await consent(options, "Restore the repository to this point?");
    const { head, moment } = preview;
    const { operation, ended } = await client.execute("operation.restore", {
      operation: moment.operation,
      head,
    });
    if (options.json) printJson({ kind: "restored", operation, ended });
    else print(`Restored. To undo: \`jj op revert ${operation.slice(0, 12)}\``);
    return exitCode.done;
  });
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

function previewLines(preview: RestorePreview): readonly string[] {
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

function listed<One>(title: string, all: readonly One[], line: (one: One) => string): readonly string[] {
  if (all.length === 0) return [];
  const more = all.length - maxLines;
  return [
    title,
    ...all.slice(0, maxLines).map((one) => `    ${line(one)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
}
