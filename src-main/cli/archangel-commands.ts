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
    "list archangels (background reviewers): which are on, when they wake, what they spent",
  ).action(async (options) => end(await (await all()).archangels(options)));
  const part = partsOf(archangels);
  part("watch", "review the sessions of your other agents in this repository until you press Ctrl-C")
    .option("--model <name>", "model of archangels that set none", oneLine)
    .action(async (options) => {
      const { watchGoal } = await import("#shared/domain/archangel/archangel.ts");
      end(await (await import("./run.ts")).run({ ...options, goal: watchGoal, watch: true }));
    });
  part("list", "same as `hox archangels`").action(async (options) =>
    end(await (await all()).archangels(options)),
  );
  for (const [word, isOn] of [
    ["on", true],
    ["off", false],
  ] as const)
    part(word, `turn an archangel ${word} for this repository (writes .hox/config.toml)`)
      .argument("<name>", "for example security", oneLine)
      .action(async (name, options) => end(await (await all()).switchArchangel(name, isOn, options)));
}

function addComments({ command, end }: CommandList): void {
  const comments = command("comments", "list the archangels' comments on lines and changes of the run")
    .option("--worker <name>", "only comments on this worker's changes", oneLine)
    .option("--all", "include resolved comments")
    .action(async (options) => end(await (await all()).comments(options)));
  const part = partsOf(comments);
  const deed = (name: string, description: string): Command =>
    part(name, description).argument("<comment>", "id from `hox comments`, for example security-1", oneLine);

  deed("send", "send a comment to the agent that it is about, as advice").action(async (id, options) =>
    end(await (await all()).dealWithComment(id, { kind: "send" }, options)),
  );
  deed("resolve", "mark a comment as resolved").action(async (id, options) =>
    end(await (await all()).dealWithComment(id, { kind: "resolve", isResolved: true }, options)),
  );
  deed("reopen", "reopen a comment").action(async (id, options) =>
    end(await (await all()).dealWithComment(id, { kind: "resolve", isResolved: false }, options)),
  );
  deed("reply", "reply to the archangel, which can reply to you")
    .argument("<words...>", "your reply")
    .action(async (id, words, options) =>
      end(await (await all()).dealWithComment(id, { kind: "reply", text: words.join(" ") }, options)),
    );
}

function addIdeas({ command, end }: CommandList): void {
  const ideas = command("ideas", "list goals saved for later; `hox run --idea 1` starts the first").action(
    async (options) => end(await (await all()).ideas(options)),
  );
  const part = partsOf(ideas);
  part("add", "save a goal for later")
    .argument("<words...>", "the goal")
    .action(async (words, options) => end(await (await all()).addIdea(words.join(" "), options)));
  part("remove", "remove an idea")
    .argument("<number>", "number from `hox ideas`", wholeNumber(1, 100_000))
    .action(async (number, options) => end(await (await all()).removeIdea(number, options)));
}
