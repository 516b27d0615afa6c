import type { Command } from "commander";
import { oneLine, wholeNumber } from "./command-line.ts";
import { type CommandList, withCommonOptions } from "./command-list.ts";

/** Reviewers in the background, what they say, and goals for later. */
export function addArchangelCommands(list: CommandList): void {
  addArchangels(list);
  addComments(list);
  addIdeas(list);
}

const all = async () => import("./archangels.ts");

/** Words that follow a command of `hox`. */
const partsOf =
  (parent: Command) =>
  (name: string, description: string): Command =>
    withCommonOptions(parent.command(name).description(description));

function addArchangels({ command, end }: CommandList): void {
  const archangels = command(
    "archangels",
    "reviewers in the background: which are on, when they wake, what they spent",
  ).action(async (options) => end(await (await all()).archangels(options)));
  const part = partsOf(archangels);
  part("watch", "review your own agents' sessions in this repository, until Ctrl-C")
    .option("--model <name>", "of archangels that have none of their own", oneLine)
    .action(async (options) => {
      const { watchGoal } = await import("#shared/domain/archangel/archangel.ts");
      end(await (await import("./run.ts")).run({ ...options, goal: watchGoal, watch: true }));
    });
  part("list", "the same").action(async (options) => end(await (await all()).archangels(options)));
  for (const [word, isOn] of [
    ["on", true],
    ["off", false],
  ] as const)
    part(word, `switch one ${word} for this repository, in .hox/config.toml`)
      .argument("<name>", "for instance security", oneLine)
      .action(async (name, options) => end(await (await all()).switchArchangel(name, isOn, options)));
}

function addComments({ command, end }: CommandList): void {
  const comments = command("comments", "what archangels say of lines and changes of the run")
    .option("--worker <name>", "about the work of this one alone", oneLine)
    .option("--all", "the resolved ones too")
    .action(async (options) => end(await (await all()).comments(options)));
  const part = partsOf(comments);
  const deed = (name: string, description: string): Command =>
    part(name, description).argument("<comment>", "as `hox comments` names it: security-1", oneLine);

  deed("send", "to the agent that it is about, as material to judge").action(async (id, options) =>
    end(await (await all()).dealWithComment(id, { kind: "send" }, options)),
  );
  deed("resolve", "it needs nobody any more").action(async (id, options) =>
    end(await (await all()).dealWithComment(id, { kind: "resolve", isResolved: true }, options)),
  );
  deed("reopen", "it is not resolved after all").action(async (id, options) =>
    end(await (await all()).dealWithComment(id, { kind: "resolve", isResolved: false }, options)),
  );
  deed("reply", "answer its archangel, which may answer back")
    .argument("<words...>", "what you say")
    .action(async (id, words, options) =>
      end(await (await all()).dealWithComment(id, { kind: "reply", text: words.join(" ") }, options)),
    );
}

function addIdeas({ command, end }: CommandList): void {
  const ideas = command(
    "ideas",
    "goals that were kept for later; `hox run --idea 1` begins from the first",
  ).action(async (options) => end(await (await all()).ideas(options)));
  const part = partsOf(ideas);
  part("add", "keep a goal for later")
    .argument("<words...>", "the goal")
    .action(async (words, options) => end(await (await all()).addIdea(words.join(" "), options)));
  part("remove", "remove one")
    .argument("<number>", "as `hox ideas` counts", wholeNumber(1, 100_000))
    .action(async (number, options) => end(await (await all()).removeIdea(number, options)));
}
