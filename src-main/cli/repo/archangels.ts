/** Reviewers in the background and what they say. */

import type { IdeaView } from "#shared/contract/commands/archangel.ts";
import type { ArchangelView } from "#shared/domain/archangel/archangel.ts";
import type { CommentView } from "#shared/domain/archangel/archangel-records.ts";
import { startOf } from "#shared/domain/text/format-text.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { type CommonOptions, oneLine, wholeNumber } from "../command-line.ts";
import {
  type CommandRow,
  clientRow,
  ideaNumbered,
  row,
  showDone,
  unknownName,
  workerNamed,
} from "../command-table.ts";
import { indented, show } from "../output.ts";
import type { RunClient } from "../run/run-client.ts";

const switchRow = (isOn: boolean): CommandRow => {
  const word = isOn ? "on" : "off";
  return clientRow(
    `archangels ${word}`,
    `turn an archangel ${word} for this repository (writes .hox/config.toml)`,
    { "<name>": ["for example security", oneLine] },
    async (given, client) => {
      const { name } = given;
      await client.execute("archangel.switch", { name, isOn });
      const text = isOn
        ? `${name} is on: it comments and makes suggestions; its cost counts toward the run's budget.`
        : `${name} is off.`;
      showDone(given, client, { archangel: name, isOn }, text);
    },
  );
};

const ofComment = {
  "<comment>": ["id from `hox comments`, for example security-1", oneLine],
} as const;

/** @param send sends the command about the comment and answers what to print */
async function onComment(
  did: string,
  given: CommonOptions & { readonly comment: string },
  client: RunClient,
  send: (at: { readonly run: string; readonly comment: string }) => Promise<string>,
): Promise<void> {
  const { comment } = given;
  const run = await client.run();
  const ids = run.comments.map(({ id }) => id);
  if (!ids.includes(comment))
    throw unknownName(`No comment ${shownLine(comment)} in this run.`, comment, ids);
  showDone(given, client, { comment, did }, await send({ run: run.id, comment }));
}

/** Goals for later. */
const ideaRows: readonly CommandRow[] = [
  clientRow(
    "ideas",
    "list goals saved for later; `hox run --idea 1` starts the first",
    {},
    async (given, client) => {
      const all = await client.execute("ideas.list");
      for (const [at, one] of all.entries()) show(given, one, ideaLines(one, at));
      if (all.length === 0 && !given.json) show({}, null, 'No ideas yet. Save one: hox ideas add "…"');
    },
  ),
  clientRow("ideas add", "save a goal for later", { "<words...>": "the goal" }, async (given, client) => {
    const idea = await client.execute("ideas.add", { text: given.words.join(" ") });
    show(given, idea, "Saved. Start a run from it: hox run --idea 1");
  }),
  clientRow(
    "ideas remove",
    "remove an idea",
    { "<number>": ["number from `hox ideas`", wholeNumber(1, 100_000)] },
    async (given, client) => {
      const { id, text } = ideaNumbered(await client.execute("ideas.list"), given.number);
      await client.execute("ideas.remove", { id });
      showDone(given, client, { removed: id }, `Removed: ${shownLine(text)}`);
    },
  ),
];

const ideaLines = ({ text, context, files, from, run }: IdeaView, at: number): readonly string[] => [
  `${at + 1}. ${shownLine(text)}${from === null ? "" : ` (${from})`}${run === null ? "" : " (used for a run)"}`,
  ...indented(context),
  ...(files.length === 0 ? [] : [`  files: ${files.map(shownName).join(", ")}`]),
];

export const archangelRows: readonly CommandRow[] = [
  clientRow(
    "archangels",
    "list archangels (background reviewers): which are on, when they wake, what they spent",
    {},
    async (given, client) => {
      const { run } = await client.state();
      const all = await client.execute("archangel.list", { run: run?.id ?? null });
      for (const one of all) show(given, one, archangelLines(one));
    },
  ),
  row(
    "archangels watch",
    "review the sessions of your other agents in this repository until you press Ctrl-C",
    { "--model <name>": ["model of archangels that set none", oneLine] },
    async ({ model, ...given }) => {
      const [{ run }, { watchGoal }] = await Promise.all([
        import("../run/run.ts"),
        import("#shared/domain/archangel/archangel.ts"),
      ]);
      return run({ ...given, ...(model === undefined ? {} : { model }), goal: watchGoal, watch: true });
    },
  ),
  switchRow(true),
  switchRow(false),

  clientRow(
    "comments",
    "list the archangels' comments on lines and changes of the run",
    {
      "--worker <name>": ["only comments on this worker's changes", oneLine],
      "--all": "include resolved comments",
    },
    async (given, client) => {
      const run = await client.run();
      const worker = given.worker === undefined ? null : workerNamed(run, given.worker).name;
      const found = run.comments.filter(
        (one) => (given.all || !one.isResolved) && (worker === null || one.worker === worker),
      );
      for (const one of found) show(given, one, commentLines(one));
      if (found.length === 0 && !given.json) show({}, null, "No comments.");
    },
  ),
  clientRow(
    "comments send",
    "send a comment to the agent that it is about, as advice",
    ofComment,
    (given, client) =>
      onComment("send", given, client, async (at) => {
        const { worker } = await client.execute("comment.send", at);
        return `Sent to ${worker}, as advice.`;
      }),
  ),
  ...([true, false] as const).map((isResolved) =>
    clientRow(
      isResolved ? "comments resolve" : "comments reopen",
      isResolved ? "mark a comment as resolved" : "reopen a comment",
      ofComment,
      (given, client) =>
        onComment("resolve", given, client, async (at) => {
          await client.execute("comment.resolve", { ...at, isResolved });
          return `${at.comment} is ${isResolved ? "resolved" : "reopened"}.`;
        }),
    ),
  ),
  clientRow(
    "comments reply",
    "reply to the archangel, which can reply to you",
    { ...ofComment, "<words...>": "your reply" },
    (given, client) =>
      onComment("reply", given, client, async (at) => {
        await client.execute("comment.reply", { ...at, text: given.words.join(" ") });
        return "Sent. The archangel reads it in its next review.";
      }),
  ),
  ...ideaRows,
];

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
