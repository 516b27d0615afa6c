/** `hox archangels | comments | ideas`: reviewers in the background, what they say, and goals for later. */
import type { ArchangelView, CommentView, IdeaView } from "#shared/contract/views/archangel.ts";
import { startOf } from "#shared/domain/text/cut-text.ts";
import { nearestWord } from "#shared/domain/text/nearest-word.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { CommandError, type CommonOptions, type ExitCode, exitCode } from "./command-line.ts";
import { print, printJson } from "./output.ts";
import { type RunClient, withRunClient, workerNamed } from "./run-client.ts";

/** All of them, on or off. */
export const archangels = (options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const all = await client.execute("archangel.list");
    if (options.json) for (const one of all) printJson(one);
    else for (const line of all.flatMap(archangelLines)) print(line);
    return exitCode.done;
  });

export const switchArchangel = (name: string, isOn: boolean, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    await client.execute("archangel.switch", { name, isOn });
    if (options.json) printJson({ kind: "done", live: client.isLive, archangel: name, isOn });
    else
      print(
        isOn
          ? `${name} is on: it comments and makes suggestions; its cost counts toward the run's budget.`
          : `${name} is off.`,
      );
    return exitCode.done;
  });

function archangelLines(one: ArchangelView): readonly string[] {
  const { name, isOn, state, wakes, paths, model, spent, delivery, purpose } = one;
  const limits = [
    ...(one.microDollars === null ? [] : [`at most $${(one.microDollars / 1e6).toFixed(2)}`]),
    ...(one.tokens === null ? [] : [`at most ${one.tokens} tokens`]),
  ];
  return [
    `${name.padEnd(14)} ${(isOn ? state : "off").padEnd(9)} ${shownLine(startOf(purpose.split("\n")[0] ?? "", 90))}`,
    `  wakes on ${wakes.map((wake) => wake.replaceAll("_", " ")).join(", ")}${paths.length === 0 ? "" : `; watches ${paths.map(shownName).join(", ")}`}`,
    `  ${[shownLine(model), ...limits, ...(spent.requests > 0 ? [`spent $${(spent.microDollars / 1e6).toFixed(4)}`] : []), ...(delivery.lastAnalysisAt === null ? [] : [`last review ${new Date(delivery.lastAnalysisAt).toISOString()}`])].join("; ")}`,
  ];
}

interface CommentOptions extends CommonOptions {
  readonly worker?: string;
  readonly all?: boolean;
}

/** Unresolved ones; with `all` the others too. */
export const comments = (options: CommentOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const { run } = await client.state();
    if (!run) throw new CommandError("No run in this repository.", 'Start one: hox run --goal "…"');
    const worker = options.worker === undefined ? null : workerNamed(run, options.worker).name;
    const found = run.comments.filter(
      (one) => (options.all || !one.isResolved) && (worker === null || one.worker === worker),
    );
    if (options.json) for (const one of found) printJson(one);
    else if (found.length === 0) print("No comments.");
    else for (const line of found.flatMap(commentLines)) print(line);
    return exitCode.done;
  });

function commentLines(one: CommentView): readonly string[] {
  const place = one.path === null ? "" : ` ${shownName(one.path)}${one.line === null ? "" : `:${one.line}`}`;
  const marks = [
    one.relation.replaceAll("_", " "),
    ...(one.step === null ? [] : [shownLine(one.step)]),
    ...(one.isOutdated ? ["outdated: line removed"] : []),
    ...(one.isResolved ? ["resolved"] : []),
    ...(one.sentTo === null ? [] : [`sent to ${one.sentTo}`]),
  ];
  return [
    `${one.id}  ${one.worker ?? "outside Hox"}${place}  [${marks.join("; ")}]`,
    ...indented(one.text),
    ...one.replies.map(({ by, text }) => `    ${shownLine(by)}: ${shownLine(text)}`),
  ];
}

const indented = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [`  ${shownLine(line)}`]));

/** The user's action on one comment. */
export type CommentDeed =
  | { readonly kind: "send" }
  | { readonly kind: "resolve"; readonly isResolved: boolean }
  | { readonly kind: "reply"; readonly text: string };

export const dealWithComment = (id: string, deed: CommentDeed, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    await refuseUnknown(client, id);
    const words = await done(client, id, deed);
    if (options.json) printJson({ kind: "done", live: client.isLive, comment: id, did: deed.kind });
    else print(words);
    return exitCode.done;
  });

async function done(client: RunClient, comment: string, deed: CommentDeed): Promise<string> {
  switch (deed.kind) {
    case "send":
      return `Sent to ${(await client.execute("comment.send", { comment })).worker}, as advice.`;
    case "resolve":
      await client.execute("comment.resolve", { comment, isResolved: deed.isResolved });
      return deed.isResolved ? `${comment} is resolved.` : `${comment} is reopened.`;
    case "reply":
      await client.execute("comment.reply", { comment, text: deed.text });
      return "Sent. The archangel reads it in its next review.";
  }
}

/** @throws CommandError that names the nearest one */
async function refuseUnknown(client: RunClient, id: string): Promise<void> {
  const { run } = await client.state();
  const ids = run?.comments?.map((one) => one.id) ?? [];
  if (ids.includes(id)) return;
  const near = nearestWord(id, ids);
  throw new CommandError(
    `No comment ${shownLine(id)} in this run.`,
    near ? `Did you mean ${near}? List them: hox comments` : "List them: hox comments",
    exitCode.usage,
  );
}

/** Goals for later, the newest first and counted from 1. */
export const ideas = (options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const all = await client.execute("ideas.list");
    if (options.json) for (const one of all) printJson(one);
    else if (all.length === 0) print('No ideas yet. Save one: hox ideas add "…"');
    else for (const line of all.flatMap(ideaLines)) print(line);
    return exitCode.done;
  });

const ideaLines = ({ text, context, files, from, run }: IdeaView, at: number): readonly string[] => [
  `${at + 1}. ${shownLine(text)}${from === null ? "" : ` (${from})`}${run === null ? "" : " (used for a run)"}`,
  ...indented(context),
  ...(files.length === 0 ? [] : [`  files: ${files.map(shownName).join(", ")}`]),
];

export const addIdea = (text: string, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const idea = await client.execute("ideas.add", { text });
    if (options.json) printJson(idea);
    else print("Saved. Start a run from it: hox run --idea 1");
    return exitCode.done;
  });

export const removeIdea = (number: number, options: CommonOptions): Promise<ExitCode> =>
  withRunClient(options, async (client) => {
    const idea = ideaNumbered(await client.execute("ideas.list"), number);
    await client.execute("ideas.remove", { id: idea.id });
    if (options.json) printJson({ kind: "done", live: client.isLive, removed: idea.id });
    else print(`Removed: ${shownLine(idea.text)}`);
    return exitCode.done;
  });

/** As numbered by `hox ideas`. @throws CommandError for an unknown number */
export function ideaNumbered(all: readonly IdeaView[], number: number): IdeaView {
  const idea = all[number - 1];
  if (idea !== undefined) return idea;
  throw new CommandError(
    `No idea ${number}.`,
    all.length === 0
      ? 'No ideas yet. Save one: hox ideas add "…"'
      : `Saved ideas: ${all.length}. List them: hox ideas`,
    exitCode.usage,
  );
}
