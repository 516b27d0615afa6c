/** Goals for later. */
import type { IdeaView } from "#shared/contract/commands/archangel.ts";
import { shownLine, shownName } from "#shared/domain/text/shown-text.ts";
import { CommandError, exitCode, wholeNumber } from "./command-line.ts";
import { type CommandRow, clientRow, showDone } from "./command-table.ts";
import { indented, show } from "./output.ts";

export const ideaRows: readonly CommandRow[] = [
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
